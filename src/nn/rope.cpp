// SPDX-License-Identifier: MIT
#include "nn/rope.hpp"

#include <algorithm>
#include <numbers>

#include "base/float_environment.hpp"
#include "base/math.hpp"
#include "threading/parallel.hpp"

namespace loquat::inline LOQUAT_ABI::nn {

namespace {

double round_down(double x) noexcept {  // |x| < 2^31
  const auto whole = static_cast<double>(static_cast<std::int64_t>(x));
  return whole > x ? whole - 1 : whole;
}

// The pair (as a real number) that makes `turns` turns over the original context.
double pair_of_turns(const RopeOptions& options, double turns) noexcept {
  const double d = static_cast<double>(options.rotary);
  const double wavelength = static_cast<double>(options.original_context) / (turns * 2 * std::numbers::pi);
  return d * exact_log(wavelength) / (2 * exact_log(static_cast<double>(options.base)));
}

struct Ramp {
  double low;
  double high;
};

Ramp yarn_ramp(const RopeOptions& options) noexcept {
  const double last = static_cast<double>(options.rotary) - 1;
  const double fast = std::clamp(pair_of_turns(options, static_cast<double>(options.beta_fast)), -1e6, 1e6);
  const double slow = std::clamp(pair_of_turns(options, static_cast<double>(options.beta_slow)), -1e6, 1e6);
  const double low = std::max(round_down(fast), 0.0);
  const double high = std::min(-round_down(-slow), last);
  return {low, low == high ? high + 0.001 : high};
}

double scaled_frequency(const RopeOptions& options, const Ramp& ramp, std::size_t pair, double frequency) noexcept {
  const double factor = static_cast<double>(options.factor);
  if (options.scaling == RopeScaling::none) return frequency;
  if (options.scaling == RopeScaling::linear) return frequency / factor;
  const double position = (static_cast<double>(pair) - ramp.low) / (ramp.high - ramp.low);
  const double divided = std::clamp(position, 0.0, 1.0);
  return frequency / factor * divided + frequency * (1 - divided);
}

}  // namespace

bool make_rope(const RopeOptions& options, kernels::RopeLayout layout, Rope& rope) noexcept {
  const FloatEnvironment default_mode;
  rope.layout = layout;
  rope.rotary = options.rotary;
  if (!rope.frequencies.resize(options.rotary / 2)) return false;
  const bool is_yarn = options.scaling == RopeScaling::yarn;
  const Ramp ramp = is_yarn ? yarn_ramp(options) : Ramp{0, 1};
  for (std::size_t i = 0; i < options.rotary / 2; ++i) {
    const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(options.rotary);
    const double frequency = exact_pow(static_cast<double>(options.base), exponent);
    rope.frequencies[i] = static_cast<float>(scaled_frequency(options, ramp, i, frequency));
  }
  rope.magnitude = options.magnitude;
  return true;
}

void rope_angles(const Context& context, const Rope& rope, std::size_t first_position, std::size_t n_tokens, float* cos,
                 float* sin) noexcept {
  const std::size_t n_pairs = rope.rotary / 2;
  const std::size_t tile_tokens = context.token_tile();
  parallel_tiles(*context.executor, divide_up(n_tokens, tile_tokens), [&](std::size_t tile, std::size_t) {
    const std::size_t end = std::min(n_tokens, (tile + 1) * tile_tokens);
    for (std::size_t t = tile * tile_tokens; t < end; ++t) {
      const auto position = static_cast<double>(first_position + t);
      for (std::size_t i = 0; i < n_pairs; ++i) {
        const float f = rope.factors == nullptr ? rope.frequencies[i] : rope.frequencies[i] / rope.factors[i];
        const SinCos angle = exact_sincos(position * static_cast<double>(f));
        cos[t * n_pairs + i] = static_cast<float>(angle.cos) * rope.magnitude;
        sin[t * n_pairs + i] = static_cast<float>(angle.sin) * rope.magnitude;
      }
    }
  });
}

}  // namespace loquat::inline LOQUAT_ABI::nn
