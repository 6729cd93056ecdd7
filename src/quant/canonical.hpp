// SPDX-License-Identifier: MIT
// The canonical form of a quantized row: what every kernel of every level computes with (promises D1, D2).
//
// Activations x [K] are int8 in blocks of 32 along k: sa = absmax / 127 (f32), code = round-half-even(x * (127 / absmax)),
// 0 where absmax is 0; asum = the sum of a block's codes. absmax is the integer maximum of the absolute values' bits, so
// that a NaN wins and makes the scale NaN. Codes are clamped as (v > -127 ? v : -127) and then (v < 127 ? v : 127) before
// they are rounded, so that a NaN product has a code as well: -127, as maxps and minps give with the bound second.
//
// Weights, per block of 32, are whole numbers w with a scale. One output element walks its blocks in ascending k with
// one f32 accumulator; isum is the exact integer dot of the block, * and fma are single IEEE f32 operations:
//
//   Q4_0 Q5_0 Q8_0 IQ4_NL MXFP4    acc = fma(d * sa, float(isum), acc)
//   Q4_1 Q5_1                      acc = fma(d * sa, float(isum), acc);  acc = fma(m, sa * float(asum), acc)
//   Q4_K Q5_K                      acc = fma((d*sc) * sa, float(isum), acc);  acc = fma(-(dmin*m), sa * float(asum), acc)
//   IQ4_XS                         acc = fma((d*ls) * sa, float(isum), acc)         ls = the 6-bit scale - 32
//   Q6_K                           acc = fma(d * sa, float(sc0*isum0 + sc1*isum1), acc)      halves of 16; sum < 2^24
//   Q3_K                           acc = fma(d * sa, float(sc0*isum0 + sc1*isum1), acc)      sc = 6-bit scale - 32
//   Q2_K                           acc = fma(d * sa, float(sc0*isum0 + sc1*isum1), acc);
//                                  acc = fma(-dmin, sa * float(m0*asum0 + m1*asum1), acc)
//   F32 F16 BF16                   x stays f32, one value at a time: acc = fma(w, x, acc), ascending k
//
// The inputs of the output head and of the feed-forward network's down matrix are refined: what the codes lose of x
// (x - sa * code, f32) is quantized by the same rule and multiplied too, and the two sums are added at the end.
//
// d, dmin, m (Q4_1) are the f16 of the file as f32; MXFP4's d is 2^(e-128) with codes doubled (0 1 2 3 4 6 8 12 and negatives).
#ifndef LOQUAT_QUANT_CANONICAL_HPP
#define LOQUAT_QUANT_CANONICAL_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>

#include "quant/tensor_type.hpp"

namespace loquat::inline LOQUAT_ABI {

inline constexpr std::size_t kActivationBlock = 32;

/// One block of 32 activations.
struct ActivationBlock {
  float scale;
  std::int32_t sum;  ///< of all 32 codes
  std::int8_t codes[kActivationBlock];
};

/// blocks [k / 32] = x [k] f32. NaN in a block makes its scale NaN, so that it cannot pass unseen.
///
/// Requires  k % 32 == 0
void quantize_activations_reference(const float* x, ActivationBlock* blocks, std::size_t k) noexcept;

/// residual [k] f32 = x - scale * code: what quantize_activations_reference() loses of x. Quantized in its turn and
/// multiplied too, it makes a product with some 15 bits of the activations instead of 8.
///
/// Requires  k % 32 == 0
void quantization_residual(const float* x, float* residual, std::size_t k) noexcept;

/// One output element by plain loops, straight from the file's blocks, in the canonical order. The oracle.
///
/// Requires  `type` is a computable quantized type (not F32, F16, BF16); k % block_values == 0
float dot_reference(TensorType type, const void* row, const ActivationBlock* x, std::size_t k) noexcept;

/// Quantized columns: block b of column c at blocks[c * stride + b].
struct ColumnBlocks {
  const ActivationBlock* blocks;
  std::size_t stride;
};
/// y[c * y_stride] = dot_reference of the row and column c, for c in 0..n-1: a row is taken apart once for eight columns.
void dot_reference_columns(TensorType type, const void* row, const ColumnBlocks& x, std::size_t k, std::size_t n,
                           float* y, std::size_t y_stride) noexcept;

/// The same for a row (0..15) of a packed panel.
void dot_panel_columns(TensorType type, const void* panel, std::size_t row, const ColumnBlocks& x, std::size_t k,
                       std::size_t n, float* y, std::size_t y_stride) noexcept;

/// dot_reference() for F32, F16 and BF16 rows with float activations x [k].
float dot_float_reference(TensorType type, const void* row, const float* x, std::size_t k) noexcept;

/// Types that multiply with float32 activations.
constexpr bool is_float_type(TensorType type) noexcept {
  return type == TensorType::f32 || type == TensorType::f16 || type == TensorType::bf16;
}

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_CANONICAL_HPP
