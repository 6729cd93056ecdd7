// SPDX-License-Identifier: MIT
// Products with F32, F16 and BF16 weights: y[n][row] = fma over ascending k of w[row][k] * x[n][k], lanes = rows.
//
// Packed weights are panels [k][16 rows], used in place: a register tile of up to 6 columns x 16..64 rows runs over the
// whole of k. With one column four panels are in flight, which is what the memory needs.
// Rows in the file's layout are first transposed into such panels, 16 rows x 256 values (16 KB) at a time, in scratch;
// the sums of all columns wait there from chunk to chunk. Storing and loading a float changes no bit.
#ifndef LOQUAT_KERNELS_GENERIC_MULTIPLY_FLOAT_HPP
#define LOQUAT_KERNELS_GENERIC_MULTIPLY_FLOAT_HPP

#include <cstddef>

#include "kernels/generic/outer_tile.hpp"
#include "kernels/kernels.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::generic {

inline constexpr std::size_t kDepthChunk = 256;

static constexpr std::size_t smaller(std::size_t a, std::size_t b) noexcept {
  return a < b ? a : b;
}

// -- Packed panels ---------------------------------------------------------------------------------------

/// Rows [row, row + 16 * kGroups) of columns [column, column + kColumns).
template <class V, class Element, std::size_t kColumns, std::size_t kGroups>
void multiply_panels(const Product& product, std::size_t row, std::size_t column) noexcept {
  const std::size_t k = product.weights.k;
  const std::size_t panel_bytes = k * kGroup * Element::kBytes;
  const Panel panel{product.weights.data + row / kGroup * panel_bytes, kGroup * Element::kBytes, panel_bytes};
  const float* x[kColumns];
  float* y[kColumns];
  for (std::size_t c = 0; c < kColumns; ++c) {
    x[c] = product.x + (column + c) * product.x_stride;
    y[c] = product.y + (column + c) * product.y_stride + row;
  }
  OuterTile<V, kColumns, kGroups> tile;
  tile.clear();
  tile.template accumulate<Element>(x, panel, 0, k);
  if (row + kGroups * kGroup <= product.weights.rows) return tile.store(y);
  // The last panel's rows of zeros have no place in y.
  float last[kColumns][kGroups * kGroup];
  float* to[kColumns];
  for (std::size_t c = 0; c < kColumns; ++c) to[c] = last[c];
  tile.store(to);
  for (std::size_t c = 0; c < kColumns; ++c) {
    for (std::size_t r = 0; r < product.weights.rows - row; ++r) y[c][r] = last[c][r];
  }
}

template <class V, class Element>
void multiply_packed(const Product& product, std::size_t begin, std::size_t end) noexcept {
  for (std::size_t column = 0; column < product.n; column += V::kTileRows) {
    with_rows<V::kTileRows>(product.n - column, [&](auto columns) noexcept {
      constexpr std::size_t kColumns = decltype(columns)::value;
      constexpr std::size_t kGroups = groups_for_rows<V>(kColumns);
      std::size_t row = begin;
      for (; row + (kGroups - 1) * kGroup < end; row += kGroups * kGroup) {
        multiply_panels<V, Element, kColumns, kGroups>(product, row, column);
      }
      for (; row < end; row += kGroup) multiply_panels<V, Element, kColumns, 1>(product, row, column);
    });
  }
}

// -- Rows as in the file ---------------------------------------------------------------------------------

/// Eight values of a row from `i` on, zeros beyond its end.
template <class Eight, class Element>
typename Eight::F32 load_row_values(const std::byte* row, std::size_t i, std::size_t k) noexcept {
  if (i + 8 <= k) return Element::template load<Eight>(row + i * Element::kBytes);
  std::byte last[8 * Element::kBytes] = {};
  for (std::size_t j = 0; j < (k - i) * Element::kBytes; ++j) last[j] = row[i * Element::kBytes + j];
  return Element::template load<Eight>(last);
}

