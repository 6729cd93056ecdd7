// SPDX-License-Identifier: MIT
#include "sampling/penalties.hpp"

#include "sampling/support.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

std::vector<float> penalized(const SamplerOptions& options, const std::vector<Token>& history,
                             const std::vector<float>& model) {
  sampling::Penalties penalties(options, default_allocator());
  sampling::Logits logits(default_allocator());
  REQUIRE(penalties.reserve_history());
  REQUIRE(penalties.reserve_counts(model.size()));
  REQUIRE(logits.reserve(model.size(), options.penalty_last_n));
  for (Token token : history) penalties.remember(token);
  logits.assign(model);
  penalties.apply(logits);
  const std::vector<float> result(logits.values().begin(), logits.values().end());
  penalties.apply(logits);  // counts are clean again: undoing both gives the model's logits
  logits.undo();
  CHECK(std::equal(model.begin(), model.end(), logits.values().begin()));
  return result;
}

}  // namespace

TEST_CASE("penalties follow their formula") {
  SamplerOptions options;
  options.repetition_penalty = 2;
  CHECK(penalized(options, {0, 1, 1}, {4, -4, 4}) == std::vector<float>{2, -8, 4});
  options.repetition_penalty = 1;
  options.presence_penalty = 0.5f;
  CHECK(penalized(options, {0, 1, 1}, {4, -4, 4}) == std::vector<float>{3.5f, -4.5f, 4});
  options.presence_penalty = 0;
  options.frequency_penalty = 0.5f;
  CHECK(penalized(options, {0, 1, 1}, {4, -4, 4}) == std::vector<float>{3.5f, -5, 4});
  options.repetition_penalty = 2;
  options.presence_penalty = 1;
  CHECK(penalized(options, {0, 1, 1}, {4, -4, 4}) == std::vector<float>{0.5f, -10, 4});
}

TEST_CASE("only the last n tokens count (Z4)") {
  SamplerOptions options;
  options.presence_penalty = 1;
  options.penalty_last_n = 2;
  CHECK(penalized(options, {0, 1, 2}, {0, 0, 0, 0}) == std::vector<float>{0, -1, -1, 0});
  CHECK(penalized(options, {0, 1, 2, 3, 3}, {0, 0, 0, 0}) == std::vector<float>{0, 0, 0, -1});
  options.penalty_last_n = 0;
  CHECK(penalized(options, {0, 1, 2}, {0, 0, 0, 0}) == std::vector<float>{0, 0, 0, 0});
}

TEST_CASE("remembered ids outside the vocabulary cost nothing") {
  SamplerOptions options;
  options.presence_penalty = 1;
  CHECK(penalized(options, {7, 1, 2147483647}, {0, 0}) == std::vector<float>{0, -1});
}

TEST_CASE("prompt tokens and drawn tokens count alike (Z4)") {
  const SamplerOptions options{.temperature = 0, .presence_penalty = 1, .penalty_last_n = 3};
  const std::vector<float> logits = {0.3f, 0.2f, 0.1f, 0};
  Sampler told = make_sampler(options);
  for (Token token : {0, 1}) REQUIRE(told.accept(token));
  Sampler drew = make_sampler(options);
  CHECK(draws(drew, logits, 2) == std::vector<Token>{0, 1});
  CHECK(draws(told, logits, 8) == draws(drew, logits, 8));
}

TEST_CASE("a negative id is refused") {
  Sampler sampler = make_sampler({.presence_penalty = 1});
  CHECK(sampler.accept(-1).code() == ErrorCode::invalid_argument);
}

TEST_CASE("reset forgets the tokens and restarts the generator") {
  SamplerOptions options = plain_draw(9);
  options.presence_penalty = 2;
  Sampler sampler = make_sampler(options);
  const std::vector<float> logits = {0, 0.5f, 1, 0.2f};
  const auto first = draws(sampler, logits, 30);
  sampler.reset();
  CHECK(sampler.last_log_probability() == 0);
  CHECK(draws(sampler, logits, 30) == first);
}
