// SPDX-License-Identifier: MIT
// Vocabulary of the quantized kernels on AVX2, FMA and F16C: one vector is half a panel, 8 rows.
//
// vpmaddubsw multiplies unsigned by signed bytes and adds pairs to 16 bits with saturation, so the widths decide how many
// steps of 4 k may be summed in 16 bits before vpmaddwd widens (activations are within -127..127; a step adds 2 products):
//   4 bits   8 steps   8 * 2 * 15 * 127 = 30480          6 bits   2 steps   2 * 2 * 63 * 127 = 32004
//   5 bits   4 steps   4 * 2 * 31 * 127 = 31496          8 bits   1 step    2 * 128 * 127    = 32512, with the sign of
//                                                                           the weight moved to the activation (vpsignb)
// Register tile: 8 rows x 4 columns = 4 accumulators + 4 sums + weights, activations, ones: 11 to 15 of 16 registers.
#ifndef LOQUAT_KERNELS_AVX2_QUANTIZED_SIMD_HPP
#define LOQUAT_KERNELS_AVX2_QUANTIZED_SIMD_HPP

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/generic/compiler.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::avx2 {
namespace {

struct QuantizedSimd {
  using Bytes = __m256i;
  using Int = __m256i;
  using Float = __m256;
  static constexpr size_t kLanes = 8;
  static constexpr size_t kParts = 2;  ///< vectors in a panel's 64 bytes
  static constexpr size_t kTileVectors = 1, kTileColumns = 4;
  static constexpr bool kHasFewColumns = true;
  static constexpr size_t kFewVectors = 4;    ///< accumulators of the few-column path
  static constexpr size_t kChunkBlocks = 16;  ///< 2 x 16 x 576 bytes of 32 KB L1
  static constexpr int kStartUnit = 8;

  // -- Bytes --
  static Bytes load_bytes(const uint8_t* p) noexcept { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
  static void store_bytes(uint8_t* p, Bytes v) noexcept { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
  static Bytes splat_byte(uint8_t v) noexcept { return _mm256_set1_epi8(static_cast<char>(v)); }
  static Bytes and_bytes(Bytes a, Bytes b) noexcept { return _mm256_and_si256(a, b); }
  static Bytes or_bytes(Bytes a, Bytes b) noexcept { return _mm256_or_si256(a, b); }
  static Bytes shift_left(Bytes v, int n) noexcept { return _mm256_slli_epi16(v, n); }
  static Bytes shift_right(Bytes v, int n) noexcept { return _mm256_srli_epi16(v, n); }
  static void prefetch(const uint8_t* p) noexcept { _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0); }

  // -- Floats --
  static Float zero() noexcept { return _mm256_setzero_ps(); }
  static Float load(const void* p) noexcept { return _mm256_loadu_ps(static_cast<const float*>(p)); }
  static void store(void* p, Float v) noexcept { _mm256_storeu_ps(static_cast<float*>(p), v); }
  static Float splat(const void* p) noexcept { return _mm256_castsi256_ps(splat_int(p)); }
  static Float load_half(const uint8_t* p) noexcept {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static Float load_u8(const uint8_t* p) noexcept {
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
  }
  static Float load_i8(const uint8_t* p) noexcept {
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
  }
  static Float mul(Float a, Float b) noexcept { return _mm256_mul_ps(a, b); }
  static Float fma(Float a, Float b, Float c) noexcept { return _mm256_fmadd_ps(a, b, c); }
  static Float fma_exact(Float a, Float b, Float c) noexcept { return fma(a, b, c); }
  static Float negate(Float v) noexcept { return _mm256_xor_ps(v, _mm256_set1_ps(-0.0f)); }
  static Float to_float(Int v) noexcept { return _mm256_cvtepi32_ps(v); }

  // -- Whole numbers --
  static Int zero_int() noexcept { return _mm256_setzero_si256(); }
  static Int splat_int(const void* p) noexcept {
    int32_t v;
    memcpy(&v, p, sizeof v);
    return _mm256_set1_epi32(v);
  }
  static Int add_int(Int a, Int b) noexcept { return _mm256_add_epi32(a, b); }
  static Int max_int(Int a, Int b) noexcept { return _mm256_max_epi32(a, b); }
  static Int magnitude(Float v) noexcept {
    return _mm256_and_si256(_mm256_castps_si256(v), _mm256_set1_epi32(0x7FFFFFFF));
  }
  static int32_t reduce_max(Int v) noexcept {
    __m128i half = _mm_max_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    half = _mm_max_epi32(half, _mm_shuffle_epi32(half, 0x4E));
    return _mm_cvtsi128_si32(_mm_max_epi32(half, _mm_shuffle_epi32(half, 0xB1)));
  }
  static int32_t reduce_add(Int v) noexcept {
    __m128i half = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4E));
    return _mm_cvtsi128_si32(_mm_add_epi32(half, _mm_shuffle_epi32(half, 0xB1)));
  }
  /// Nearest whole number, even at ties, within -127..127; NaN is -127 since vmaxps returns its second operand.
  static Int round_to_code(Float v) noexcept {
    v = _mm256_min_ps(_mm256_max_ps(v, _mm256_set1_ps(-127.0f)), _mm256_set1_ps(127.0f));
    return _mm256_cvtps_epi32(v);
  }
  static void store_codes(int8_t* p, Int v) noexcept {
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi16(words, words));
  }

  // -- Products of codes --

  /// 8-bit codes become signed; narrower ones stay as they are, so that they fit 16-bit sums.
  template <class F>
  static constexpr int record_offset() noexcept {
    return F::kBits == 8 ? 0 : F::kOffset;
  }
  template <class F>
  static Bytes prepare_packed(Bytes code) noexcept {
    return F::kBits == 8 ? _mm256_xor_si256(code, splat_byte(0x80)) : code;
  }
  template <class F>
  static Bytes prepare_record(Bytes code) noexcept {
    return prepare_packed<F>(code);
  }

  template <int kBits, int kOffset>
  struct Dot {
    static constexpr size_t kSpan = kBits == 4 ? 8 : kBits == 5 ? 4 : kBits == 6 ? 2 : 1;  ///< steps summed in 16 bits
    static constexpr bool kIsSigned = kBits == 8;
    Int sum16;
    Int sum;

    LOQUAT_KERNEL_INLINE void start(const uint8_t*) noexcept {
      sum16 = zero_int();
      sum = zero_int();
    }
    LOQUAT_KERNEL_INLINE void step(size_t index, Bytes code, const uint8_t* four) noexcept {
      const Bytes x = splat_int(four);
      const Int products = kIsSigned ? _mm256_maddubs_epi16(_mm256_abs_epi8(code), _mm256_sign_epi8(x, code))
                                     : _mm256_maddubs_epi16(code, x);
      sum16 = index % kSpan == 0 ? products : _mm256_add_epi16(sum16, products);
      LOQUAT_KEEP_CHAIN(sum16);
      if (index % kSpan == kSpan - 1) {
        const Int wide = _mm256_madd_epi16(sum16, _mm256_set1_epi16(1));
        sum = kSpan == 8 ? wide : add_int(sum, wide);
        LOQUAT_KEEP_CHAIN(sum);
      }
    }
    LOQUAT_KERNEL_INLINE Int total(const uint8_t* p) const noexcept {
      if (kIsSigned || kOffset == 0) return sum;
      return add_int(sum, _mm256_slli_epi32(splat_int(p), kOffset == 8 ? 0 : kOffset == 16 ? 1 : 2));
    }
  };
};

}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels::avx2

#endif  // LOQUAT_KERNELS_AVX2_QUANTIZED_SIMD_HPP
