// SPDX-License-Identifier: MIT
// Products with F32, F16 and BF16 weights: one accumulator an output, fma over ascending k.
#include "kernels/reference/math.hpp"
#include "kernels/reference/parts.hpp"
#include "quant/packing.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::reference {

namespace {

/// One row of a matrix: value i lies at data + i * step values.
struct Row {
  TensorType type;
  const std::byte* data;
  std::size_t step;
};

Row find_row(const Matrix& weights, std::size_t row) noexcept {
  const std::size_t value_bytes = weights.type == TensorType::f32 ? 4 : 2;
  if (!weights.is_packed) return {weights.type, weights.data + row * weights.k * value_bytes, 1};
  const std::size_t panel = row / kPanelRows * weights.k * kPanelRows;
  return {weights.type, weights.data + (panel + row % kPanelRows) * value_bytes, kPanelRows};
}

float dot(const Row& row, const float* x, std::size_t k) noexcept {
  float sum = 0;
  for (std::size_t i = 0; i < k; ++i) sum = fma(float_at(row.type, row.data, i * row.step), x[i], sum);
  return sum;
}

}  // namespace

std::size_t multiply_float_scratch_bytes(std::size_t, std::size_t) noexcept {
  return 0;
}

void multiply_float(const Product& product, std::size_t tile, std::byte*) noexcept {
  const Matrix& weights = product.weights;
  const std::size_t begin = tile * kTileRows;
  const std::size_t end = weights.rows - begin < kTileRows ? weights.rows : begin + kTileRows;
  for (std::size_t i = begin; i < end; ++i) {
    const Row row = find_row(weights, i);
    for (std::size_t column = 0; column < product.n; ++column) {
      product.y[column * product.y_stride + i] = dot(row, product.x + column * product.x_stride, weights.k);
    }
  }
}

}  // namespace loquat::inline LOQUAT_ABI::kernels::reference
