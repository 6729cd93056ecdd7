// SPDX-License-Identifier: MIT
// Products with quantized weights by the plain loops of quant/canonical.cpp. A QuantizedInput of this level is the
// activation blocks themselves, column after column.
#include "kernels/reference/parts.hpp"
#include "quant/canonical.hpp"
#include "quant/packing.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::reference {

namespace {

void multiply_row(const Product& product, const ColumnBlocks& x, std::size_t row) noexcept {
  const Matrix& weights = product.weights;
  float* y = product.y + row;
  if (weights.is_packed) {
    const std::byte* panel = weights.data + row / kPanelRows * panel_bytes(weights.type, weights.k);
    dot_panel_columns(weights.type, panel, row % kPanelRows, x, weights.k, product.n, y, product.y_stride);
  } else {
    const std::byte* blocks = weights.data + row * row_bytes(weights.type, weights.k);
    dot_reference_columns(weights.type, blocks, x, weights.k, product.n, y, product.y_stride);
  }
}

}  // namespace

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
  for (std::size_t row = begin; row < end; ++row) multiply_row(product, x, row);
}

}  // namespace loquat::inline LOQUAT_ABI::kernels::reference
