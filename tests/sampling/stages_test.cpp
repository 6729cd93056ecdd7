// SPDX-License-Identifier: MIT
#include "sampling/stages.hpp"

#include <cmath>
#include <numeric>

#include "sampling/support.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

std::vector<float> logits_of(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

std::vector<float> wavy_logits(int n) {
  std::vector<float> logits;
  for (int i = 0; i < n; ++i) logits.push_back(5 * std::sin(static_cast<float>(i * i)));
  return logits;
}

std::set<Token> all_ids(int n) {
  std::set<Token> ids;
  for (Token token = 0; token < n; ++token) ids.insert(token);
  return ids;
}

}  // namespace

TEST_CASE("with every stage off all ids of a flat distribution appear (Z1)") {
  CHECK(support_of(plain_draw(), std::vector<float>(50, 1.0f), 10000) == all_ids(50));
}

TEST_CASE("draws follow the probabilities") {
  const std::vector<double> probabilities = {0.5, 0.25, 0.125, 0.0625, 0.0625};
  for (std::uint32_t top_k : {0u, 5u}) {
    SamplerOptions options = plain_draw(11);
    options.top_k = top_k;
    Sampler sampler = make_sampler(options);
    std::vector<int> counts(5);
    constexpr int kDraws = 40000;
    for (Token token : draws(sampler, logits_of(probabilities), kDraws)) ++counts[static_cast<std::size_t>(token)];
    for (std::size_t i = 0; i < counts.size(); ++i) {  // five standard deviations
      const double expected = probabilities[i] * kDraws;
      CHECK(std::abs(counts[i] - expected) < 5 * std::sqrt(expected * (1 - probabilities[i])));
    }
  }
}

TEST_CASE("temperature sharpens and flattens by the power law") {
  SamplerOptions options = plain_draw(12);
  options.temperature = 0.5f;  // probabilities squared: 0.8, 0.2
  Sampler sampler = make_sampler(options);
  int first = 0;
  for (Token token : draws(sampler, logits_of({2.0 / 3, 1.0 / 3}), 20000)) first += token == 0 ? 1 : 0;
  CHECK(std::abs(first - 16000) < 5 * std::sqrt(20000 * 0.16));
}

TEST_CASE("the smallest and the largest temperature work") {
  SamplerOptions options = plain_draw();
  options.temperature = std::numeric_limits<float>::denorm_min();
  CHECK(support_of(options, {1, 3, 2}) == std::set<Token>{1});
  CHECK(support_of(options, {3e38f, -3e38f}) == std::set<Token>{0});
  options.temperature = 100;
  CHECK(support_of(options, {1, 3, 2}) == all_ids(3));
}

TEST_CASE("top-k keeps the k largest, the lower ids on ties") {
  SamplerOptions options = plain_draw();
  options.top_k = 2;
  CHECK(support_of(options, {1, 2, 2, 2, 0}) == std::set<Token>{1, 2});
  options.top_k = 5;
  CHECK(support_of(options, {1, 2, 2, 2, 0}) == all_ids(5));
  options.top_k = 4000000000u;
  CHECK(support_of(options, {1, 2, 2, 2, 0}) == all_ids(5));
}

TEST_CASE("top-k selects what a full sort selects") {
  const std::vector<float> logits = wavy_logits(5000);
  std::vector<sampling::Candidate> sorted;
  for (std::size_t i = 0; i < logits.size(); ++i) sorted.push_back({static_cast<Token>(i), logits[i], 0});
  std::sort(sorted.begin(), sorted.end(), sampling::is_better);
  sampling::Candidates candidates(default_allocator());
  for (std::uint32_t k : {1u, 2u, 40u, 1000u, 4999u, 5000u}) {
    REQUIRE(candidates.items.reserve(k));
    sampling::choose_top_k(logits, k, candidates);
    REQUIRE(candidates.items.size() == k);
    for (std::size_t i = 0; i < k; ++i) REQUIRE(candidates.items[i].token == sorted[i].token);
  }
}

