// SPDX-License-Identifier: MIT
#include "sampling/support.hpp"

using namespace loquat;
using namespace loquat_test;

TEST_CASE("temperature 0 takes the largest logit and the lowest id on ties, whatever the seed (Z1)") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SamplerOptions options{.temperature = 0, .seed = seed};
    Sampler sampler = make_sampler(options);
    CHECK(*sampler.sample(std::vector<float>{1, 5, 2}) == 1);
    CHECK(*sampler.sample(std::vector<float>{1, 5, 2, 5, 5}) == 1);
    CHECK(*sampler.sample(std::vector<float>{-3, -3}) == 0);
  }
}

TEST_CASE("temperature 0 ignores the filters") {
  SamplerOptions options{.temperature = 0, .top_k = 1, .top_p = 0, .min_p = 1, .typical_p = 0};
  CHECK(*make_sampler(options).sample(std::vector<float>{0, 0.5f, 0.25f}) == 1);
}

TEST_CASE("temperature 0 takes the largest of the processed logits (Z1)") {
  SamplerOptions options{.temperature = 0, .repetition_penalty = 2};
  Sampler sampler = make_sampler(options);
  REQUIRE(sampler.accept(1));
  CHECK(*sampler.sample(std::vector<float>{3, 5, 2}) == 0);
  const LogitBias bias[] = {{2, 10}};
  CHECK(*make_sampler({.temperature = 0, .logit_bias = bias}).sample(std::vector<float>{3, 5, 2}) == 2);
}

TEST_CASE("with neutral penalties greedy sampling echoes exactly") {
  Sampler sampler = make_sampler({.temperature = 0});
  for (Token token = 0; token < 50; ++token) {
    std::vector<float> logits(50, 0.0f);
    logits[static_cast<std::size_t>(token / 5)] = 0.001f;
    CHECK(*sampler.sample(logits) == token / 5);
  }
}

TEST_CASE("logits that are not finite are never chosen (Z2)") {
  const std::vector<float> logits = {kNaN, kInfinity, -kInfinity, 1, kNaN, 2};
  CHECK(*make_sampler({.temperature = 0}).sample(logits) == 5);
  CHECK(support_of(plain_draw(), logits) == std::set<Token>{3, 5});
  SamplerOptions top = plain_draw();
  top.top_k = 3;
  CHECK(support_of(top, logits) == std::set<Token>{3, 5});
}

TEST_CASE("a bias that makes a logit infinite takes it out of the race (Z2)") {
  const LogitBias bias[] = {{0, 3e38f}};
  CHECK(*make_sampler({.temperature = 0, .logit_bias = bias}).sample(std::vector<float>{3e38f, 1}) == 1);
}

TEST_CASE("no finite logit is an error and leaves the sampler as before (Z2)") {
  for (float temperature : {0.0f, 1.0f}) {
    SamplerOptions options = plain_draw(3);
    options.temperature = temperature;
    options.repetition_penalty = 2;
    Sampler sampler = make_sampler(options);
    Sampler twin = make_sampler(options);
    const std::vector<float> good = {1, 2, 3, 2.5f};
    for (const auto& bad : {std::vector<float>{kNaN, kInfinity, -kInfinity}, std::vector<float>{}}) {
      const auto refused = sampler.sample(bad);
      REQUIRE_FALSE(refused);
      CHECK(refused.code() == ErrorCode::bad_logits);
    }
    CHECK(draws(sampler, good, 20) == draws(twin, good, 20));
  }
}

TEST_CASE("forbidding every token is bad_logits") {
  const LogitBias bias[] = {{0, -kInfinity}, {1, -kInfinity}};
  CHECK(make_sampler({.logit_bias = bias}).sample(std::vector<float>{1, 2}).code() == ErrorCode::bad_logits);
}
