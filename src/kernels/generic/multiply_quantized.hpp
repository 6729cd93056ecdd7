// SPDX-License-Identifier: MIT
// Products of packed quantized weights with quantized activations: the loops, once, over a level's vocabulary S. Included
// by one unit a level, which gives everything internal linkage.
//
// A SIMD lane is an output row, so no sum ever crosses lanes, and every output element walks its blocks of 32 k in
// ascending order with one accumulator: the order of quant/canonical.hpp, whatever the tiling, so all paths give the
// same bits. Two paths:
//
//   few columns (decode)  reads the panels once, unpacks in registers and multiplies at once; bound by memory. Two panels
//                         side by side and a prefetch 1.5 KB ahead are worth 1.5 times the speed of one plain stream.
//   many columns          unpacks the tile's panels x at most S::kChunkBlocks blocks to bytes and float scales in scratch,
//                         then walks all columns over them in register tiles of S::kTileVectors x S::kTileColumns. The
//                         activations come from L2 or beyond once for 64 rows: 0.025 bytes a multiplication. Blocks of
//                         columns keep them in L2 for the second pair of panels; a pair's 18 to 34 KB stay in L1
//                         meanwhile. Between chunks the accumulators rest in scratch, not in y, where the columns' stride
//                         may be a power of two and map them all to a few sets of the cache.
#ifndef LOQUAT_KERNELS_GENERIC_MULTIPLY_QUANTIZED_HPP
#define LOQUAT_KERNELS_GENERIC_MULTIPLY_QUANTIZED_HPP

#include "kernels/generic/multiply_block.hpp"
#include "kernels/kernels.hpp"

