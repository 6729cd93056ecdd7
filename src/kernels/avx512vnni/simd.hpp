// SPDX-License-Identifier: MIT
// Float vocabulary for AVX-512 (F, BW, VL, DQ): sixteen lanes, and AVX2's eight for what is summed in eight lanes.
// The same division of labour as in avx2/simd.hpp; latencies of Ice Lake and Sapphire Rapids, from the vendor's tables.
#ifndef LOQUAT_KERNELS_AVX512VNNI_SIMD_HPP
#define LOQUAT_KERNELS_AVX512VNNI_SIMD_HPP

#include "kernels/avx2/simd.hpp"

namespace loquat::inline LOQUAT_ABI::kernels {
namespace {
struct SixteenArch : xsimd::avx512bw {};
}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels

namespace xsimd::types {
XSIMD_DECLARE_SIMD_REGISTER_ALIAS(loquat::kernels::SixteenArch, avx512bw);
}

namespace loquat::inline LOQUAT_ABI::kernels {
namespace {

struct SixteenLanes {
  using F32 = xsimd::batch<float, SixteenArch>;
  static constexpr std::size_t kLanes = 16;
  static constexpr std::size_t kAccumulators = 24;  // of 32 registers; four hold B, one A
  static constexpr std::size_t kTileRows = 6;

  static F32 splat(float x) noexcept { return F32(x); }
  static F32 load(const float* from) noexcept { return F32(_mm512_loadu_ps(from)); }
  static void store(float* to, F32 x) noexcept { _mm512_storeu_ps(to, x); }
  // Masked moves touch only lanes [0, count); the others are 0 (load) or stay (store).
  static F32 load_first(const float* from, std::size_t count) noexcept {
    return F32(_mm512_maskz_loadu_ps(first(count), from));
  }
  static void store_first(float* to, F32 x, std::size_t count) noexcept { _mm512_mask_storeu_ps(to, first(count), x); }
  // vfmadd, 4 cycles, two a cycle on server parts: a*b + c rounded once.
  static F32 fma(F32 a, F32 b, F32 c) noexcept { return F32(_mm512_fmadd_ps(a, b, c)); }
  // The second operand where one is NaN.
  static F32 min(F32 a, F32 b) noexcept { return F32(_mm512_min_ps(a, b)); }
  static F32 max(F32 a, F32 b) noexcept { return F32(_mm512_max_ps(a, b)); }
  static F32 sqrt(F32 x) noexcept { return F32(_mm512_sqrt_ps(x)); }
  static F32 negate(F32 x) noexcept { return F32(_mm512_xor_ps(x, _mm512_set1_ps(-0.0f))); }
  static F32 negate_even(F32 x) noexcept { return F32(_mm512_mask_xor_ps(x, 0x5555, x, _mm512_set1_ps(-0.0f))); }
  // vpermilps, 1 cycle: lanes 1 0 3 2 and so on.
  static F32 swap_neighbours(F32 x) noexcept { return F32(_mm512_permute_ps(x, 0xB1)); }
  // vpermps, 3 cycles: lanes 0 0 1 1 to 7 7.
  static F32 double_low_half(F32 x) noexcept {
    return F32(_mm512_permutexvar_ps(_mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7), x));
  }
  // Lanes [0, count) of x, the others of `other`.
  static F32 keep_first(F32 x, std::size_t count, F32 other) noexcept {
    return F32(_mm512_mask_blend_ps(first(count), other, x));
  }
  // vcvtph2ps, exact; vcvtps2ph rounds to nearest even.
  static F32 load_half(const std::byte* from) noexcept {
    return F32(_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
  }
  static void store_half(std::byte* to, F32 x) noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
  }
  // A bfloat is the upper half of a float.
  static F32 load_bfloat(const std::byte* from) noexcept {
    const __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    return F32(_mm512_castsi512_ps(_mm512_slli_epi32(wide, 16)));
  }
  // vscalefps: p * 2^n rounded once, small results included, which is what the two halves of other levels give.
  static F32 scale_by_power(F32 p, F32 shifted) noexcept {
    return F32(_mm512_scalef_ps(p, shifted - splat(exp_constants::kRounder)));
  }
  static float largest(F32 x) noexcept { return EightLanes::largest(EightLanes::max(lower(x), upper(x))); }
  // Adds the eight-lane parts of a vector in ascending order: two steps of sum8.
  static EightLanes::F32 add_eights(EightLanes::F32 sum, F32 x) noexcept { return (sum + lower(x)) + upper(x); }

 private:
  static __mmask16 first(std::size_t count) noexcept {
    return static_cast<__mmask16>((std::uint32_t{1} << (count < kLanes ? count : kLanes)) - 1);
  }
  static EightLanes::F32 lower(F32 x) noexcept { return EightLanes::F32(_mm512_castps512_ps256(x)); }
  static EightLanes::F32 upper(F32 x) noexcept { return EightLanes::F32(_mm512_extractf32x8_ps(x, 1)); }
};

}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels

namespace loquat::inline LOQUAT_ABI::kernels::avx512vnni {
namespace {
/// What the algorithms of kernels/generic are given.
struct Simd {
  using Eight = EightLanes;
  using Wide = SixteenLanes;
};
}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels::avx512vnni

#endif  // LOQUAT_KERNELS_AVX512VNNI_SIMD_HPP
