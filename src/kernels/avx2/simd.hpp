// SPDX-License-Identifier: MIT
// Float vocabulary for AVX2 + FMA + F16C: eight lanes. xsimd carries the value type and its plain arithmetic; what must
// be one named instruction (fused multiply-add, conversions, lane moves) is an intrinsic. Latency and ports: Zen 3 / Ice
// Lake, from the vendors' tables.
//
// Everything is in an unnamed namespace and over an architecture tag of its own: no symbol of an object that includes
// this can be mistaken for another level's (docs/kernels.md).
#ifndef LOQUAT_KERNELS_AVX2_SIMD_HPP
#define LOQUAT_KERNELS_AVX2_SIMD_HPP

#include <immintrin.h>
#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>
#include <xsimd/xsimd.hpp>

#include "kernels/generic/exp_constants.hpp"

namespace loquat::inline LOQUAT_ABI::kernels {
namespace {
struct EightArch : xsimd::avx2 {};
}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels

namespace xsimd::types {
XSIMD_DECLARE_SIMD_REGISTER_ALIAS(loquat::kernels::EightArch, avx2);
}

namespace loquat::inline LOQUAT_ABI::kernels {
namespace {

struct EightLanes {
  using F32 = xsimd::batch<float, EightArch>;
  static constexpr std::size_t kLanes = 8;
  static constexpr std::size_t kAccumulators = 12;  // of 16 registers; two hold B, one A
  static constexpr std::size_t kTileRows = 6;

  static F32 splat(float x) noexcept { return F32(x); }
  static F32 load(const float* from) noexcept { return F32(_mm256_loadu_ps(from)); }
  static void store(float* to, F32 x) noexcept { _mm256_storeu_ps(to, x); }
  // Lanes [0, count), the others 0 (load) or untouched (store): vmaskmov, 8 cycles; only at ends of rows.
  static F32 load_first(const float* from, std::size_t count) noexcept {
    return F32(_mm256_maskload_ps(from, first(count)));
  }
  static void store_first(float* to, F32 x, std::size_t count) noexcept { _mm256_maskstore_ps(to, first(count), x); }
  // vfmadd, 4 cycles, two a cycle: a*b + c rounded once.
  static F32 fma(F32 a, F32 b, F32 c) noexcept { return F32(_mm256_fmadd_ps(a, b, c)); }
  // vminps and vmaxps return the second operand where one is NaN; xsimd does not promise that.
  static F32 min(F32 a, F32 b) noexcept { return F32(_mm256_min_ps(a, b)); }
  static F32 max(F32 a, F32 b) noexcept { return F32(_mm256_max_ps(a, b)); }
  static F32 sqrt(F32 x) noexcept { return F32(_mm256_sqrt_ps(x)); }
  static F32 negate(F32 x) noexcept { return F32(_mm256_xor_ps(x, _mm256_set1_ps(-0.0f))); }
  static F32 negate_even(F32 x) noexcept {
    return F32(_mm256_xor_ps(x, _mm256_setr_ps(-0.0f, 0, -0.0f, 0, -0.0f, 0, -0.0f, 0)));
  }
  // vpermilps, 1 cycle: lanes 1 0 3 2 5 4 7 6.
  static F32 swap_neighbours(F32 x) noexcept { return F32(_mm256_permute_ps(x, 0xB1)); }
  // vpermps, 3 cycles: lanes 0 0 1 1 2 2 3 3.
  static F32 double_low_half(F32 x) noexcept {
    return F32(_mm256_permutevar8x32_ps(x, _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3)));
  }
  // Lanes [0, count) of x, the others of `other`.
  static F32 keep_first(F32 x, std::size_t count, F32 other) noexcept {
    return F32(_mm256_blendv_ps(other, x, _mm256_castsi256_ps(first(count))));
  }
  // vcvtph2ps from memory, 1 a cycle; exact. vcvtps2ph rounds to nearest even.
  static F32 load_half(const std::byte* from) noexcept {
    return F32(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
  }
  static void store_half(std::byte* to, F32 x) noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
  }
  // vpmovzxwd + vpslld: a bfloat is the upper half of a float.
  static F32 load_bfloat(const std::byte* from) noexcept {
    const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    return F32(_mm256_castsi256_ps(_mm256_slli_epi32(wide, 16)));
  }
  // p * 2^n in two exact halves; n = the low bits of `shifted`, -150..128 (generic/exp_constants.hpp).
  static F32 scale_by_power(F32 p, F32 shifted) noexcept {
    const __m256i n = _mm256_sub_epi32(_mm256_castps_si256(shifted), _mm256_set1_epi32(exp_constants::kRounderBits));
    const __m256i half = _mm256_srai_epi32(n, 1);
    return (p * power(half)) * power(_mm256_sub_epi32(n, half));
  }
  // sum8 of kernels.hpp: ((l0+l4)+(l2+l6)) + ((l1+l5)+(l3+l7)).
  static float fold(F32 x) noexcept {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }
  static float largest(F32 x) noexcept {
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
  }
  // Adds the eight-lane parts of a vector in ascending order: the step of sum8.
  static F32 add_eights(F32 sum, F32 x) noexcept { return sum + x; }
  // Lane j of row i becomes lane i of row j: 24 shuffles on port 5 for 64 values.
  static void transpose(F32 (&row)[8]) noexcept {
    __m256 pair[8];
    for (int i = 0; i < 4; ++i) {
      pair[2 * i] = _mm256_unpacklo_ps(row[2 * i], row[2 * i + 1]);
      pair[2 * i + 1] = _mm256_unpackhi_ps(row[2 * i], row[2 * i + 1]);
    }
    __m256 quad[8];
    for (int i = 0; i < 2; ++i) {
      quad[4 * i] = _mm256_shuffle_ps(pair[4 * i], pair[4 * i + 2], 0x44);
      quad[4 * i + 1] = _mm256_shuffle_ps(pair[4 * i], pair[4 * i + 2], 0xEE);
      quad[4 * i + 2] = _mm256_shuffle_ps(pair[4 * i + 1], pair[4 * i + 3], 0x44);
      quad[4 * i + 3] = _mm256_shuffle_ps(pair[4 * i + 1], pair[4 * i + 3], 0xEE);
    }
    for (int i = 0; i < 4; ++i) {
      row[i] = F32(_mm256_permute2f128_ps(quad[i], quad[i + 4], 0x20));
      row[i + 4] = F32(_mm256_permute2f128_ps(quad[i], quad[i + 4], 0x31));
    }
  }

 private:
  static __m256i first(std::size_t count) noexcept {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), lane);
  }
  static F32 power(__m256i exponent) noexcept {
    return F32(_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(exponent, _mm256_set1_epi32(127)), 23)));
  }
};

}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels

namespace loquat::inline LOQUAT_ABI::kernels::avx2 {
namespace {
/// What the algorithms of kernels/generic are given.
struct Simd {
  using Eight = EightLanes;
  using Wide = EightLanes;
};
}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels::avx2

#endif  // LOQUAT_KERNELS_AVX2_SIMD_HPP
