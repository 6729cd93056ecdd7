// SPDX-License-Identifier: MIT
// Products of weights that are not packed (rows as in the file, any quantized type): row by row through the canonical dot
// of quant/canonical.cpp, on copies of the columns in their plain form. Slow, right, and free of work at load.
#ifndef LOQUAT_KERNELS_GENERIC_MULTIPLY_ROWS_HPP
#define LOQUAT_KERNELS_GENERIC_MULTIPLY_ROWS_HPP

#include "kernels/generic/quantized_input.hpp"
#include "kernels/kernels.hpp"
#include "quant/canonical.hpp"

namespace loquat::inline LOQUAT_ABI::kernels {
namespace {

constexpr size_t kPlainColumns = 8;  ///< for which dot_reference_columns() takes a row apart once

inline size_t plain_columns_bytes(size_t k) noexcept { return kPlainColumns * (k / kBlock) * sizeof(ActivationBlock); }

/// blocks [k / 32] = column `index` of the input.
template <class S>
inline void copy_column(const uint8_t* input, size_t k, size_t n, size_t index, ActivationBlock* blocks) noexcept {
  const size_t column = index % S::kTileColumns;
  const size_t columns = tile_width<S>(n, index - column);
  const uint8_t* record = input + tile_at(k, index - column);
  for (size_t b = 0; b < k / kBlock; ++b, record += record_bytes(columns)) {
    int32_t start;
    memcpy(&start, record + record_start(columns, column), sizeof start);
    memcpy(&blocks[b].scale, record + record_scale(columns, column), sizeof blocks[b].scale);
    blocks[b].sum = start / -S::kStartUnit;
    for (size_t step = 0; step < kSteps; ++step) {
      memcpy(blocks[b].codes + step * 4, record + record_codes(columns, step, column), 4);
    }
  }
}

/// Rows [begin, end) with all columns.
template <class S>
inline void multiply_rows(const Product& product, size_t begin, size_t end, std::byte* scratch) noexcept {
  const Matrix& w = product.weights;
  const TensorTypeInfo& info = tensor_type_info(w.type);
  const size_t row_stride = w.k / info.block_values * info.block_bytes;
  const auto* input = reinterpret_cast<const uint8_t*>(product.input.data);
  auto* blocks = reinterpret_cast<ActivationBlock*>(scratch);
  const size_t stride = w.k / kBlock;
  for (size_t first = 0; first < product.n; first += kPlainColumns) {
    const size_t columns = product.n - first < kPlainColumns ? product.n - first : kPlainColumns;
    for (size_t c = 0; c < columns; ++c) copy_column<S>(input, w.k, product.n, first + c, blocks + c * stride);
    float* y = product.y + first * product.y_stride;
    for (size_t row = begin; row < end; ++row) {
      dot_reference_columns(w.type, w.data + row * row_stride, {blocks, stride}, w.k, columns, y + row,
                            product.y_stride);
    }
  }
}

}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels

#endif  // LOQUAT_KERNELS_GENERIC_MULTIPLY_ROWS_HPP
