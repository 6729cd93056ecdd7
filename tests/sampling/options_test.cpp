// SPDX-License-Identifier: MIT
#include <string>

#include "sampling/support.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

void check_refused(const SamplerOptions& options, const std::string& name) {
  const auto sampler = Sampler::create(options);
  REQUIRE_FALSE(sampler);
  CHECK(sampler.code() == ErrorCode::invalid_argument);
  CHECK(sampler.error().name() == name);
  CHECK(sampler.error().message().find(name) != std::string_view::npos);
}

void check_range(float SamplerOptions::*member, const std::string& name, float least, float most) {
  CAPTURE(name);
  SamplerOptions options;
  for (float good : {least, most, 0.5f * (least + most)}) {
    options.*member = good;
    CHECK(Sampler::create(options));
  }
  for (float bad : {kNaN, kInfinity, -kInfinity, least - 0.005f, most * 1.001f}) {
    options.*member = bad;
    check_refused(options, name);
  }
}

}  // namespace

TEST_CASE("options outside their range are refused by name (A5, Z5)") {
  check_range(&SamplerOptions::temperature, "temperature", 0, 100);
  check_range(&SamplerOptions::top_p, "top_p", 0, 1);
  check_range(&SamplerOptions::min_p, "min_p", 0, 1);
  check_range(&SamplerOptions::typical_p, "typical_p", 0, 1);
  check_range(&SamplerOptions::repetition_penalty, "repetition_penalty", 0.01f, 100);
  check_range(&SamplerOptions::presence_penalty, "presence_penalty", -100, 100);
  check_range(&SamplerOptions::frequency_penalty, "frequency_penalty", -100, 100);
}

TEST_CASE("a penalty window that was negative is refused (A5)") {
  check_refused({.penalty_last_n = static_cast<std::uint32_t>(-1)}, "penalty_last_n");
  CHECK(Sampler::create({.repetition_penalty = 2, .penalty_last_n = 1u << 20}));
}

TEST_CASE("impossible biases are refused with their index (A5)") {
  const LogitBias negative[] = {{1, 0}, {-1, 0}};
  check_refused({.logit_bias = negative}, "logit_bias");
  CHECK(Sampler::create({.logit_bias = negative}).error().offset() == 1);
  const LogitBias not_a_number[] = {{1, kNaN}};
  check_refused({.logit_bias = not_a_number}, "logit_bias");
  const LogitBias endless[] = {{1, kInfinity}};
  check_refused({.logit_bias = endless}, "logit_bias");
}

TEST_CASE("an error says what was expected and what was found") {
  CHECK(Sampler::create({.temperature = -1}).error().message() == "temperature must be 0..100, got -1");
}
