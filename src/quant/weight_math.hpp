// SPDX-License-Identifier: MIT
// What one unpacked block of weights is worth: as values, and in a dot with a block of activations. Like weight_block.hpp
// not for the units of the kernel levels.
#ifndef LOQUAT_QUANT_WEIGHT_MATH_HPP
#define LOQUAT_QUANT_WEIGHT_MATH_HPP

#include <loquat/config.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "quant/canonical.hpp"
#include "quant/weight_block.hpp"

namespace loquat::inline LOQUAT_ABI {

/// values [32] of one block. Every product and sum is rounded to f32, as the published definitions have it.
template <WeightForm form>
inline void to_values(const WeightBlock& weights, float* values) noexcept {
  for (std::size_t i = 0; i < kWeightBlock; ++i) {
    const float code = weights.codes[i];
    float scale = weights.scale;
    if constexpr (form == WeightForm::half_scales || form == WeightForm::half_offsets) {
      scale = weights.scale * static_cast<float>(weights.half_scale[i / 16]);
    }
    values[i] = scale * code;
    if constexpr (form == WeightForm::scale_offset) values[i] += weights.offset;
    if constexpr (form == WeightForm::half_offsets) {
      values[i] += weights.offset * static_cast<float>(weights.half_offset[i / 16]);
    }
  }
}

/// Exact: at most 16 * 128 * 127 < 2^18.
inline std::int32_t dot_half(const std::int8_t* weights, const std::int8_t* activations) noexcept {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < 16; ++i) sum += std::int32_t{weights[i]} * std::int32_t{activations[i]};
  return sum;
}

inline std::int32_t sum_half(const std::int8_t* activations) noexcept {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < 16; ++i) sum += activations[i];
  return sum;
}

/// acc with one block of 32 added, in the order of canonical.hpp.
template <WeightForm form>
float accumulate(const WeightBlock& weights, const ActivationBlock& x, float acc) noexcept {
  const std::int32_t sum0 = dot_half(weights.codes, x.codes);
  const std::int32_t sum1 = dot_half(weights.codes + 16, x.codes + 16);
  if constexpr (form == WeightForm::scale || form == WeightForm::scale_offset) {
    acc = std::fma(weights.scale * x.scale, static_cast<float>(sum0 + sum1), acc);
  } else {
    const std::int32_t sum = weights.half_scale[0] * sum0 + weights.half_scale[1] * sum1;
    acc = std::fma(weights.scale * x.scale, static_cast<float>(sum), acc);
  }
  if constexpr (form == WeightForm::scale_offset) {
    acc = std::fma(weights.offset, x.scale * static_cast<float>(x.sum), acc);
  }
  if constexpr (form == WeightForm::half_offsets) {
    const std::int32_t sum =
        weights.half_offset[0] * sum_half(x.codes) + weights.half_offset[1] * sum_half(x.codes + 16);
    acc = std::fma(weights.offset, x.scale * static_cast<float>(sum), acc);
  }
  return acc;
}

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_WEIGHT_MATH_HPP