/// panel [end - begin, rounded up to 8][16] = values [begin, end) of rows [row, row + 16), the last row again where there are less.
template <class Eight, class Element>
void transpose_rows(const Matrix& weights, std::size_t row, std::size_t begin, std::size_t end, float* panel) noexcept {
  for (std::size_t first = 0; first < kGroup; first += 8) {
    const std::byte* from[8];
    for (std::size_t r = 0; r < 8; ++r) {
      from[r] = weights.data + smaller(row + first + r, weights.rows - 1) * weights.k * Element::kBytes;
    }
    for (std::size_t i = begin; i < end; i += 8) {
      typename Eight::F32 block[8];
      for (std::size_t r = 0; r < 8; ++r) block[r] = load_row_values<Eight, Element>(from[r], i, weights.k);
      Eight::transpose(block);
      for (std::size_t j = 0; j < 8; ++j) Eight::store(panel + (i - begin + j) * kGroup + first, block[j]);
    }
  }
}

/// sums [n][16] += x [n][begin .. begin + depth) * panel [depth][16].
template <class V>
void multiply_chunk(const Product& product, const float* panel, std::size_t begin, std::size_t depth,
                    float* sums) noexcept {
  const Panel b{reinterpret_cast<const std::byte*>(panel), kGroup * sizeof(float), 0};
  for (std::size_t column = 0; column < product.n; column += V::kTileRows) {
    with_rows<V::kTileRows>(product.n - column, [&](auto columns) noexcept {
      constexpr std::size_t kColumns = decltype(columns)::value;
      const float* x[kColumns];
      float* sum[kColumns];
      for (std::size_t c = 0; c < kColumns; ++c) {
        x[c] = product.x + (column + c) * product.x_stride + begin;
        sum[c] = sums + (column + c) * kGroup;
      }
      OuterTile<V, kColumns, 1> tile;
      tile.load(sum);
      tile.template accumulate<FloatElement>(x, b, 0, depth);
      tile.store(sum);
    });
  }
}

template <class Simd, class Element>
void multiply_rows(const Product& product, std::size_t begin, std::size_t end, std::byte* scratch) noexcept {
  const std::size_t k = product.weights.k;
  float* panel = reinterpret_cast<float*>(scratch);
  float* sums = panel + kDepthChunk * kGroup;
  for (std::size_t row = begin; row < end; row += kGroup) {
    for (std::size_t i = 0; i < product.n * kGroup; ++i) sums[i] = 0;
    for (std::size_t from = 0; from < k; from += kDepthChunk) {
      const std::size_t to = smaller(from + kDepthChunk, k);
      transpose_rows<typename Simd::Eight, Element>(product.weights, row, from, to, panel);
      multiply_chunk<typename Simd::Wide>(product, panel, from, to - from, sums);
    }
    const std::size_t n_rows = smaller(end - row, kGroup);
    for (std::size_t column = 0; column < product.n; ++column) {
      float* y = product.y + column * product.y_stride + row;
      for (std::size_t r = 0; r < n_rows; ++r) y[r] = sums[column * kGroup + r];
    }
  }
}

// -- Both ------------------------------------------------------------------------------------------------

static inline std::size_t multiply_float_scratch_bytes(std::size_t n) noexcept {
  return (kDepthChunk + n) * kGroup * sizeof(float);
}

template <class Simd, class Element>
void multiply_element(const Product& product, std::size_t tile, std::byte* scratch) noexcept {
  const std::size_t begin = tile * kTileRows;
  const std::size_t end = smaller(begin + kTileRows, product.weights.rows);
  if (product.weights.is_packed) return multiply_packed<typename Simd::Wide, Element>(product, begin, end);
  multiply_rows<Simd, Element>(product, begin, end, scratch);
}

template <class Simd>
void multiply_float(const Product& product, std::size_t tile, std::byte* scratch) noexcept {
  switch (product.weights.type) {
    case TensorType::f32:
      return multiply_element<Simd, FloatElement>(product, tile, scratch);
    case TensorType::f16:
      return multiply_element<Simd, HalfElement>(product, tile, scratch);
    default:
      return multiply_element<Simd, BfloatElement>(product, tile, scratch);
  }
}

}  // namespace loquat::inline LOQUAT_ABI::kernels::generic

#endif  // LOQUAT_KERNELS_GENERIC_MULTIPLY_FLOAT_HPP
