// SPDX-License-Identifier: MIT
// Four lanes in plain C, for machines without a vocabulary of their own. Loops over four lanes are what compilers turn
// into vector instructions by themselves; fma is the machine's (ARMv8.0 has it) or libm's.
#ifndef LOQUAT_KERNELS_BASELINE_FOUR_PLAIN_HPP
#define LOQUAT_KERNELS_BASELINE_FOUR_PLAIN_HPP

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/half.hpp"
#include "kernels/generic/exp_constants.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::baseline {
namespace {

struct FourLanes {
  struct F32 {
    float lane[4];
    friend F32 operator+(F32 a, F32 b) noexcept {
      return each(a, b, [](float x, float y) { return x + y; });
    }
    friend F32 operator-(F32 a, F32 b) noexcept {
      return each(a, b, [](float x, float y) { return x - y; });
    }
    friend F32 operator*(F32 a, F32 b) noexcept {
      return each(a, b, [](float x, float y) { return x * y; });
    }
    friend F32 operator/(F32 a, F32 b) noexcept {
      return each(a, b, [](float x, float y) { return x / y; });
    }
  };

  /// step(a, b) in each lane.
  template <class Step>
  static F32 each(F32 a, F32 b, const Step& step) noexcept {
    F32 y;
    for (int i = 0; i < 4; ++i) y.lane[i] = step(a.lane[i], b.lane[i]);
    return y;
  }

  static F32 splat(float x) noexcept { return {{x, x, x, x}}; }
  // By memcpy, since weights need not be aligned.
  static F32 load(const float* from) noexcept { return loquat::load<F32>(from); }
  static void store(float* to, F32 x) noexcept { loquat::store(to, x); }
  // The second operand where one is NaN.
  static F32 min(F32 a, F32 b) noexcept {
    return each(a, b, [](float x, float y) { return x < y ? x : y; });
  }
  static F32 max(F32 a, F32 b) noexcept {
    return each(a, b, [](float x, float y) { return x > y ? x : y; });
  }
  static F32 sqrt(F32 x) noexcept {
    return each(x, x, [](float a, float) { return std::sqrt(a); });
  }
  static F32 negate(F32 x) noexcept {
    return each(x, x, [](float a, float) { return -a; });
  }
  static F32 negate_even(F32 x) noexcept { return {{-x.lane[0], x.lane[1], -x.lane[2], x.lane[3]}}; }
  static F32 swap_neighbours(F32 x) noexcept { return {{x.lane[1], x.lane[0], x.lane[3], x.lane[2]}}; }
  static F32 interleave_low(F32 a, F32 b) noexcept { return {{a.lane[0], b.lane[0], a.lane[1], b.lane[1]}}; }
  static F32 interleave_high(F32 a, F32 b) noexcept { return {{a.lane[2], b.lane[2], a.lane[3], b.lane[3]}}; }
  static F32 fma(F32 a, F32 b, F32 c) noexcept {
    F32 sum;
    for (int i = 0; i < 4; ++i) sum.lane[i] = std::fma(a.lane[i], b.lane[i], c.lane[i]);
    return sum;
  }
  static F32 load_half(const std::byte* from) noexcept {
    F32 x;
    for (std::size_t i = 0; i < 4; ++i) x.lane[i] = half_to_float(loquat::load<std::uint16_t>(from + 2 * i));
    return x;
  }
  static F32 load_bfloat(const std::byte* from) noexcept {
    F32 x;
    for (std::size_t i = 0; i < 4; ++i) x.lane[i] = bfloat_to_float(loquat::load<std::uint16_t>(from + 2 * i));
    return x;
  }
  // p * 2^n in two exact halves (generic/exp_constants.hpp). Unsigned, since the bits of a NaN give any n.
  static F32 scale_by_power(F32 p, F32 shifted) noexcept {
    return each(p, shifted, [](float x, float y) {
      const auto n =
          static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(y) - std::uint32_t{exp_constants::kRounderBits});
      const std::int32_t half = n >> 1;
      return (x * power(half)) * power(n - half);
    });
  }

 private:
  static float power(std::int32_t exponent) noexcept {
    return std::bit_cast<float>((static_cast<std::uint32_t>(exponent) + 127u) << 23);
  }
};

}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels::baseline

#endif  // LOQUAT_KERNELS_BASELINE_FOUR_PLAIN_HPP
