// SPDX-License-Identifier: MIT
// Vocabulary of the quantized kernels on AVX-512 with VNNI (F, BW, VL, DQ, VNNI): one vector is a whole panel, 16 rows.
//
// vpdpbusd multiplies unsigned by signed bytes and adds four products to each 32-bit sum, without saturation: 64 MACs, 5
// cycles latency, two a cycle where there are two 512-bit ports. Weights are the unsigned operand; a sum over
// (code + offset) starts at -offset * sum(activations), so no offset costs an instruction. Register tile: 2 panels x 6
// columns = 12 integer sums + 12 float accumulators + 2 weights + 1 activation = 27 of 32 registers.
#ifndef LOQUAT_KERNELS_AVX512VNNI_QUANTIZED_SIMD_HPP
#define LOQUAT_KERNELS_AVX512VNNI_QUANTIZED_SIMD_HPP

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/generic/compiler.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::avx512vnni {
namespace {

struct QuantizedSimd {
  using Bytes = __m512i;
  using Int = __m512i;
  using Float = __m512;
  static constexpr size_t kLanes = 16;
  static constexpr size_t kParts = 1;  ///< vectors in a panel's 64 bytes
  static constexpr size_t kTileVectors = 2, kTileColumns = 6;
  static constexpr bool kHasFewColumns = true;
  static constexpr size_t kFewVectors = 8;    ///< accumulators of the few-column path
  static constexpr size_t kChunkBlocks = 24;  ///< 2 x 24 x 576 bytes of 48 KB L1
  static constexpr int kStartUnit = 128;

  // -- Bytes --
  static Bytes load_bytes(const uint8_t* p) noexcept { return _mm512_loadu_si512(p); }
  static void store_bytes(uint8_t* p, Bytes v) noexcept { _mm512_storeu_si512(p, v); }
  static Bytes splat_byte(uint8_t v) noexcept { return _mm512_set1_epi8(static_cast<char>(v)); }
  static Bytes and_bytes(Bytes a, Bytes b) noexcept { return _mm512_and_si512(a, b); }
  static Bytes or_bytes(Bytes a, Bytes b) noexcept { return _mm512_or_si512(a, b); }
  static Bytes shift_left(Bytes v, int n) noexcept { return _mm512_slli_epi16(v, static_cast<unsigned>(n)); }
  static Bytes shift_right(Bytes v, int n) noexcept { return _mm512_srli_epi16(v, static_cast<unsigned>(n)); }
  static void prefetch(const uint8_t* p) noexcept { _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0); }

  // -- Floats --
  static Float zero() noexcept { return _mm512_setzero_ps(); }
  static Float load(const void* p) noexcept { return _mm512_loadu_ps(p); }
  static void store(void* p, Float v) noexcept { _mm512_storeu_ps(p, v); }
  static Float splat(const void* p) noexcept { return _mm512_castsi512_ps(splat_int(p)); }
  static Float load_half(const uint8_t* p) noexcept {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static Float load_u8(const uint8_t* p) noexcept {
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }
  static Float load_i8(const uint8_t* p) noexcept {
    return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
  }
  static Float mul(Float a, Float b) noexcept { return _mm512_mul_ps(a, b); }
  static Float fma(Float a, Float b, Float c) noexcept { return _mm512_fmadd_ps(a, b, c); }
  static Float fma_exact(Float a, Float b, Float c) noexcept { return fma(a, b, c); }
  static Float negate(Float v) noexcept { return _mm512_xor_ps(v, _mm512_set1_ps(-0.0f)); }
  static Float to_float(Int v) noexcept { return _mm512_cvtepi32_ps(v); }

  // -- Whole numbers --
  static Int zero_int() noexcept { return _mm512_setzero_si512(); }
  static Int splat_int(const void* p) noexcept {
    int32_t v;
    memcpy(&v, p, sizeof v);
    return _mm512_set1_epi32(v);
  }
  static Int add_int(Int a, Int b) noexcept { return _mm512_add_epi32(a, b); }
  static Int max_int(Int a, Int b) noexcept { return _mm512_max_epi32(a, b); }
  static Int magnitude(Float v) noexcept {
    return _mm512_and_si512(_mm512_castps_si512(v), _mm512_set1_epi32(0x7FFFFFFF));
  }
  static int32_t reduce_max(Int v) noexcept { return _mm512_reduce_max_epi32(v); }
  static int32_t reduce_add(Int v) noexcept { return _mm512_reduce_add_epi32(v); }
  /// Nearest whole number, even at ties, within -127..127; NaN is -127 since vmaxps returns its second operand.
  static Int round_to_code(Float v) noexcept {
    v = _mm512_min_ps(_mm512_max_ps(v, _mm512_set1_ps(-127.0f)), _mm512_set1_ps(127.0f));
    return _mm512_cvtps_epi32(v);
  }
  static void store_codes(int8_t* p, Int v) noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(v));
  }

  // -- Products of codes --

  /// Codes are unpacked with offset 128 in all formats that have one, so that they share a kernel.
  template <class F>
  static constexpr int record_offset() noexcept {
    return F::kOffset == 0 ? 0 : kStartUnit;
  }
  template <class F>
  static Bytes prepare_packed(Bytes code) noexcept {
    return code;
  }
  template <class F>
  static Bytes prepare_record(Bytes code) noexcept {
    return _mm512_add_epi8(code, splat_byte(static_cast<uint8_t>(record_offset<F>() - F::kOffset)));
  }

  template <int kBits, int kOffset>
  struct Dot {
    Int sum;
    LOQUAT_KERNEL_INLINE void start(const uint8_t* p) noexcept {
      sum = kOffset == 0 ? zero_int() : _mm512_srai_epi32(splat_int(p), kShift);
    }
    LOQUAT_KERNEL_INLINE void step(size_t, Bytes code, const uint8_t* four) noexcept {
      sum = _mm512_dpbusd_epi32(sum, code, splat_int(four));
    }
    LOQUAT_KERNEL_INLINE Int total(const uint8_t*) const noexcept { return sum; }

   private:
    static constexpr unsigned kShift = kOffset == 8 ? 4 : kOffset == 16 ? 3 : kOffset == 32 ? 2 : 0;
  };
};

}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels::avx512vnni

#endif  // LOQUAT_KERNELS_AVX512VNNI_QUANTIZED_SIMD_HPP
