// SPDX-License-Identifier: MIT
// Products with quantized weights by the plain loops of quant/canonical.cpp. A QuantizedInput of this level is the
// activation blocks themselves, column after column.
#include "kernels/reference/parts.hpp"
#include "quant/canonical.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::reference {

std::size_t input_bytes(std::size_t k, std::size_t n) noexcept {
  return k / kActivationBlock * n * sizeof(ActivationBlock);
}

void quantize_input(const float* x, std::size_t x_stride, const QuantizedInput& input, std::size_t begin,
                    std::size_t end) noexcept {
  auto* blocks = reinterpret_cast<ActivationBlock*>(input.data);
  for (std::size_t column = begin; column < end; ++column) {
    quantize_activations_reference(x + column * x_stride, blocks + column * (input.k / kActivationBlock), input.k);
  }
}

std::size_t multiply_scratch_bytes(std::size_t, std::size_t) noexcept {
  return 0;
}

void multiply_quantized(const Product& product, std::size_t tile, std::byte*) noexcept {
  const Matrix& weights = product.weights;
  const ColumnBlocks x{reinterpret_cast<const ActivationBlock*>(product.input.data), weights.k / kActivationBlock};
  const std::size_t begin = tile * kTileRows;
  const std::size_t end = weights.rows - begin < kTileRows ? weights.rows : begin + kTileRows;
  for (std::size_t row = begin; row < end; ++row) {
    const std::byte* blocks = weights.data + row * row_bytes(weights.type, weights.k);
    dot_reference_columns(weights.type, blocks, x, weights.k, product.n, product.y + row, product.y_stride);
  }
}

}  // namespace loquat::inline LOQUAT_ABI::kernels::reference
