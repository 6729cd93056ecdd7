// SPDX-License-Identifier: MIT
// A real model file against the float32 truth and against what llama.cpp reaches on it (reference data, real-models).
// Needs LOQUAT_TEST_MODEL=<SmolLM2-135M-Instruct Q4_1>; tests/run.sh fetches it.
#include <loquat/loquat.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/json.hpp"
#include "support/vectors.hpp"

using namespace loquat;
using loquat_test::Json;

namespace {

/// The model and its reference, or nothing, said loudly.
struct RealModel {
  RealModel() {
    const auto folder = loquat_test::vectors_folder();
    const auto path = loquat_test::model_from_environment("LOQUAT_TEST_MODEL");
    if (folder.empty() || path.empty()) {
      loquat_test::say_skipped("real model: LOQUAT_TEST_MODEL or the vectors are absent");
      return;
    }
    facts = loquat_test::parse_json(
        loquat_test::read_text(folder / "real-models" / "smollm2-135m-instruct-q4_1.json"));
    if (std::filesystem::file_size(path) != facts["model"]["bytes"].as<std::uintmax_t>()) {
      loquat_test::say_skipped("real model: LOQUAT_TEST_MODEL is not the file that the reference was made from");
      return;
    }
    auto loaded = Model::load(path.string());
    INFO((loaded ? "" : loaded.error().c_str()));
    REQUIRE(loaded);
    model = std::move(*loaded);
  }
  explicit operator bool() const { return model.has_value(); }

  Json facts;
  std::optional<Model> model;
};

RealModel& real_model() {
  static RealModel real;
  return real;
}

struct Distribution {
  explicit Distribution(std::span<const float> logits) : logits_(logits) {
    for (std::size_t i = 0; i < logits.size(); ++i) {
      if (logits[i] > logits[best]) best = i;
    }
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - logits[best]);
    log_sum_ = logits[best] + std::log(sum);
  }
  double log_probability(std::size_t id) const { return logits_[id] - log_sum_; }

  std::size_t best = 0;

 private:
  std::span<const float> logits_;
  double log_sum_;
};

/// KL(truth || ours) over the truth's 32 most probable ids and "all others", in nats.
double kl32(const Json& ids, const Json& log_probabilities, const Distribution& ours) {
  double kl = 0;
  double rest_p = 1;
  double rest_q = 1;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const double log_p = log_probabilities[i].number;
    const double log_q = ours.log_probability(ids[i].as<std::size_t>());
    kl += std::exp(log_p) * (log_p - log_q);
    rest_p -= std::exp(log_p);
    rest_q -= std::exp(log_q);
  }
  rest_p = std::max(rest_p, 1e-12);
  rest_q = std::max(rest_q, 1e-12);
  return kl + rest_p * std::log(rest_p / rest_q);
}

/// Errors over the long text, position 0 apart.
struct Accuracy {
  double kl = 0;
  double agreement_percent = 0;
  double rms_next = 0;
  double largest_flip = 0;
};

Accuracy measure_long_text(const RealModel& real) {
  auto session = Session::create(*real.model, {.context = 2048, .chunk = 512});
  REQUIRE(session);
  const Json& pass = real.facts["perplexity"]["ctx2048"];
  const auto ids = real.facts["perplexity"]["ids"].numbers<Token>();
  const auto truth_best = pass["argmax"][0].numbers<std::size_t>();
  const auto truth_margin = pass["margin"][0].numbers<double>();
  const auto truth_next = pass["next_logprob"][0].numbers<double>();
  const Json& top = real.facts["text_top32"];
  Accuracy sum;
  std::size_t agree = 0;
  REQUIRE(session->append_with_logits(ids, [&](std::size_t i, std::span<const float> row) {
    if (i == 0) return;
    const Distribution ours(row);
    sum.kl += kl32(top["ids"][i], top["logprobs"][i], ours);
    agree += ours.best == truth_best[i] ? 1 : 0;
    if (ours.best != truth_best[i]) sum.largest_flip = std::max(sum.largest_flip, truth_margin[i]);
    if (i + 1 < ids.size()) {
      sum.rms_next += std::pow(ours.log_probability(static_cast<std::size_t>(ids[i + 1])) - truth_next[i], 2);
    }
  }));
  const auto n = static_cast<double>(ids.size() - 1);
  sum.kl /= n;
  sum.agreement_percent = 100 * static_cast<double>(agree) / n;
  sum.rms_next = std::sqrt(sum.rms_next / (n - 1));
  return sum;
}

}  // namespace

