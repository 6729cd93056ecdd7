// SPDX-License-Identifier: MIT
// Frequencies of every scaling kind against the formulas written out with the standard library.
#include "nn/rope.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "nn/fixture.hpp"
#include "support/catch.hpp"

namespace loquat_test {

namespace {

using loquat::nn::Rope;
using loquat::nn::RopeOptions;
using loquat::nn::RopeScaling;

Rope make(const RopeOptions& options) {
  Rope rope(loquat::default_allocator());
  REQUIRE(loquat::nn::make_rope(options, loquat::kernels::RopeLayout::halves, rope));
  return rope;
}

double plain_frequency(const RopeOptions& options, std::size_t i) {
  return std::pow(static_cast<double>(options.base),
                  -2.0 * static_cast<double>(i) / static_cast<double>(options.rotary));
}

/// The definition in transformers' modeling_rope_utils, with ends rounded to whole pairs.
double yarn_frequency(const RopeOptions& options, std::size_t i) {
  const double d = static_cast<double>(options.rotary);
  const auto dimension = [&](double turns) {
    return d * std::log(static_cast<double>(options.original_context) / (turns * 2 * std::numbers::pi)) /
           (2 * std::log(static_cast<double>(options.base)));
  };
  const double low = std::max(std::floor(dimension(static_cast<double>(options.beta_fast))), 0.0);
  double high = std::min(std::ceil(dimension(static_cast<double>(options.beta_slow))), d - 1);
  if (low == high) high += 0.001;
  const double ramp = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
  const double f = plain_frequency(options, i);
  return f / static_cast<double>(options.factor) * ramp + f * (1 - ramp);
}

void check_frequencies(const RopeOptions& options, double (*expected)(const RopeOptions&, std::size_t)) {
  const Rope rope = make(options);
  REQUIRE(rope.frequencies.size() == options.rotary / 2);
  for (std::size_t i = 0; i < rope.frequencies.size(); ++i) {
    INFO("pair " << i);
    CHECK(static_cast<double>(rope.frequencies[i]) == Approx(expected(options, i)).epsilon(1e-7));
  }
}

}  // namespace

TEST_CASE("rotary frequencies are base to the minus 2i/d, for usual and partial widths") {
  for (const std::size_t rotary : {2, 16, 64, 96, 128}) {
    for (const float base : {10000.0f, 100000.0f, 1000000.0f}) {
      check_frequencies({.rotary = rotary, .base = base}, plain_frequency);
    }
  }
}

TEST_CASE("linear scaling divides every frequency") {
  check_frequencies(
      {.rotary = 64, .scaling = RopeScaling::linear, .factor = 8},
      [](const RopeOptions& o, std::size_t i) { return plain_frequency(o, i) / static_cast<double>(o.factor); });
}

TEST_CASE("YaRN keeps fast pairs, divides slow ones, and ramps between whole pairs") {
  check_frequencies({.rotary = 128, .base = 1e6f, .scaling = RopeScaling::yarn, .factor = 4, .original_context = 32768},
                    yarn_frequency);
  check_frequencies(
      {.rotary = 64, .base = 150000, .scaling = RopeScaling::yarn, .factor = 32, .original_context = 4096},
      yarn_frequency);
  check_frequencies({.rotary = 16, .scaling = RopeScaling::yarn, .factor = 4, .original_context = 64}, yarn_frequency);
  // ends that meet, and a context so long that every pair is fast
  check_frequencies({.rotary = 32, .scaling = RopeScaling::yarn, .factor = 4, .original_context = 6}, yarn_frequency);
  check_frequencies({.rotary = 32, .scaling = RopeScaling::yarn, .factor = 4, .original_context = 1e9f},
                    yarn_frequency);
}

TEST_CASE("tables hold cos and sin of position times frequency, scaled, with each pair's own factor") {
  Rope rope = make({.rotary = 8, .magnitude = 1.25f});
  const std::vector<float> factors = {1, 2, 8, 0.5f};
  rope.factors = factors.data();
  ContextFixture fixture(loquat::Level::automatic, 2, 64);
  for (const std::size_t first : {0, 1000, 131000}) {
    const std::size_t n = 37;
    std::vector<float> cos(n * 4);
    std::vector<float> sin(n * 4);
    loquat::nn::rope_angles(fixture.context, rope, first, n, cos.data(), sin.data());
    for (std::size_t i = 0; i < n * 4; ++i) {
      const double angle =
          static_cast<double>(first + i / 4) * static_cast<double>(rope.frequencies[i % 4] / factors[i % 4]);
      CHECK(static_cast<double>(cos[i]) == Approx(1.25 * std::cos(angle)).margin(2e-7));
      CHECK(static_cast<double>(sin[i]) == Approx(1.25 * std::sin(angle)).margin(2e-7));
    }
  }
}

}  // namespace loquat_test
