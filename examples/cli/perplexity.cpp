// SPDX-License-Identifier: MIT
// loquat perplexity: how surprised a model is by a text, and how far it is from stored logits.
#include <cmath>
#include <cstdio>
#include <fstream>

#include "common.hpp"

namespace cli {

namespace {

/// Log-probabilities of one row of logits.
struct Row {
  explicit Row(std::span<const float> values) : logits(values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] > values[best]) best = i;
    }
    double sum = 0;
    for (const float logit : values) sum += std::exp(static_cast<double>(logit) - values[best]);
    log_sum = values[best] + std::log(sum);
  }
  double log_probability(std::size_t id) const { return logits[id] - log_sum; }

  std::span<const float> logits;
  std::size_t best = 0;
  double log_sum = 0;
};

struct Sums {
  double negative_log = 0;
  std::size_t predictions = 0;
  double kl = 0;
  std::size_t agreeing = 0;
  std::size_t compared = 0;
};

/// KL(stored || ours) over the whole vocabulary, in nats.
double divergence(const Row& stored, const Row& ours) {
  double kl = 0;
  for (std::size_t i = 0; i < ours.logits.size(); ++i) {
    const double log_p = stored.log_probability(i);
    if (std::isfinite(log_p)) kl += std::exp(log_p) * (log_p - ours.log_probability(i));  // 0 * log 0 is 0
  }
  return kl;
}

class Meter {
 public:
  Meter(const Arguments& arguments, std::size_t vocabulary, std::size_t n_tokens) : stored_(vocabulary) {
    if (arguments.has("--compare")) open_stored(arguments.text("--compare"), n_tokens);
    if (arguments.has("--logits-out")) out_ = create_file(arguments.text("--logits-out"));
  }

  /// `next`: the token that really followed, or -1.
  void add(std::span<const float> logits, loquat::Token next) {
    const Row ours(logits);
    if (next >= 0) {
      sums_.negative_log -= ours.log_probability(static_cast<std::size_t>(next));
      ++sums_.predictions;
    }
    if (out_.is_open())
      out_.write(reinterpret_cast<const char*>(logits.data()), static_cast<std::streamsize>(logits.size_bytes()));
    if (in_.is_open()) compare(ours);
  }
  const Sums& sums() const { return sums_; }
  void finish() {
    if (out_.is_open() && !out_.flush()) throw Failure("--logits-out: cannot be written");
  }

 private:
  /// Logits of another text or vocabulary would compare to plausible nonsense.
  void open_stored(const std::string& path, std::size_t n_tokens) {
    in_.open(path, std::ios::binary | std::ios::ate);
    if (!in_) throw Failure(path + ": cannot be opened");
    const auto found = static_cast<std::int64_t>(in_.tellg());
    const std::size_t wanted = n_tokens * stored_.size() * sizeof(float);
    if (found < 0 || static_cast<std::uint64_t>(found) != wanted) {
      throw Failure(path + ": " + std::to_string(wanted) + " bytes expected, " + std::to_string(n_tokens) +
                    " tokens of " + std::to_string(stored_.size()) + " floats, then found " + std::to_string(found));
    }
    in_.seekg(0);
  }
  void compare(const Row& ours) {
    const auto bytes = static_cast<std::streamsize>(stored_.size() * sizeof(float));
    if (!in_.read(reinterpret_cast<char*>(stored_.data()), bytes)) throw Failure("--compare: cannot be read");
    const Row stored(stored_);
    sums_.kl += divergence(stored, ours);
    sums_.agreeing += stored.best == ours.best ? 1 : 0;
    ++sums_.compared;
  }

  std::vector<float> stored_;
  std::ofstream out_;
  std::ifstream in_;
  Sums sums_;
};

int run(const Arguments& arguments) {
  if (!arguments.has("--file")) throw UsageError("missing -f FILE");
  if (arguments.has("--compare") && arguments.text("--compare") == arguments.text("--logits-out")) {
    throw UsageError("--compare and --logits-out name the same file");
  }
  const std::size_t limit = arguments.whole("--max-tokens", SIZE_MAX, 1, SIZE_MAX);
  const loquat::Model model = open_model(arguments);
  const loquat::Tokenizer tokenizer = model.tokenizer();
  loquat::SessionOptions options = session_options(arguments, model);
  if (!arguments.has("--context")) options.context = std::min<std::uint32_t>(512, options.context);
  loquat::Session session = must(loquat::Session::create(model, options), "session");
  const auto ids = must(tokenizer.encode(read_file(arguments.text("--file"))), "text");
  std::vector<loquat::Token> tokens(ids.begin(), ids.end());
  if (tokens.size() > limit) tokens.resize(limit);

  if (tokens.size() < 2) throw Failure("the text is too short: two tokens are needed");

  Meter meter(arguments, model.info().vocabulary, tokens.size());
  const loquat::SpecialTokens& special = tokenizer.special_tokens();
  for (std::size_t begin = 0; begin < tokens.size(); begin += options.context) {
    const std::size_t n = std::min<std::size_t>(options.context, tokens.size() - begin);
    std::vector<loquat::Token> pass(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                                    tokens.begin() + static_cast<std::ptrdiff_t>(begin + n));
    const std::vector<loquat::Token> truth = pass;
    if (special.add_bos && special.bos >= 0) pass[0] = special.bos;  // every pass begins as the model expects
    must(session.clear(), "clear");
    must(session.append_with_logits(
             pass, [&](std::size_t i, std::span<const float> row) { meter.add(row, i + 1 < n ? truth[i + 1] : -1); }),
         "text");
  }
  meter.finish();
  const Sums& sums = meter.sums();
  const double perplexity = std::exp(sums.negative_log / static_cast<double>(sums.predictions));
  Json json;
  json.set("tokens", std::uint64_t{tokens.size()}).set("context", options.context).set("perplexity", perplexity);
  if (sums.compared > 0) {
    json.set("kl_mean", sums.kl / static_cast<double>(sums.compared));
    json.set("top1_agree_percent", 100.0 * static_cast<double>(sums.agreeing) / static_cast<double>(sums.compared));
  }
  if (arguments.has("--json")) return write_line(json), 0;
  std::printf("perplexity %.4f over %zu tokens in passes of %u\n", perplexity, tokens.size(), options.context);
  if (sums.compared > 0) {
    std::printf("against the stored logits: KL %.6f, same best token %.2f %%\n", json["kl_mean"].as_number("kl"),
                json["top1_agree_percent"].as_number("agreement"));
  }
  return 0;
}

}  // namespace

const Verb& perplexity_verb() {
  static const Verb verb{
      "perplexity", "perplexity MODEL -f FILE [--context 512] [--logits-out F] [--compare F]",
      "perplexity of a text; KL divergence and top-1 agreement against stored logits",
      with_common_options(with_json_option({{"--file", "-f", "FILE", "the text, UTF-8"},
                                            {"--max-tokens", "-n", "N", "only the first N tokens"},
                                            {"--logits-out", "", "FILE", "stores the logits, f32 [T, V]"},
                                            {"--compare", "", "FILE", "compares with logits stored before"}})),
      &run};
  return verb;
}

}  // namespace cli
