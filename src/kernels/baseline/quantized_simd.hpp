// SPDX-License-Identifier: MIT
// Vocabulary of the quantized kernels at level "baseline": whole numbers of SSE2 or plain C, floats of FourLanes.
#ifndef LOQUAT_KERNELS_BASELINE_QUANTIZED_SIMD_HPP
#define LOQUAT_KERNELS_BASELINE_QUANTIZED_SIMD_HPP

#if defined(__SSE2__) || defined(_M_X64)
#include "kernels/baseline/quantized_sse2.hpp"
#else
#include "kernels/baseline/quantized_plain.hpp"
#endif

namespace loquat::inline LOQUAT_ABI::kernels::baseline {
namespace {

struct QuantizedSimd : QuantizedIntegers {
  using Float = FourLanes::F32;
  static constexpr size_t kLanes = 4;
  static constexpr size_t kParts = 4;  ///< vectors in a panel's 64 bytes
  static constexpr size_t kTileVectors = 1, kTileColumns = 4;
  static constexpr bool kHasFewColumns =
      false;                                  ///< one path: its object is large enough, and it is not bound by memory
  static constexpr size_t kChunkBlocks = 16;  ///< 2 x 16 x 576 bytes of 32 KB L1
  static constexpr int kStartUnit = 128;

  static Float zero() noexcept { return FourLanes::splat(0); }
  static Float load(const void* p) noexcept { return FourLanes::load(static_cast<const float*>(p)); }
  static void store(void* p, Float v) noexcept { FourLanes::store(static_cast<float*>(p), v); }
  static Float splat(const void* p) noexcept {
    float v;
    memcpy(&v, p, sizeof v);
    return FourLanes::splat(v);
  }
  static Float load_half(const uint8_t* p) noexcept {
    return FourLanes::load_half(reinterpret_cast<const std::byte*>(p));
  }
  static Float mul(Float a, Float b) noexcept { return a * b; }
  /// Not inlined: where it is emulated it is some 60 instructions, against 40 for the rest of a block.
  static LOQUAT_KERNEL_NOINLINE Float fma(Float a, Float b, Float c) noexcept { return FourLanes::fma(a, b, c); }
  /// Where product and sum are whole numbers below 2^24, two roundings are none.
  static Float fma_exact(Float a, Float b, Float c) noexcept { return a * b + c; }
  static Float negate(Float v) noexcept { return FourLanes::negate(v); }
  static Float to_float(Int v) noexcept { return Float(QuantizedIntegers::to_float(v)); }
  static Float load_u8(const uint8_t* p) noexcept { return Float(QuantizedIntegers::load_u8(p)); }
  static Float load_i8(const uint8_t* p) noexcept { return Float(QuantizedIntegers::load_i8(p)); }

  template <class F>
  static constexpr int record_offset() noexcept {
    return F::kOffset;
  }
  template <class F>
  static Bytes prepare_packed(Bytes code) noexcept {
    return code;
  }
  template <class F>
  static Bytes prepare_record(Bytes code) noexcept {
    return code;
  }
  template <int kBits, int kOffset>
  using Dot = DotOf<kOffset>;
};

}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels::baseline

#endif  // LOQUAT_KERNELS_BASELINE_QUANTIZED_SIMD_HPP
