// SPDX-License-Identifier: MIT
// Packed weight matrices: the interleaved layout that all x86 levels share, so that a level can be forced without
// packing again and a packed file can serve every machine.
//
// Rows go in panels of 16; the last panel is filled up with rows of zeros. A panel's quantized values lie as 64-byte
// vectors of 16 rows x 4 consecutive k: AVX2 takes halves, AVX-512 the whole, AMX eight of them as its B tile.
// Types without a packed form keep the file's rows (is_packable() says which); float types are [k][16 rows].
// The drawings of each type are in packing.cpp and docs/formats.md.
#ifndef LOQUAT_QUANT_PACKING_HPP
#define LOQUAT_QUANT_PACKING_HPP

#include <loquat/config.hpp>

#include <cstddef>

#include "quant/tensor_type.hpp"
#include "quant/weight_block.hpp"

namespace loquat::inline LOQUAT_ABI {

inline constexpr std::size_t kPanelRows = 16;
inline constexpr std::size_t kPackAlignment = 64;

/// Q4_0, Q4_1, Q5_0, Q8_0, Q4_K, Q6_K, F32, F16, BF16.
bool is_packable(TensorType type) noexcept;
/// Bytes of one panel of 16 rows of k values; a multiple of 64 for quantized types.
///
/// Requires  is_packable(type); k % block_values == 0
std::size_t panel_bytes(TensorType type, std::size_t k) noexcept;
/// Bytes of a whole packed matrix of `rows` rows.
std::size_t packed_bytes(TensorType type, std::size_t rows, std::size_t k) noexcept;

/// Packs rows [0, n_rows) of the file's layout into one panel.
///
/// Requires  0 < n_rows <= 16; `panel` is aligned to 64 bytes and has panel_bytes(); missing rows become zeros
void pack_panel(TensorType type, const void* rows, std::size_t n_rows, std::size_t k, void* panel) noexcept;
/// Block `block` (of 32 values) of one row (0..15) of a panel: what unpack() gives for the file's row.
///
/// Requires  a quantized type with a packed form
WeightBlock unpack_panel_block(TensorType type, const void* panel, std::size_t row, std::size_t block) noexcept;
/// values [k] f32 of one row (0..15) of a panel: the same bits as dequantize_row() of the file's row. For embeddings.
void unpack_panel_row(TensorType type, const void* panel, std::size_t row, std::size_t k, float* values) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_PACKING_HPP
