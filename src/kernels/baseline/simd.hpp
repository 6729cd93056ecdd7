// SPDX-License-Identifier: MIT
// Float vocabulary of the baseline: eight lanes as two vectors of four. On x86-64 that is SSE2, which has neither a fused
// multiply-add nor half floats, so both are made from exact steps (fma below); elsewhere it is plain C, and ARMv8.0's
// own fmadd is used. Slow next to the other levels, and the same bits.
#ifndef LOQUAT_KERNELS_BASELINE_SIMD_HPP
#define LOQUAT_KERNELS_BASELINE_SIMD_HPP

#include <loquat/config.hpp>

#if defined(__SSE2__) || defined(_M_X64)
#include "kernels/baseline/four_sse2.hpp"
#else
#include "kernels/baseline/four_plain.hpp"
#endif

namespace loquat::inline LOQUAT_ABI::kernels::baseline {
namespace {

struct EightLanes {
  using Four = FourLanes::F32;
  struct F32 {
    Four low, high;
    friend F32 operator+(F32 a, F32 b) noexcept { return {a.low + b.low, a.high + b.high}; }
    friend F32 operator-(F32 a, F32 b) noexcept { return {a.low - b.low, a.high - b.high}; }
    friend F32 operator*(F32 a, F32 b) noexcept { return {a.low * b.low, a.high * b.high}; }
    friend F32 operator/(F32 a, F32 b) noexcept { return {a.low / b.low, a.high / b.high}; }
  };
  static constexpr std::size_t kLanes = 8;
  static constexpr std::size_t kAccumulators = 4;  // 8 of 16 registers; the emulated fma needs the rest
  static constexpr std::size_t kTileRows = 2;

  static F32 splat(float x) noexcept { return {FourLanes::splat(x), FourLanes::splat(x)}; }
  static F32 load(const float* from) noexcept { return {FourLanes::load(from), FourLanes::load(from + 4)}; }
  static void store(float* to, F32 x) noexcept {
    FourLanes::store(to, x.low);
    FourLanes::store(to + 4, x.high);
  }
  static F32 load_first(const float* from, std::size_t count) noexcept {
    if (count >= kLanes) return load(from);
    float lanes[kLanes] = {};
    for (std::size_t i = 0; i < count; ++i) lanes[i] = from[i];
    return load(lanes);
  }
  static void store_first(float* to, F32 x, std::size_t count) noexcept {
    if (count >= kLanes) return store(to, x);
    float lanes[kLanes];
    store(lanes, x);
    for (std::size_t i = 0; i < count; ++i) to[i] = lanes[i];
  }
  static F32 fma(F32 a, F32 b, F32 c) noexcept {
    return {FourLanes::fma(a.low, b.low, c.low), FourLanes::fma(a.high, b.high, c.high)};
  }
  static F32 min(F32 a, F32 b) noexcept { return {FourLanes::min(a.low, b.low), FourLanes::min(a.high, b.high)}; }
  static F32 max(F32 a, F32 b) noexcept { return {FourLanes::max(a.low, b.low), FourLanes::max(a.high, b.high)}; }
  static F32 sqrt(F32 x) noexcept { return {FourLanes::sqrt(x.low), FourLanes::sqrt(x.high)}; }
  static F32 negate(F32 x) noexcept { return {FourLanes::negate(x.low), FourLanes::negate(x.high)}; }
  static F32 negate_even(F32 x) noexcept { return {FourLanes::negate_even(x.low), FourLanes::negate_even(x.high)}; }
  static F32 swap_neighbours(F32 x) noexcept {
    return {FourLanes::swap_neighbours(x.low), FourLanes::swap_neighbours(x.high)};
  }
  static F32 double_low_half(F32 x) noexcept {
    return {FourLanes::interleave_low(x.low, x.low), FourLanes::interleave_high(x.low, x.low)};
  }
  static F32 keep_first(F32 x, std::size_t count, F32 other) noexcept {
    float lanes[kLanes];
    store(lanes, other);
    store_first(lanes, x, count);
    return load(lanes);
  }
  static F32 load_half(const std::byte* from) noexcept {
    return {FourLanes::load_half(from), FourLanes::load_half(from + 8)};
  }
  static void store_half(std::byte* to, F32 x) noexcept {
    float lanes[kLanes];
    store(lanes, x);
    for (std::size_t i = 0; i < kLanes; ++i) loquat::store(to + 2 * i, float_to_half(lanes[i]));
  }
  static F32 load_bfloat(const std::byte* from) noexcept {
    return {FourLanes::load_bfloat(from), FourLanes::load_bfloat(from + 8)};
  }
  static F32 scale_by_power(F32 p, F32 shifted) noexcept {
    return {FourLanes::scale_by_power(p.low, shifted.low), FourLanes::scale_by_power(p.high, shifted.high)};
  }
  // sum8 of kernels.hpp: ((l0+l4)+(l2+l6)) + ((l1+l5)+(l3+l7)).
  static float fold(F32 x) noexcept {
    float sum[4];
    FourLanes::store(sum, x.low + x.high);
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
  }
  static float largest(F32 x) noexcept {
    float lane[4];
    FourLanes::store(lane, FourLanes::max(x.low, x.high));
    const float a = lane[0] > lane[1] ? lane[0] : lane[1];
    const float b = lane[2] > lane[3] ? lane[2] : lane[3];
    return a > b ? a : b;
  }
  static F32 add_eights(F32 sum, F32 x) noexcept { return sum + x; }
  static void transpose(F32 (&row)[8]) noexcept {
    float lanes[kLanes][kLanes];
    float turned[kLanes][kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) store(lanes[i], row[i]);
    for (std::size_t i = 0; i < kLanes; ++i) {
      for (std::size_t j = 0; j < kLanes; ++j) turned[i][j] = lanes[j][i];
    }
    for (std::size_t i = 0; i < kLanes; ++i) row[i] = load(turned[i]);
  }
};

/// What the algorithms of kernels/generic are given.
struct Simd {
  using Eight = EightLanes;
  using Wide = EightLanes;
};

}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels::baseline

#endif  // LOQUAT_KERNELS_BASELINE_SIMD_HPP
