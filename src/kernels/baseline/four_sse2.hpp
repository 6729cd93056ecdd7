// SPDX-License-Identifier: MIT
// Four lanes in SSE2. What the instruction set lacks is made from exact steps.
//
// fma(a, b, c): the product of two floats is exact in double. s = a*b + c in double is rounded once, and rounding s to
// float rounds again; the result can only be wrong where s lies exactly in the middle of two floats (its low 29 bits are
// 1 0...0) or the result is below the normal floats. There, and only there, s is rounded to odd instead: if the sum was
// inexact (its error comes from Knuth's two-sum) and the last bit of s is even, s moves one step towards the error. A
// number rounded to odd with at least two bits more than the target then rounds to the right float (Boldo and
// Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
#ifndef LOQUAT_KERNELS_BASELINE_FOUR_SSE2_HPP
#define LOQUAT_KERNELS_BASELINE_FOUR_SSE2_HPP

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>
#include <xsimd/xsimd.hpp>

#include "base/bytes.hpp"
#include "base/half.hpp"
#include "kernels/generic/exp_constants.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::baseline {
namespace {
struct FourArch : xsimd::sse2 {};
}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels::baseline

namespace xsimd::types {
XSIMD_DECLARE_SIMD_REGISTER_ALIAS(loquat::kernels::baseline::FourArch, sse2);
}

namespace loquat::inline LOQUAT_ABI::kernels::baseline {
namespace {

struct FourLanes {
  using F32 = xsimd::batch<float, FourArch>;

  static F32 splat(float x) noexcept { return F32(x); }
  static F32 load(const float* from) noexcept { return F32(_mm_loadu_ps(from)); }
  static void store(float* to, F32 x) noexcept { _mm_storeu_ps(to, x); }
  // The second operand where one is NaN.
  static F32 min(F32 a, F32 b) noexcept { return F32(_mm_min_ps(a, b)); }
  static F32 max(F32 a, F32 b) noexcept { return F32(_mm_max_ps(a, b)); }
  static F32 sqrt(F32 x) noexcept { return F32(_mm_sqrt_ps(x)); }
  static F32 negate(F32 x) noexcept { return F32(_mm_xor_ps(x, _mm_set1_ps(-0.0f))); }
  static F32 negate_even(F32 x) noexcept { return F32(_mm_xor_ps(x, _mm_setr_ps(-0.0f, 0, -0.0f, 0))); }
  static F32 swap_neighbours(F32 x) noexcept { return F32(_mm_shuffle_ps(x, x, 0xB1)); }
  static F32 interleave_low(F32 a, F32 b) noexcept { return F32(_mm_unpacklo_ps(a, b)); }
  static F32 interleave_high(F32 a, F32 b) noexcept { return F32(_mm_unpackhi_ps(a, b)); }

  static F32 fma(F32 a, F32 b, F32 c) noexcept {
    const __m128d low_product = _mm_mul_pd(low_double(a), low_double(b));
    const __m128d high_product = _mm_mul_pd(high_double(a), high_double(b));
    const __m128d low_sum = _mm_add_pd(low_product, low_double(c));
    const __m128d high_sum = _mm_add_pd(high_product, high_double(c));
    const __m128 result = to_float(low_sum, high_sum);
    if (!needs_odd(low_sum, high_sum, result)) return F32(result);
    return F32(to_float(round_to_odd(low_product, low_double(c), low_sum),
                        round_to_odd(high_product, high_double(c), high_sum)));
  }

