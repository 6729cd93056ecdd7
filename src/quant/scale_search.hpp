// SPDX-License-Identifier: MIT
// Finding scales for the quantizers: extremes of a block, rounding to codes, and least-squares fits.
//
// A fit tries a few scales around the one that maps the extreme value to the last code, rounds the values with each,
// and solves for the scale (and offset) with the smallest squared error for those codes. Sums are double, so that
// values up to the largest float do not overflow. Nothing here depends on importance weights.
#ifndef LOQUAT_QUANT_SCALE_SEARCH_HPP
#define LOQUAT_QUANT_SCALE_SEARCH_HPP

#include <loquat/config.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/half.hpp"

namespace loquat::inline LOQUAT_ABI {

/// The value of largest magnitude, with its sign; the first of several. NaN is passed over.
float extreme_value(const float* x, std::size_t n) noexcept;

struct ValueRange {
  float lowest;
  float highest;
};
ValueRange value_range(const float* x, std::size_t n) noexcept;

/// 1 / value, and 0 for 0.
inline float reciprocal_or_zero(float value) noexcept {
  return value != 0 ? 1.0f / value : 0.0f;
}

/// The whole part of a value, cut to 0..highest. NaN gives 0.
inline std::uint8_t truncate_to_code(float value, int highest) noexcept {
  if (value >= static_cast<float>(highest)) return static_cast<std::uint8_t>(highest);
  return value > 0 ? static_cast<std::uint8_t>(value) : std::uint8_t{0};
}

/// Rounds half to even, cut to lowest..highest. NaN gives `lowest`.
inline int round_to_code(float value, int lowest, int highest) noexcept {
  if (!(value > static_cast<float>(lowest))) return lowest;
  if (value > static_cast<float>(highest)) return highest;
  return static_cast<int>(std::nearbyint(value));
}

/// A scale as f16; beyond the range the largest finite one.
inline std::uint16_t to_finite_half(float value) noexcept {
  const float limit = 65504.0f;
  return float_to_half(value > limit ? limit : value < -limit ? -limit : value);
}

/// The scale s of either sign for which s * code, lowest <= code <= highest, is nearest to x [n].
///
/// Requires  lowest < 0 < highest, -lowest >= highest
float fit_scale(const float* x, std::size_t n, int lowest, int highest) noexcept;

struct OffsetFit {
  float scale;    ///< not negative
  float minimum;  ///< not negative
};
/// The scale and minimum for which scale * code - minimum, 0 <= code <= highest, is nearest to x [n].
OffsetFit fit_scale_and_minimum(const float* x, std::size_t n, int highest) noexcept;

/// Index of the entry of an ascending table [16] that is nearest to value.
std::uint8_t nearest_of_sixteen(const std::int8_t* table, float value) noexcept;
/// The scale s for which s * table[code] is nearest to x [n].
float fit_table_scale(const float* x, std::size_t n, const std::int8_t* table) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_SCALE_SEARCH_HPP
