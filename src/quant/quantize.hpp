// SPDX-License-Identifier: MIT
// Scalar conversion between float rows and rows of blocks, for every computable type. The oracle of the kernels.
#ifndef LOQUAT_QUANT_QUANTIZE_HPP
#define LOQUAT_QUANT_QUANTIZE_HPP

#include <loquat/config.hpp>

#include <cstddef>

#include "quant/tensor_type.hpp"

namespace loquat::inline LOQUAT_ABI {

/// values [n] f32 = the row's blocks. Bit-exact with the published definition of each type.
///
/// Requires  the type is computable; n % block_values == 0; `row` needs no alignment
void dequantize_row(TensorType type, const void* row, float* values, std::size_t n) noexcept;

/// Blocks from values [n] f32, without importance weights. F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 and MXFP4 as their
/// published plain quantizers, byte for byte; the K and IQ4 formats by least squares (quant/scale_search.hpp).
///
/// Requires  has_quantizer(type); n % block_values == 0; `row` has row_bytes(type, n) bytes
void quantize_row(TensorType type, const float* values, void* row, std::size_t n) noexcept;
/// True for every computable type.
bool has_quantizer(TensorType type) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_QUANTIZE_HPP