  // Shifting a half left by 13 leaves its exponent 112 too small: a product with 2^112 mends that, subnormals included.
  // Infinity and NaN get all exponent bits.
  static F32 load_half(const std::byte* from) noexcept {
    const __m128i code = load_four_words(from);
    const __m128i magnitude = _mm_and_si128(code, _mm_set1_epi32(0x7FFF));
    const __m128i sign = _mm_slli_epi32(_mm_xor_si128(code, magnitude), 16);
    const __m128 value = _mm_mul_ps(_mm_castsi128_ps(_mm_slli_epi32(magnitude, 13)), _mm_set1_ps(0x1p112f));
    const __m128i is_special = _mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x7BFF));
    const __m128i special = _mm_and_si128(is_special, _mm_set1_epi32(0x7F800000));
    return F32(_mm_castsi128_ps(_mm_or_si128(_mm_castps_si128(value), _mm_or_si128(sign, special))));
  }
  static F32 load_bfloat(const std::byte* from) noexcept {
    return F32(_mm_castsi128_ps(_mm_slli_epi32(load_four_words(from), 16)));
  }
  // p * 2^n in two exact halves (generic/exp_constants.hpp).
  static F32 scale_by_power(F32 p, F32 shifted) noexcept {
    const __m128i n = _mm_sub_epi32(_mm_castps_si128(shifted), _mm_set1_epi32(exp_constants::kRounderBits));
    const __m128i half = _mm_srai_epi32(n, 1);
    return (p * power(half)) * power(_mm_sub_epi32(n, half));
  }

 private:
  static __m128d low_double(__m128 x) noexcept { return _mm_cvtps_pd(x); }
  static __m128d high_double(__m128 x) noexcept { return _mm_cvtps_pd(_mm_movehl_ps(x, x)); }
  static __m128 to_float(__m128d low, __m128d high) noexcept {
    return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
  }
  static __m128i load_four_words(const std::byte* from) noexcept {
    return _mm_unpacklo_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)), _mm_setzero_si128());
  }
  static F32 power(__m128i exponent) noexcept {
    return F32(_mm_castsi128_ps(_mm_slli_epi32(_mm_add_epi32(exponent, _mm_set1_epi32(127)), 23)));
  }

  /// True if a sum is in the middle of two floats, or a result is at most the smallest normal float.
  static bool needs_odd(__m128d low, __m128d high, __m128 result) noexcept {
    const __m128i last_words = _mm_castps_si128(_mm_shuffle_ps(_mm_castpd_ps(low), _mm_castpd_ps(high), 0x88));
    const __m128i cut = _mm_and_si128(last_words, _mm_set1_epi32(0x1FFFFFFF));
    const __m128i is_middle = _mm_cmpeq_epi32(cut, _mm_set1_epi32(0x10000000));
    const __m128i magnitude = _mm_and_si128(_mm_castps_si128(result), _mm_set1_epi32(0x7FFFFFFF));
    const __m128i is_small = _mm_cmplt_epi32(magnitude, _mm_set1_epi32(0x00800001));
    return _mm_movemask_epi8(_mm_or_si128(is_middle, is_small)) != 0;
  }

  /// sum = a + b rounded to nearest; the same rounded to odd. Infinities and NaN stay: their error compares false.
  static __m128d round_to_odd(__m128d a, __m128d b, __m128d sum) noexcept {
    const __m128d zero = _mm_setzero_pd();
    const __m128d b_part = _mm_sub_pd(sum, a);
    const __m128d error = _mm_add_pd(_mm_sub_pd(a, _mm_sub_pd(sum, b_part)), _mm_sub_pd(b, b_part));
    const __m128d is_above = _mm_cmpgt_pd(error, zero);
    const __m128d is_below = _mm_cmplt_pd(error, zero);
    const __m128d is_negative = _mm_cmplt_pd(sum, zero);
    const __m128d grows = _mm_or_pd(_mm_andnot_pd(is_negative, is_above), _mm_and_pd(is_negative, is_below));
    const __m128d shrinks = _mm_or_pd(_mm_and_pd(is_negative, is_above), _mm_andnot_pd(is_negative, is_below));
    const __m128i one = _mm_set_epi32(0, 1, 0, 1);
    const __m128i step = _mm_or_si128(_mm_and_si128(_mm_castpd_si128(grows), one), _mm_castpd_si128(shrinks));
    const __m128i bits = _mm_castpd_si128(sum);
    const __m128i is_even = _mm_sub_epi64(_mm_and_si128(bits, one), one);  // all ones where the last bit is 0
    return _mm_castsi128_pd(_mm_add_epi64(bits, _mm_and_si128(step, is_even)));
  }
};

}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels::baseline

#endif  // LOQUAT_KERNELS_BASELINE_FOUR_SSE2_HPP
