// SPDX-License-Identifier: MIT
// Quantized activations as the product kernels read them, and the quantizer. Included by one unit a level.
//
// Columns go in tiles of S::kTileColumns, the last one narrower. A tile of C columns is a row of records, one a block of
// 32 k, so that every number a kernel broadcasts lies at a constant offset from the record's start:
//
//   codes [8 steps][C] of 4 int8 | scale [C] f32 | scaled_sum [C] f32 | start [C] i32 | start_halves [2][C] i32
//
// scaled_sum = scale * float(sum of the codes). start = -S::kStartUnit * (sum of the codes), the value from which an
// integer sum over unsigned weight codes begins, so that the codes' offset costs no instruction; start_halves the same
// for 16 k each.
#ifndef LOQUAT_KERNELS_GENERIC_QUANTIZED_INPUT_HPP
#define LOQUAT_KERNELS_GENERIC_QUANTIZED_INPUT_HPP

#include <loquat/config.hpp>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/generic/compiler.hpp"
#include "kernels/kernels.hpp"

namespace loquat::inline LOQUAT_ABI::kernels {
namespace {

constexpr size_t kBlock = 32;  ///< k of one activation scale
constexpr size_t kSteps = 8;   ///< groups of 4 k in a block

/// Offsets inside a record of a tile of C columns.
constexpr size_t kRecordColumn = 52;  ///< bytes a column
constexpr size_t record_bytes(size_t columns) noexcept { return kRecordColumn * columns; }
constexpr size_t record_codes(size_t columns, size_t step, size_t column) noexcept {
  return (step * columns + column) * 4;
}
constexpr size_t record_scale(size_t columns, size_t column) noexcept { return 32 * columns + column * 4; }
constexpr size_t record_scaled_sum(size_t columns, size_t column) noexcept { return 36 * columns + column * 4; }
constexpr size_t record_start(size_t columns, size_t column) noexcept { return 40 * columns + column * 4; }
constexpr size_t record_start_half(size_t columns, size_t half, size_t column) noexcept {
  return (44 + 4 * half) * columns + column * 4;
}

inline size_t quantized_input_bytes(size_t k, size_t n) noexcept {
  return (k / kBlock * record_bytes(n) + 63) / 64 * 64;
}

/// Columns of the tile that starts at column `first`.
template <class S>
inline size_t tile_width(size_t n, size_t first) noexcept {
  return n - first < S::kTileColumns ? n - first : S::kTileColumns;
}

/// First record of the tile that starts at column `first`; all tiles before it are full.
inline size_t tile_at(size_t k, size_t first) noexcept { return k / kBlock * record_bytes(first); }

/// One block of 32 values: scale, codes and the sums of the codes of both halves. The largest magnitude is found on the
/// bits, which orders NaN above infinity; a NaN code is -127 (quant/canonical.cpp has the same in plain loops).
template <class S>
inline float quantize_block(const float* x, int8_t* codes, int32_t* half_sums) noexcept {
  constexpr size_t kVectors = kBlock / S::kLanes;
  typename S::Float v[kVectors];
  LOQUAT_UNROLL for (size_t i = 0; i < kVectors; ++i) v[i] = S::load(x + i * S::kLanes);
  typename S::Int largest = S::magnitude(v[0]);
  LOQUAT_UNROLL for (size_t i = 1; i < kVectors; ++i) largest = S::max_int(largest, S::magnitude(v[i]));
  const int32_t bits = S::reduce_max(largest);
  float greatest;
  memcpy(&greatest, &bits, sizeof greatest);
  const float inverse = greatest == 0 ? 0.0f : 127.0f / greatest;
  const typename S::Float factor = S::splat(&inverse);
  LOQUAT_UNROLL for (size_t half = 0; half < 2; ++half) {
    typename S::Int sum = S::zero_int();
    LOQUAT_UNROLL for (size_t i = half * kVectors / 2; i < (half + 1) * kVectors / 2; ++i) {
      const typename S::Int code = S::round_to_code(S::mul(v[i], factor));
      S::store_codes(codes + i * S::kLanes, code);
      sum = S::add_int(sum, code);
    }
    half_sums[half] = S::reduce_add(sum);
  }
  return greatest / 127.0f;
}

inline void store_float(uint8_t* to, float value) noexcept { memcpy(to, &value, sizeof value); }
inline void store_int(uint8_t* to, int32_t value) noexcept { memcpy(to, &value, sizeof value); }

/// Quantizes one column into its place in the records of its tile.
template <class S>
inline void quantize_column(const float* x, size_t k, uint8_t* records, size_t columns, size_t column) noexcept {
  for (size_t b = 0; b < k / kBlock; ++b, records += record_bytes(columns)) {
    int8_t codes[kBlock];
    int32_t half_sums[2];
    const float scale = quantize_block<S>(x + b * kBlock, codes, half_sums);
    for (size_t step = 0; step < kSteps; ++step) {
      memcpy(records + record_codes(columns, step, column), codes + step * 4, 4);
    }
    const int32_t sum = half_sums[0] + half_sums[1];
    store_float(records + record_scale(columns, column), scale);
    store_float(records + record_scaled_sum(columns, column), scale * static_cast<float>(sum));
    store_int(records + record_start(columns, column), -S::kStartUnit * sum);
    store_int(records + record_start_half(columns, 0, column), -S::kStartUnit * half_sums[0]);
    store_int(records + record_start_half(columns, 1, column), -S::kStartUnit * half_sums[1]);
  }
}

template <class S>
inline void quantize_columns(const float* x, size_t x_stride, const QuantizedInput& input, size_t begin,
                             size_t end) noexcept {
  auto* records = reinterpret_cast<uint8_t*>(input.data);
  for (size_t first = begin; first < end; first += S::kTileColumns) {
    const size_t columns = tile_width<S>(input.n, first);
    for (size_t c = 0; c < columns; ++c) {
      quantize_column<S>(x + (first + c) * x_stride, input.k, records + tile_at(input.k, first), columns, c);
    }
  }
}

}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels

#endif  // LOQUAT_KERNELS_GENERIC_QUANTIZED_INPUT_HPP
