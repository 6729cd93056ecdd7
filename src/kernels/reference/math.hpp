// SPDX-License-Identifier: MIT
// Scalar steps of the reference level, one IEEE operation at a time.
#ifndef LOQUAT_KERNELS_REFERENCE_MATH_HPP
#define LOQUAT_KERNELS_REFERENCE_MATH_HPP

#include <bit>
#include <cmath>
#include <cstddef>
#include <initializer_list>

#include "base/bytes.hpp"
#include "base/half.hpp"
#include "kernels/generic/exp_constants.hpp"
#include "quant/tensor_type.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::reference {

inline float fma(float a, float b, float c) noexcept {
  return std::fma(a, b, c);
}

/// Below 0.96 ulp; the steps are those of exp_constants.hpp. A NaN passes both comparisons.
inline float exp(float x) noexcept {
  using namespace exp_constants;
  x = kHighest < x ? kHighest : x;
  x = kLowest > x ? kLowest : x;
  const float shifted = fma(x, kLog2E, kRounder);
  const float n = shifted - kRounder;
  const float r = fma(n, kMinusLn2Low, fma(n, kMinusLn2High, x));
  float p = kC6;
  for (const float c : {kC5, kC4, kC3, kC2, 1.0f, 1.0f}) p = fma(p, r, c);
  if (p != p) return p;
  const std::int32_t exponent = std::bit_cast<std::int32_t>(shifted) - kRounderBits;  // -150..128
  const std::int32_t half = exponent >> 1;
  const auto power = [](std::int32_t e) { return std::bit_cast<float>((e + 127) << 23); };
  return (p * power(half)) * power(exponent - half);
}

/// Sum of eight lanes in the order of kernels.hpp.
inline float fold8(const float (&lane)[8]) noexcept {
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/// Value i of a row of F32, F16 or BF16, wherever it lies.
inline float float_at(TensorType type, const std::byte* row, std::size_t i) noexcept {
  if (type == TensorType::f32) return load<float>(row + i * 4);
  const auto code = load<std::uint16_t>(row + i * 2);
  return type == TensorType::f16 ? half_to_float(code) : bfloat_to_float(code);
}

}  // namespace loquat::inline LOQUAT_ABI::kernels::reference

#endif  // LOQUAT_KERNELS_REFERENCE_MATH_HPP