TEST_CASE("a real model is as near to the float32 truth as llama.cpp, or nearer") {
  const RealModel& real = real_model();
  if (!real) return;
  const Accuracy ours = measure_long_text(real);
  const Json& peer = real.facts["peer"]["variants"]["default"]["ctx2048"];
  std::printf("real model, 2048 tokens, position 0 apart (ours / llama.cpp): kl32 %.6f / %.6f, same best token %.2f / %.2f %%, "
              "rms error of the next log-probability %.4f / %.4f, largest flipped margin %.3f / %.3f\n",
              ours.kl, peer["kl32_later_mean"].number, ours.agreement_percent,
              peer["top1_agree_percent_later"].number, ours.rms_next, peer["rms_next_logprob_error"].number,
              ours.largest_flip, peer["largest_truth_margin_flipped_later"].number);
  CHECK(ours.kl <= peer["kl32_later_mean"].number);
  CHECK(ours.agreement_percent >= peer["top1_agree_percent_later"].number);
  CHECK(ours.rms_next <= peer["rms_next_logprob_error"].number);
  CHECK(ours.largest_flip <= peer["largest_truth_margin_flipped_later"].number);
}

TEST_CASE("prompts of a real model are encoded as the original tokenizer does") {
  const RealModel& real = real_model();
  if (!real) return;
  for (const Json& prompt : real.facts["prompts"].array) {
    const auto special = prompt["parse_special"].boolean ? Special::tokens : Special::plain;
    const auto ids = real.model->tokenizer().encode(prompt["text"].string, {.special = special});
    REQUIRE(ids);
    INFO(prompt["name"].string);
    CHECK(std::vector<Token>(ids->begin(), ids->end()) == prompt["ids"].numbers<Token>());
  }
}

TEST_CASE("a real model's template renders its chat prompts byte for byte") {
  const RealModel& real = real_model();
  if (!real) return;
  int n_chats = 0;
  for (const Json& prompt : real.facts["prompts"].array) {
    if (!prompt.has("messages")) continue;
    ++n_chats;
    std::vector<Message> messages;
    for (const Json& message : prompt["messages"].array) {
      messages.push_back({message["role"].string, message["content"].string});
    }
    const RenderOptions options{.add_generation_prompt = prompt["add_generation_prompt"].boolean};
    const auto text = render_chat(*real.model, messages, options);
    INFO(prompt["name"].string);
    REQUIRE(text);
    CHECK(text->view() == prompt["text"].string);
    const auto ids = encode_chat(*real.model, messages, options);
    REQUIRE(ids);
    CHECK(std::vector<Token>(ids->begin(), ids->end()) == prompt["ids"].numbers<Token>());
  }
  CHECK(n_chats > 0);
}

TEST_CASE("greedy text of a real model leaves the truth only where its margin is small") {
  const RealModel& real = real_model();
  if (!real) return;
  const double flip = real.facts["peer"]["variants"]["default"]["ctx2048"]["largest_truth_margin_flipped_later"].number;
  for (const Json& prompt : real.facts["prompts"].array) {
    const auto ids = prompt["ids"].numbers<Token>();
    const auto want = prompt["greedy"]["ids"].numbers<Token>();
    const auto margin = prompt["greedy"]["margin"].numbers<double>();
    auto session = Session::create(*real.model, {.context = 2048});
    REQUIRE(session);
    const auto reply = session->generate(ids, {.max_tokens = static_cast<std::uint32_t>(want.size()),
                                               .sampling = {.temperature = 0},
                                               .ignore_end_of_generation = true});
    REQUIRE(reply);
    const auto [ours, theirs] = std::mismatch(reply->tokens.begin(), reply->tokens.end(), want.begin());
    INFO(prompt["name"].string << " parts after " << theirs - want.begin() << " tokens");
    if (theirs != want.end()) CHECK(margin[static_cast<std::size_t>(theirs - want.begin())] <= flip);
  }
}

TEST_CASE("the end tokens of a real model are known (K9)") {
  const RealModel& real = real_model();
  if (!real) return;
  const auto end = real.model->tokenizer().end_of_generation();
  CHECK(std::vector<Token>(end.begin(), end.end()) == real.facts["stop_ids"].numbers<Token>());
}

TEST_CASE("memory of a real model and its session is what plan() said, within 5 % (M2)") {
  const RealModel& real = real_model();
  if (!real) return;
  const auto path = loquat_test::model_from_environment("LOQUAT_TEST_MODEL").string();
  const auto planned = plan(path, {.context = 1024, .chunk = 128, .threads = 2});
  REQUIRE(planned);
  auto model = Model::load(path, {.threads = {.count = 2}});
  REQUIRE(model);
  auto session = Session::create(*model, {.context = 1024, .chunk = 128});
  REQUIRE(session);
  const double used = static_cast<double>(model->memory() + session->memory());
  CHECK(used <= 1.05 * static_cast<double>(planned->total()));
  CHECK(used >= 0.95 * static_cast<double>(planned->total()));
}