TEST_CASE("top-p keeps the smallest set that reaches the mass") {
  const std::vector<float> logits = logits_of({0.1, 0.4, 0.2, 0.3});
  for (std::uint32_t top_k : {0u, 4u}) {  // unsorted and sorted candidates
    SamplerOptions options = plain_draw();
    options.top_k = top_k;
    options.top_p = 0.35f;
    CHECK(support_of(options, logits) == std::set<Token>{1});
    options.top_p = 0.65f;
    CHECK(support_of(options, logits) == std::set<Token>{1, 3});
    options.top_p = 0.75f;
    CHECK(support_of(options, logits) == std::set<Token>{1, 2, 3});
    options.top_p = 0;
    CHECK(support_of(options, logits) == std::set<Token>{1});
  }
}

TEST_CASE("min-p keeps what is near enough to the best") {
  SamplerOptions options = plain_draw();
  options.min_p = 0.45f;
  CHECK(support_of(options, logits_of({0.1, 0.4, 0.2, 0.3})) == std::set<Token>{1, 2, 3});
  options.min_p = 1;
  CHECK(support_of(options, {2, 5, 5, 1}) == std::set<Token>{1, 2});
}

TEST_CASE("typical keeps the surprises nearest to the entropy") {
  // Entropy 1.168 nats. Surprises: 0.511, 1.609, 1.609 ... of 0.6, 0.2, 0.1, 0.1 with entropy 1.089:
  // distances 0.578, 0.520, 1.214, 1.214, so that the second id comes first.
  const std::vector<float> logits = logits_of({0.6, 0.2, 0.1, 0.1});
  SamplerOptions options = plain_draw();
  options.typical_p = 0.15f;
  CHECK(support_of(options, logits) == std::set<Token>{1});
  options.typical_p = 0.7f;
  CHECK(support_of(options, logits) == std::set<Token>{0, 1});
  options.typical_p = 0;
  CHECK(support_of(options, logits).size() == 1);
}

TEST_CASE("stages run in the documented order") {
  // top-k 2 leaves 0.4 and 0.3; of their sum 0.4 is 0.571, so top-p 0.5 keeps one. The other way round it
  // keeps two.
  SamplerOptions options = plain_draw();
  options.top_k = 2;
  options.top_p = 0.5f;
  CHECK(support_of(options, logits_of({0.1, 0.4, 0.2, 0.3})) == std::set<Token>{1});
  // min-p comes before temperature: a high temperature does not bring anything back.
  options = plain_draw();
  options.min_p = 0.9f;
  options.temperature = 100;
  CHECK(support_of(options, logits_of({0.1, 0.4, 0.2, 0.3})) == std::set<Token>{1});
}

TEST_CASE("at least one candidate survives every filter (Z3)") {
  for (const auto& logits : {std::vector<float>{0}, std::vector<float>(7, -1e30f), wavy_logits(300)}) {
    const SamplerOptions options{.top_k = 1, .top_p = 0, .min_p = 1, .typical_p = 0};
    CHECK(support_of(options, logits, 10).size() == 1);
  }
}

TEST_CASE("a forbidding bias forbids, others shift probabilities") {
  const LogitBias forbidden[] = {{1, -kInfinity}, {1, 5}};
  SamplerOptions options = plain_draw();
  options.logit_bias = forbidden;
  CHECK(support_of(options, {1, 9, 1}) == std::set<Token>{0, 2});
  const LogitBias twice[] = {{2, 20}, {2, 20}};
  options.logit_bias = twice;
  CHECK(support_of(options, {1, 9, 1}) == std::set<Token>{2});
}

TEST_CASE("a biased id outside the vocabulary is refused by name") {
  const LogitBias bias[] = {{3, 1}};
  const auto token = make_sampler({.logit_bias = bias}).sample(std::vector<float>{1, 9, 1});
  CHECK(token.code() == ErrorCode::invalid_argument);
  CHECK(token.error().name() == "logit_bias");
}

TEST_CASE("the caller's logits are not changed, and observers do not change the draw (Z7)") {
  const LogitBias bias[] = {{0, 2}};
  SamplerOptions options = plain_draw(5);
  options.logit_bias = bias;
  options.repetition_penalty = 1.5f;
  Sampler observed = make_sampler(options);
  Sampler alone = make_sampler(options);
  const std::vector<float> logits = wavy_logits(100);
  const std::vector<float> before = logits;
  std::vector<Token> seen;
  for (int i = 0; i < 50; ++i) {
    seen.push_back(*observed.sample(logits));
    CHECK(observed.last_log_probability() == sampling::log_probability(logits, seen.back()));
    CHECK(observed.seed() == 5);
  }
  CHECK(seen == draws(alone, logits, 50));
  CHECK(logits == before);
}
