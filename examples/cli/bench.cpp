// SPDX-License-Identifier: MIT
// loquat bench: prefill and decode speed, with the read bandwidth measured in the same run as a yardstick.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <numeric>
#include <thread>

#include "common.hpp"

namespace cli {

namespace {

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Spread {
  explicit Spread(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    least = values.front();
    most = values.back();
    const std::size_t half = values.size() / 2;
    median = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  }
  Json json() const { return Json().set("median", median).set("min", least).set("max", most); }

  double median, least, most;
};

/// Bytes a second that `threads` threads read together from memory far larger than the caches; best of four passes.
double read_bandwidth(unsigned threads) {
  std::vector<std::uint64_t> memory((std::size_t{256} << 20) / sizeof(std::uint64_t), 1);
  std::vector<std::uint64_t> sums(threads);
  double best = 0;
  for (int pass = 0; pass < 4; ++pass) {
    const double time = seconds_of([&] {
      std::vector<std::thread> team;
      for (unsigned i = 0; i < threads; ++i) {
        team.emplace_back([&, i] {
          const auto begin = memory.begin() + static_cast<std::ptrdiff_t>(memory.size() / threads * i);
          sums[i] =
              std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(memory.size() / threads), std::uint64_t{0});
        });
      }
      for (std::thread& thread : team) thread.join();
    });
    best = std::max(best, static_cast<double>(memory.size() * sizeof(std::uint64_t)) / time);
  }
  return std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}) > 0 ? best : 0;
}

/// Weight bytes that one generated token reads: all matrices once; of an untied embedding one row.
std::uint64_t bytes_per_token(const loquat::Model& model) {
  std::uint64_t all = 0;
  std::uint64_t embedding = 0;
  bool has_output = false;
  for (std::size_t i = 0; i < model.tensor_count(); ++i) {
    const loquat::TensorSummary tensor = model.tensor(i);
    all += tensor.bytes;
    if (tensor.name == "token_embd.weight") embedding = tensor.bytes;
    if (tensor.name == "output.weight") has_output = true;
  }
  return has_output ? all - embedding : all;
}

std::vector<loquat::Token> random_tokens(std::size_t n, std::size_t vocabulary) {
  std::vector<loquat::Token> tokens(n);
  std::uint64_t state = 1;
  for (auto& token : tokens) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    token = static_cast<loquat::Token>((state >> 33) % vocabulary);
  }
  return tokens;
}

struct Sizes {
  std::size_t prompt, generated, depth, repetitions;
};

struct Measured {
  std::vector<double> prefill, decode;  ///< tokens a second
};

Measured measure(loquat::Session& session, const Sizes& sizes) {
  const auto tokens = random_tokens(sizes.depth + std::max(sizes.prompt, sizes.generated),
                                    session.model().tokenizer().vocabulary_size());
  const std::span<const loquat::Token> all(tokens);
  Measured measured;
  must(session.warmup(), "warm-up");
  for (std::size_t i = 0; i < sizes.repetitions; ++i) {
    must(session.clear(), "clear");
    must(session.append(all.first(sizes.depth)), "depth");
    if (sizes.prompt > 0) {
      const double time = seconds_of([&] { must(session.append(all.subspan(sizes.depth, sizes.prompt)), "prefill"); });
      measured.prefill.push_back(static_cast<double>(sizes.prompt) / time);
    }
    must(session.rewind(sizes.depth), "rewind");
    if (sizes.generated > 0) {
      const double time = seconds_of([&] {
        for (std::size_t t = 0; t < sizes.generated; ++t)
          must(session.append(all.subspan(sizes.depth + t, 1)), "decode");
      });
      measured.decode.push_back(static_cast<double>(sizes.generated) / time);
    }
  }
  return measured;
}

int run(const Arguments& arguments) {
  const Sizes sizes{.prompt = arguments.whole("--prompt", 512, 0, 1 << 20),
                    .generated = arguments.whole("--tokens", 64, 0, 1 << 20),
                    .depth = arguments.whole("--depth", 0, 0, 1 << 20),
                    .repetitions = arguments.whole("--repetitions", 3, 1, 1000)};
  if (sizes.prompt == 0 && sizes.generated == 0) throw UsageError("-p 0 and -n 0 leave nothing to measure");
  const loquat::Model model = open_model(arguments);
  loquat::Session session = open_session(arguments, model, sizes.depth + std::max(sizes.prompt, sizes.generated));
  const Measured measured = measure(session, sizes);
  const double bandwidth = sizes.generated > 0 ? read_bandwidth(session.threads()) : 0;
  const double weights = static_cast<double>(bytes_per_token(model));

  Json json;
  json.set("model", model.info().name).set("level", loquat::to_string(model.level()));
  json.set("threads", session.threads()).set("chunk", std::uint64_t{session_options(arguments, model).chunk});
  if (!measured.prefill.empty())
    json.set("prefill_tokens", std::uint64_t{sizes.prompt}).set("prefill_tok_s", Spread(measured.prefill).json());
  if (!measured.decode.empty()) {
    const Spread decode(measured.decode);
    json.set("decode_tokens", std::uint64_t{sizes.generated}).set("depth", std::uint64_t{sizes.depth});
    json.set("decode_tok_s", decode.json()).set("decode_weights_gb_s", decode.median * weights / 1e9);
    json.set("read_bandwidth_gb_s", bandwidth / 1e9).set("share_of_bandwidth", decode.median * weights / bandwidth);
  }
  if (arguments.has("--json")) return write_line(json), 0;
  std::printf("%s, level %s, %u threads\n", std::string(model.info().name).c_str(), loquat::to_string(model.level()),
              session.threads());
  const auto print = [](const char* what, std::size_t n, const std::vector<double>& values) {
    if (values.empty()) return;
    const Spread spread(values);
    std::printf("%s %4zu: %8.1f tok/s (median; %.1f to %.1f)\n", what, n, spread.median, spread.least, spread.most);
  };
  print("prefill", sizes.prompt, measured.prefill);
  print("decode ", sizes.generated, measured.decode);
  if (!measured.decode.empty()) {
    std::printf("decode reads %.1f GB/s of weights, %.0f %% of the %.1f GB/s that this run measured\n",
                json["decode_weights_gb_s"].as_number("rate"), 100 * json["share_of_bandwidth"].as_number("share"),
                bandwidth / 1e9);
  }
  return 0;
}

}  // namespace

const Verb& bench_verb() {
  static const Verb verb{
      "bench", "bench MODEL [-p 512] [-n 64] [-d 0] [-t N] [-r 3] [--json]",
      "prefill and decode tokens a second: median, least, most",
      with_common_options(with_json_option({{"--prompt", "-p", "N", "prompt tokens (default: 512; 0: none)"},
                                            {"--tokens", "-n", "N", "decoded tokens (default: 64; 0: none)"},
                                            {"--depth", "-d", "N", "tokens in the cache beforehand (default: 0)"},
                                            {"--repetitions", "-r", "N", "rounds (default: 3)"}})),
      &run};
  return verb;
}

}  // namespace cli
