// SPDX-License-Identifier: MIT
// Vocabulary of the quantized kernels on SSE2: one vector is a quarter of a panel, 4 rows. There is no product of bytes:
// codes and activations are widened to 16 bits and pmaddwd adds pairs of products to 32 bits, exactly. Two registers hold
// the sums of two rows each, in halves that are added at the end of a block. Floats are FourLanes, whose fma is exact.
#ifndef LOQUAT_KERNELS_BASELINE_QUANTIZED_SSE2_HPP
#define LOQUAT_KERNELS_BASELINE_QUANTIZED_SSE2_HPP

#include <emmintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/baseline/four_sse2.hpp"
#include "kernels/generic/compiler.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::baseline {
namespace {

struct QuantizedIntegers {
  using Bytes = __m128i;
  using Int = __m128i;

  // -- Bytes --
  static Bytes load_bytes(const uint8_t* p) noexcept { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
  static void store_bytes(uint8_t* p, Bytes v) noexcept { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v); }
  static Bytes splat_byte(uint8_t v) noexcept { return _mm_set1_epi8(static_cast<char>(v)); }
  static Bytes and_bytes(Bytes a, Bytes b) noexcept { return _mm_and_si128(a, b); }
  static Bytes or_bytes(Bytes a, Bytes b) noexcept { return _mm_or_si128(a, b); }
  static Bytes shift_left(Bytes v, int n) noexcept { return _mm_slli_epi16(v, n); }
  static Bytes shift_right(Bytes v, int n) noexcept { return _mm_srli_epi16(v, n); }
  static void prefetch(const uint8_t* p) noexcept { _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0); }

  // -- Whole numbers --
  static Int zero_int() noexcept { return _mm_setzero_si128(); }
  static Int splat_int(const void* p) noexcept {
    int32_t v;
    memcpy(&v, p, sizeof v);
    return _mm_set1_epi32(v);
  }
  static Int add_int(Int a, Int b) noexcept { return _mm_add_epi32(a, b); }
  static Int max_int(Int a, Int b) noexcept {
    const Int is_greater = _mm_cmpgt_epi32(a, b);
    return _mm_or_si128(_mm_and_si128(is_greater, a), _mm_andnot_si128(is_greater, b));
  }
  static Int magnitude(__m128 v) noexcept { return _mm_and_si128(_mm_castps_si128(v), _mm_set1_epi32(0x7FFFFFFF)); }
  static int32_t reduce_max(Int v) noexcept {
    v = max_int(v, _mm_shuffle_epi32(v, 0x4E));
    return _mm_cvtsi128_si32(max_int(v, _mm_shuffle_epi32(v, 0xB1)));
  }
  static int32_t reduce_add(Int v) noexcept {
    v = add_int(v, _mm_shuffle_epi32(v, 0x4E));
    return _mm_cvtsi128_si32(add_int(v, _mm_shuffle_epi32(v, 0xB1)));
  }
  /// Nearest whole number, even at ties, within -127..127; NaN is -127 since maxps returns its second operand.
  static Int round_to_code(__m128 v) noexcept {
    return _mm_cvtps_epi32(_mm_min_ps(_mm_max_ps(v, _mm_set1_ps(-127.0f)), _mm_set1_ps(127.0f)));
  }
  static void store_codes(int8_t* p, Int v) noexcept {
    const Int words = _mm_packs_epi32(v, v);
    const int32_t bytes = _mm_cvtsi128_si32(_mm_packs_epi16(words, words));
    memcpy(p, &bytes, sizeof bytes);
  }

  // -- Floats from whole numbers --
  static __m128 to_float(Int v) noexcept { return _mm_cvtepi32_ps(v); }
  static __m128 load_u8(const uint8_t* p) noexcept {
    const Int words = _mm_unpacklo_epi8(load_four(p), _mm_setzero_si128());
    return _mm_cvtepi32_ps(_mm_unpacklo_epi16(words, _mm_setzero_si128()));
  }
  static __m128 load_i8(const uint8_t* p) noexcept {
    const Int words = _mm_unpacklo_epi8(_mm_setzero_si128(), load_four(p));
    return _mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(_mm_setzero_si128(), words), 24));
  }

  // -- Products of codes --
  template <int kOffset>
  struct DotOf {
    Int low;   ///< rows 0 and 1, two sums each
    Int high;  ///< rows 2 and 3

    LOQUAT_KERNEL_INLINE void start(const uint8_t*) noexcept { low = high = zero_int(); }
    LOQUAT_KERNEL_INLINE void step(size_t, Bytes code, const uint8_t* four) noexcept {
      const Int bytes = splat_int(four);
      const Int x = _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);  // the four activations, twice
      low = add_int(low, _mm_madd_epi16(_mm_unpacklo_epi8(code, _mm_setzero_si128()), x));
      high = add_int(high, _mm_madd_epi16(_mm_unpackhi_epi8(code, _mm_setzero_si128()), x));
      LOQUAT_KEEP_CHAIN(low);
      LOQUAT_KEEP_CHAIN(high);
    }
    LOQUAT_KERNEL_INLINE Int total(const uint8_t* p) const noexcept {
      const __m128 a = _mm_castsi128_ps(low), b = _mm_castsi128_ps(high);
      const Int even = _mm_castps_si128(_mm_shuffle_ps(a, b, 0x88)), odd = _mm_castps_si128(_mm_shuffle_ps(a, b, 0xDD));
      const Int sum = add_int(even, odd);
      return kOffset == 0 ? sum : add_int(sum, _mm_srai_epi32(splat_int(p), kShift));
    }

   private:
    static constexpr int kShift = kOffset == 8 ? 4 : kOffset == 16 ? 3 : kOffset == 32 ? 2 : 0;  // of -128 * sum
  };

 private:
  static Int load_four(const uint8_t* p) noexcept {
    int32_t v;
    memcpy(&v, p, sizeof v);
    return _mm_cvtsi32_si128(v);
  }
};

}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels::baseline

#endif  // LOQUAT_KERNELS_BASELINE_QUANTIZED_SSE2_HPP