namespace loquat::inline LOQUAT_ABI::kernels {
namespace {

constexpr size_t kPairPanels = 2;  ///< panels that are worked on together
constexpr size_t kPairRows = kPairPanels * kPanelLanes;
constexpr size_t kTilePanels = kTileRows / kPanelLanes;
constexpr size_t kColumnBlockTiles = 16;                ///< 96 columns x 24 blocks x 52 bytes = 120 KB
constexpr size_t kMostRecordBytes = 11 * kPanelVector;  ///< of any UnpackedBlock
constexpr size_t kPrefetchBytes = 1536;                 ///< 1-2 KB ahead is best, 4 KB does harm

/// Where 64 rows x n columns of floats lie: element (n, row) at data[n * stride + row].
struct Block64 {
  float* data;
  size_t stride;
};

/// A tile of 64 rows: its panels, the activations, where the results go.
struct TileJob {
  const uint8_t* panels;  ///< the tile's first
  size_t panel_bytes;
  size_t n_panels;
  size_t blocks;  ///< along k
  const uint8_t* input;
  size_t n;
  Block64 y;
  Block64 partial;  ///< sums between chunks; may be y
};

/// Panel `index` of the tile; where it does not exist, the one before: its results are dropped.
inline const uint8_t* existing_panel(const TileJob& job, size_t index) noexcept {
  return job.panels + (index < job.n_panels ? index : job.n_panels - 1) * job.panel_bytes;
}

// -- Few columns ----------------------------------------------------------------------------------------------------

/// Fetches the cache lines `kPrefetchBytes` beyond [panel + at, panel + at + bytes); past the panel's end, those of the
/// panel that this stream reads next, P further on.
template <class S, size_t P>
LOQUAT_KERNEL_INLINE void prefetch_stream(const uint8_t* panel, size_t at, size_t bytes, size_t panel_bytes) noexcept {
  const size_t ahead = at + kPrefetchBytes;
  const uint8_t* p = panel + ahead + (ahead < panel_bytes ? 0 : (P - 1) * panel_bytes);
  LOQUAT_UNROLL for (size_t line = 0; line < bytes; line += 64) S::prefetch(p + line);
}

/// acc += blocks [0, n_blocks) of a group, for P panels; `at` is the group's offset in each. All vectors of rows go step by
/// step together, so that a broadcast activation is used at once and not kept.
template <class S, class F, size_t P, size_t C>
LOQUAT_KERNEL_INLINE void multiply_group(const uint8_t* const* panel, size_t at, size_t n_blocks, size_t panel_bytes,
                                         const uint8_t* x, typename S::Float* acc) noexcept {
  using Packed = PackedBlock<S, F>;
  constexpr size_t R = P * S::kParts;
  constexpr PanelLayout layout = F::kLayout;
  LOQUAT_UNROLL for (size_t p = 0; p < P; ++p) prefetch_stream<S, P>(panel[p], at, layout.header_bytes, panel_bytes);
  for (size_t i = 0; i < n_blocks; ++i, x += record_bytes(C)) {
    const size_t block_at = at + layout.header_bytes + i * layout.block_bytes();
    LOQUAT_UNROLL for (size_t p = 0; p < P; ++p) {
      prefetch_stream<S, P>(panel[p], block_at, layout.block_bytes(), panel_bytes);
    }
    Packed w[R];
    LOQUAT_UNROLL for (size_t r = 0; r < R; ++r) {
      const uint8_t* from = panel[r / S::kParts];
      w[r] = {from + at, from + block_at, i, r % S::kParts};
    }
    multiply_block<S, Packed, R, C>(w, x, acc);
  }
}

/// P panels with all C columns.
template <class S, class F, size_t P, size_t C>
inline void multiply_few(const TileJob& job, size_t first_panel) noexcept {
  constexpr size_t kVectors = P * S::kParts;
  constexpr PanelLayout layout = F::kLayout;
  const uint8_t* panel[P];
  LOQUAT_UNROLL for (size_t p = 0; p < P; ++p) panel[p] = existing_panel(job, first_panel + p);
  typename S::Float acc[kVectors * C];
  LOQUAT_UNROLL for (size_t i = 0; i < kVectors * C; ++i) acc[i] = S::zero();
  const uint8_t* x = job.input;
  const size_t full_groups = job.blocks / layout.group_blocks;
  for (size_t g = 0; g < full_groups; ++g, x += layout.group_blocks * record_bytes(C)) {
    multiply_group<S, F, P, C>(panel, g * layout.group_bytes(), layout.group_blocks, job.panel_bytes, x, acc);
  }
  if (const size_t rest = job.blocks % layout.group_blocks) {
    multiply_group<S, F, P, C>(panel, full_groups * layout.group_bytes(), rest, job.panel_bytes, x, acc);
  }
  float* y = job.y.data + first_panel * kPanelLanes;
  LOQUAT_UNROLL for (size_t v = 0; v < kVectors; ++v) {
    LOQUAT_UNROLL for (size_t c = 0; c < C; ++c) S::store(y + c * job.y.stride + v * S::kLanes, acc[v * C + c]);
  }
}

template <class S, class F, size_t C>
inline void multiply_few_columns(const TileJob& job) noexcept {
  constexpr size_t kPanels = S::kParts * C * kPairPanels <= S::kFewVectors ? kPairPanels : 1;
  for (size_t p = 0; p < job.n_panels; p += kPanels) multiply_few<S, F, kPanels, C>(job, p);
}

// -- Many columns ---------------------------------------------------------------------------------------------------

/// Unpacks blocks [begin, end) of a panel to records.
template <class S, class F>
inline void unpack_blocks(const uint8_t* panel, size_t begin, size_t end, uint8_t* record) noexcept {
  using Record = UnpackedBlock<S, F>;
  constexpr PanelLayout layout = F::kLayout;
  for (size_t b = begin; b < end; ++b, record += Record::kBytes) {
    LOQUAT_UNROLL for (size_t part = 0; part < S::kParts; ++part) {
      const PackedBlock<S, F> w = {panel + layout.header_at(b), panel + layout.block_at(b), b % layout.group_blocks,
                                   part};
      uint8_t* to = record + part_bytes<S>(part);
      LOQUAT_UNROLL for (size_t step = 0; step < kSteps; ++step) {
        S::store_bytes(to + step * kPanelVector, S::template prepare_record<F>(F::code(w.block, part, step)));
      }
      S::store(to + Record::kScale, w.scale());
      if constexpr (F::kHasMin) S::store(to + Record::kMin, w.min());
      if constexpr (F::kHasHalves) {
        S::store(to + Record::kMin, w.half_scale(0));
        S::store(to + Record::kMin + kPanelVector, w.half_scale(1));
      }
    }
  }
}

/// One register tile: R vectors of rows x C columns over `blocks` blocks. `record` is that of vector 0, `next` bytes before
/// vector 1's. Sums start from `from`, or from zero where that is null.
template <class S, class F, size_t R, size_t C>
LOQUAT_KERNEL_INLINE void multiply_register_tile(const uint8_t* record, size_t next, size_t blocks, const uint8_t* x,
                                                 const Block64& from, const Block64& to) noexcept {
  using Record = UnpackedBlock<S, F>;
  typename S::Float acc[R * C];
  LOQUAT_UNROLL for (size_t r = 0; r < R; ++r) {
    LOQUAT_UNROLL for (size_t c = 0; c < C; ++c) {
      acc[r * C + c] = from.data == nullptr ? S::zero() : S::load(from.data + c * from.stride + r * S::kLanes);
    }
  }
  for (size_t b = 0; b < blocks; ++b, record += Record::kBytes, x += record_bytes(C)) {
    Record w[R];
    LOQUAT_UNROLL for (size_t r = 0; r < R; ++r) w[r].record = record + r * next;
    multiply_block<S, Record, R, C>(w, x, acc);
  }
  LOQUAT_UNROLL for (size_t r = 0; r < R; ++r) {
    LOQUAT_UNROLL for (size_t c = 0; c < C; ++c) S::store(to.data + c * to.stride + r * S::kLanes, acc[r * C + c]);
  }
}

/// Some blocks of the tile's panels, unpacked.
struct Chunk {
  const uint8_t* records;
  size_t panel_stride;  ///< bytes from one panel's records to the next's
  size_t first_block;
  size_t blocks;
  Block64 from;  ///< null data for the first chunk
  Block64 to;
};

inline Block64 shifted(const Block64& block, size_t column, size_t row) noexcept {
  if (block.data == nullptr) return block;
  return {block.data + column * block.stride + row, block.stride};
}

/// A pair of panels with the C columns from `column` on.
template <class S, class F, size_t C>
inline void multiply_tile_columns(const TileJob& job, const Chunk& chunk, size_t panel, size_t column) noexcept {
  constexpr size_t R = S::kTileVectors;
  static_assert(R == 1 || S::kParts == 1, "the vectors of a register tile are whole panels");
  const uint8_t* x = job.input + tile_at(job.blocks * kBlock, column) + chunk.first_block * record_bytes(C);
  for (size_t v = 0; v < kPairPanels * S::kParts; v += R) {
    const uint8_t* record = chunk.records + (panel + v / S::kParts) * chunk.panel_stride + part_bytes<S>(v % S::kParts);
    const size_t row = panel * kPanelLanes + v * S::kLanes;
    multiply_register_tile<S, F, R, C>(record, chunk.panel_stride, chunk.blocks, x, shifted(chunk.from, column, row),
                                       shifted(chunk.to, column, row));
  }
}

/// The last tile of columns may have any width from 1 to S::kTileColumns.
template <class S, class F, size_t C>
inline void multiply_columns_by_width(size_t width, const TileJob& job, const Chunk& chunk, size_t panel,
                                      size_t column) noexcept {
  if constexpr (C > 1) {
    if (width < C) return multiply_columns_by_width<S, F, C - 1>(width, job, chunk, panel, column);
  }
  multiply_tile_columns<S, F, C>(job, chunk, panel, column);
}

/// All panels and columns over one chunk.
template <class S, class F>
inline void multiply_chunk(const TileJob& job, const Chunk& chunk) noexcept {
  constexpr size_t kColumnBlock = kColumnBlockTiles * S::kTileColumns;
  for (size_t first = 0; first < job.n; first += kColumnBlock) {
    const size_t last = job.n - first < kColumnBlock ? job.n : first + kColumnBlock;
    for (size_t panel = 0; panel < job.n_panels; panel += kPairPanels) {
      for (size_t column = first; column < last; column += S::kTileColumns) {
        const size_t width = tile_width<S>(job.n, column);
        multiply_columns_by_width<S, F, S::kTileColumns>(width, job, chunk, panel, column);
      }
    }
  }
}

/// Blocks of a chunk, so that chunks are of nearly the same size and end where groups do.
template <class S>
inline size_t chunk_blocks(size_t blocks) noexcept {
  if (blocks == 0) return 0;  // float products may be shorter than a block
  const size_t n_chunks = (blocks + S::kChunkBlocks - 1) / S::kChunkBlocks;
  return ((blocks + n_chunks - 1) / n_chunks + 7) / 8 * 8;
}

template <class S, class F>
inline void multiply_many_columns(const TileJob& job, uint8_t* records) noexcept {
  const size_t step = chunk_blocks<S>(job.blocks);
  const size_t panel_stride = step * UnpackedBlock<S, F>::kBytes;
  const size_t n_panels = (job.n_panels + kPairPanels - 1) / kPairPanels * kPairPanels;
  for (size_t begin = 0; begin < job.blocks; begin += step) {
    const bool is_last = job.blocks - begin <= step;
    const size_t end = is_last ? job.blocks : begin + step;
    for (size_t p = 0; p < n_panels; ++p) {
      unpack_blocks<S, F>(existing_panel(job, p), begin, end, records + p * panel_stride);
    }
    const Block64 from = begin == 0 ? Block64{nullptr, 0} : job.partial;
    multiply_chunk<S, F>(job, {records, panel_stride, begin, end - begin, from, is_last ? job.y : job.partial});
  }
}

// -- Choice ---------------------------------------------------------------------------------------------------------

template <class S, class F>
inline void multiply_tile_of(const TileJob& job, uint8_t* scratch) noexcept {
  static_assert(UnpackedBlock<S, F>::kBytes <= kMostRecordBytes);
  if constexpr (S::kHasFewColumns) {
    static_assert(S::kTileColumns >= 4, "few columns are one tile of the input");
    switch (job.n) {
      case 1: return multiply_few_columns<S, F, 1>(job);
      case 2: return multiply_few_columns<S, F, 2>(job);
      case 3: return multiply_few_columns<S, F, 3>(job);
      case 4: return multiply_few_columns<S, F, 4>(job);
      default: break;
    }
  }
  multiply_many_columns<S, F>(job, scratch);
}

template <class S>
inline void multiply_tile_by_type(TensorType type, const TileJob& job, uint8_t* scratch) noexcept {
  switch (type) {
    case TensorType::q4_0: return multiply_tile_of<S, FormatQ4_0<S>>(job, scratch);
    case TensorType::q4_1: return multiply_tile_of<S, FormatQ4_1<S>>(job, scratch);
    case TensorType::q5_0: return multiply_tile_of<S, FormatQ5_0<S>>(job, scratch);
    case TensorType::q8_0: return multiply_tile_of<S, FormatQ8_0<S>>(job, scratch);
    case TensorType::q4_k: return multiply_tile_of<S, FormatQ4_K<S>>(job, scratch);
    default: return multiply_tile_of<S, FormatQ6_K<S>>(job, scratch);
  }
}

/// Panel size of a packed quantized type; the kernels' own copy of panel_bytes(), so that no unit compiled for a level
/// shares a function with the rest of the program.
inline size_t quantized_panel_bytes(TensorType type, size_t blocks) noexcept {
  switch (type) {
    case TensorType::q4_0: return kPanelQ4_0.panel_bytes(blocks);
    case TensorType::q4_1: return kPanelQ4_1.panel_bytes(blocks);
    case TensorType::q5_0: return kPanelQ5_0.panel_bytes(blocks);
    case TensorType::q8_0: return kPanelQ8_0.panel_bytes(blocks);
    case TensorType::q4_k: return kPanelQ4_K.panel_bytes(blocks);
    default: return kPanelQ6_K.panel_bytes(blocks);
  }
}

inline size_t least(size_t a, size_t b) noexcept { return a < b ? a : b; }

}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels

#endif  // LOQUAT_KERNELS_GENERIC_MULTIPLY_QUANTIZED_HPP
