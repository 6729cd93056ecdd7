// SPDX-License-Identifier: MIT
// The quantized half of a level's table, over its vocabulary S: what each level's quantized.cpp hands on.
#ifndef LOQUAT_KERNELS_GENERIC_QUANTIZED_HALF_HPP
#define LOQUAT_KERNELS_GENERIC_QUANTIZED_HALF_HPP

#include "kernels/generic/multiply_quantized.hpp"
#include "kernels/generic/multiply_rows.hpp"

namespace loquat::inline LOQUAT_ABI::kernels {
namespace {

/// Types that this half knows as panels; the others keep the file's rows (quant/packing.hpp, is_packable()).
inline bool has_panels(const Matrix& w) noexcept {
  if (!w.is_packed) return false;
  switch (w.type) {
    case TensorType::q4_0:
    case TensorType::q4_1:
    case TensorType::q5_0:
    case TensorType::q8_0:
    case TensorType::q4_k:
    case TensorType::q6_k: return true;
    default: return false;
  }
}

/// Scratch: partial sums, which are also the results of a tile of fewer than 64 rows, then unpacked panels; or plain
/// columns.
inline size_t partial_bytes(size_t n) noexcept { return n * kTileRows * sizeof(float); }

template <class S>
inline size_t quantized_scratch_bytes(size_t k, size_t n) noexcept {
  const size_t chunk = kTilePanels * chunk_blocks<S>(k / kBlock) * kMostRecordBytes;
  const size_t panels = partial_bytes(n) + chunk;
  const size_t rows = plain_columns_bytes(k);
  return panels > rows ? panels : rows;
}

inline void copy_partial(const float* partial, const Product& product, size_t begin, size_t rows) noexcept {
  for (size_t n = 0; n < product.n; ++n) {
    memcpy(product.y + n * product.y_stride + begin, partial + n * kTileRows, rows * sizeof(float));
  }
}

/// One tile of 64 rows of a product with quantized activations.
template <class S>
inline void multiply_quantized_tile(const Product& product, size_t tile, std::byte* scratch) noexcept {
  const Matrix& w = product.weights;
  const size_t begin = tile * kTileRows;
  const size_t rows = w.rows - begin < kTileRows ? w.rows - begin : kTileRows;
  if (!has_panels(w)) return multiply_rows<S>(product, begin, begin + rows, scratch);
  const size_t blocks = w.k / kBlock;
  const size_t panel_bytes = quantized_panel_bytes(w.type, blocks);
  const Block64 partial = {reinterpret_cast<float*>(scratch), kTileRows};
  const bool is_full = rows == kTileRows;
  const TileJob job = {
      .panels = reinterpret_cast<const uint8_t*>(w.data) + begin / kPanelLanes * panel_bytes,
      .panel_bytes = panel_bytes,
      .n_panels = (rows + kPanelLanes - 1) / kPanelLanes,
      .blocks = blocks,
      .input = reinterpret_cast<const uint8_t*>(product.input.data),
      .n = product.n,
      .y = is_full ? Block64{product.y + begin, product.y_stride} : partial,
      .partial = partial,
  };
  multiply_tile_by_type<S>(w.type, job, reinterpret_cast<uint8_t*>(scratch) + partial_bytes(product.n));
  if (!is_full) copy_partial(partial.data, product, begin, rows);
}

}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels

#endif  // LOQUAT_KERNELS_GENERIC_QUANTIZED_HALF_HPP
