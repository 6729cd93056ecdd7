// SPDX-License-Identifier: MIT
// Packing: from rows of blocks as in the file to panels of 16 rows (drawings in panel_layout.hpp) and, for one row, back to
// floats. Runs once a weight at load, so it is plain loops; speed comes from touching every byte once.
#include "quant/packing.hpp"

#include <cstdint>
#include <cstring>

#include "base/bytes.hpp"
#include "base/half.hpp"
#include "quant/block_types.hpp"
#include "quant/panel_layout.hpp"
#include "quant/weight_math.hpp"

namespace loquat::inline LOQUAT_ABI {
namespace {

constexpr std::size_t kBlock = 32;  // values of a block of a panel

// -- The two layouts, byte by byte ----------------------------------------------------------------------------------

/// Byte of a vector that holds value k of a row.
constexpr std::size_t lane(std::size_t row, std::size_t k) noexcept { return row * 4 + k % 4; }

/// Writes the 32 codes of one row of a block. Four consecutive k lie side by side, so that they go as one word: eight
/// times faster than byte by byte, which would be two thirds of a load.
void put_codes(const PanelLayout& layout, std::uint8_t* block, std::size_t row, const std::uint8_t* codes) noexcept {
  constexpr std::size_t kSteps = kBlock / 4;
  std::uint8_t* low = block + layout.high_bytes + lane(row, 0);
  std::uint8_t* high = block + lane(row, 0);
  if (layout.low_bytes == 512) {
    for (std::size_t step = 0; step < kSteps; ++step)
      store(low + step * kPanelVector, load<std::uint32_t>(codes + step * 4));
    return;
  }
  std::uint32_t high_words[2] = {0, 0};  // of codes with 1 (first word only) or 2 high bits
  for (std::size_t step = 0; step < kSteps; step += 2) {
    const auto even = load<std::uint32_t>(codes + step * 4);
    const auto odd = load<std::uint32_t>(codes + step * 4 + 4);
    store(low + step / 2 * kPanelVector, (even & 0x0F0F0F0Fu) | (odd & 0x0F0F0F0Fu) << 4);
    const std::uint32_t even_high = even >> 4 & 0x03030303u;
    const std::uint32_t odd_high = odd >> 4 & 0x03030303u;
    if (layout.high_bytes == 64) high_words[0] |= even_high << step | odd_high << (step + 1);
    if (layout.high_bytes == 128) high_words[step / 4] |= even_high << (step % 4 * 2) | odd_high << (step % 4 * 2 + 2);
  }
  for (std::size_t i = 0; i < layout.high_bytes / kPanelVector; ++i) store(high + i * kPanelVector, high_words[i]);
}

/// The inverse of put_codes().
void get_codes(const PanelLayout& layout, const std::uint8_t* block, std::size_t row, std::uint8_t* codes) noexcept {
  const std::uint8_t* low = block + layout.high_bytes;
  for (std::size_t k = 0; k < kBlock; ++k) {
    const std::size_t step = k / 4;
    const std::size_t at = lane(row, k);
    if (layout.low_bytes == 512) {
      codes[k] = low[step * kPanelVector + at];
      continue;
    }
    unsigned code = low[step / 2 * kPanelVector + at] >> (step % 2 * 4) & 15u;
    if (layout.high_bytes == 64) code |= (block[at] >> step & 1u) << 4;
    if (layout.high_bytes == 128) code |= (block[step / 4 * kPanelVector + at] >> (step % 4 * 2) & 3u) << 4;
    codes[k] = static_cast<std::uint8_t>(code);
  }
}

// -- One row into a panel -------------------------------------------------------------------------------------------

std::uint8_t* half_at(std::uint8_t* header, std::size_t row) noexcept { return header + row * 2; }

// Scales of block `b` of a row into the header of its group.
template <class Block>  // Q4_0, Q5_0, Q8_0
void put_scales(const Block& block, std::size_t b, std::size_t row, std::uint8_t* header) noexcept {
  store(half_at(header, row) + b % 2 * kHeaderRow, block.d);
}
void put_scales(const BlockQ4_1& block, std::size_t, std::size_t row, std::uint8_t* header) noexcept {
  store(half_at(header, row), block.d);
  store(half_at(header, row) + kHeaderQ4_1Min, block.m);
}
void put_scales(const BlockQ4_K& block, std::size_t b, std::size_t row, std::uint8_t* header) noexcept {
  store(half_at(header, row), block.d);
  store(half_at(header, row) + kHeaderQ4_KMin, block.dmin);
  const ScaleAndMinimum pair = unpack_scale_and_minimum(block.scales, b % 8);
  header[kHeaderSubScales + b % 8 * kPanelRows + row] = static_cast<std::uint8_t>(pair.scale);
  header[kHeaderQ4_KSubMins + b % 8 * kPanelRows + row] = static_cast<std::uint8_t>(pair.minimum);
}
void put_scales(const BlockQ6_K& block, std::size_t b, std::size_t row, std::uint8_t* header) noexcept {
  store(half_at(header, row), block.d);
  for (std::size_t sub = b % 8 * 2; sub < b % 8 * 2 + 2; ++sub) {
    header[kHeaderSubScales + sub * kPanelRows + row] = static_cast<std::uint8_t>(block.scales[sub]);
  }
}

template <class Block>
void pack_blocks(const PanelLayout& layout, const std::uint8_t* file, std::size_t blocks, std::size_t row,
                 std::uint8_t* panel) noexcept {
  constexpr std::size_t kParts = Block::kValues / kBlock;
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto block = load<Block>(file + b / kParts * sizeof(Block));
    const WeightBlock weights = unpack(block, b % kParts);
    std::uint8_t codes[kBlock];
    for (std::size_t k = 0; k < kBlock; ++k) codes[k] = static_cast<std::uint8_t>(weights.codes[k] + layout.offset);
    put_scales(block, b, row, panel + layout.header_at(b));
    put_codes(layout, panel + layout.block_at(b), row, codes);
  }
}

/// Float types: element (k, row) at k * 16 + row.
void pack_row_floats(const std::uint8_t* file, std::size_t k, std::size_t width, std::size_t row,
                     std::uint8_t* panel) noexcept {
  for (std::size_t i = 0; i < k; ++i) std::memcpy(panel + (i * kPanelRows + row) * width, file + i * width, width);
}

void pack_row(TensorType type, const std::uint8_t* file, std::size_t k, std::size_t row, std::uint8_t* panel) noexcept {
  const std::size_t blocks = k / kBlock;
  switch (type) {
    case TensorType::q4_0: return pack_blocks<BlockQ4_0>(kPanelQ4_0, file, blocks, row, panel);
    case TensorType::q4_1: return pack_blocks<BlockQ4_1>(kPanelQ4_1, file, blocks, row, panel);
    case TensorType::q5_0: return pack_blocks<BlockQ5_0>(kPanelQ5_0, file, blocks, row, panel);
    case TensorType::q8_0: return pack_blocks<BlockQ8_0>(kPanelQ8_0, file, blocks, row, panel);
    case TensorType::q4_k: return pack_blocks<BlockQ4_K>(kPanelQ4_K, file, blocks, row, panel);
    case TensorType::q6_k: return pack_blocks<BlockQ6_K>(kPanelQ6_K, file, blocks, row, panel);
    case TensorType::f32: return pack_row_floats(file, k, 4, row, panel);
    default: return pack_row_floats(file, k, 2, row, panel);
  }
}

// -- One row of a panel ---------------------------------------------------------------------------------------------

float load_half(const std::uint8_t* bytes) noexcept { return half_to_float(load<std::uint16_t>(bytes)); }

/// The inverse of put_scales(), in the parts that the type's unpack() sets.
void get_scales(TensorType type, const std::uint8_t* header, std::size_t b, std::size_t row,
                WeightBlock& weights) noexcept {
  const std::uint8_t* row_half = header + row * 2;
  const std::uint8_t* sub_scales = header + kHeaderSubScales + row;
  switch (type) {
    case TensorType::q4_1:
      weights.scale = load_half(row_half);
      weights.offset = load_half(row_half + kHeaderQ4_1Min);
      return;
    case TensorType::q4_k:
      weights.scale = load_half(row_half) * static_cast<float>(sub_scales[b % 8 * kPanelRows]);
      weights.offset = -(load_half(row_half + kHeaderQ4_KMin) *
                         static_cast<float>(header[kHeaderQ4_KSubMins + b % 8 * kPanelRows + row]));
      return;
    case TensorType::q6_k:
      weights.scale = load_half(row_half);
      for (std::size_t half = 0; half < 2; ++half) {
        weights.half_scale[half] = static_cast<std::int8_t>(sub_scales[(b % 8 * 2 + half) * kPanelRows]);
      }
      return;
    default: weights.scale = load_half(row_half + b % 2 * kHeaderRow);
  }
}

void unpack_float_row(TensorType type, const std::uint8_t* panel, std::size_t row, std::size_t k,
                      float* values) noexcept {
  for (std::size_t i = 0; i < k; ++i) {
    const std::size_t element = i * kPanelRows + row;
    if (type == TensorType::f32) {
      std::memcpy(values + i, panel + element * 4, 4);
    } else {
      const auto bits = load<std::uint16_t>(panel + element * 2);
      values[i] = type == TensorType::f16 ? half_to_float(bits) : bfloat_to_float(bits);
    }
  }
}

/// Null for types without a packed form and for float types.
const PanelLayout* find_layout(TensorType type) noexcept {
  switch (type) {
    case TensorType::q4_0: return &kPanelQ4_0;
    case TensorType::q4_1: return &kPanelQ4_1;
    case TensorType::q5_0: return &kPanelQ5_0;
    case TensorType::q8_0: return &kPanelQ8_0;
    case TensorType::q4_k: return &kPanelQ4_K;
    case TensorType::q6_k: return &kPanelQ6_K;
    default: return nullptr;
  }
}

bool is_float(TensorType type) noexcept {
  return type == TensorType::f32 || type == TensorType::f16 || type == TensorType::bf16;
}

}  // namespace

bool is_packable(TensorType type) noexcept { return is_float(type) || find_layout(type) != nullptr; }

std::size_t panel_bytes(TensorType type, std::size_t k) noexcept {
  if (const PanelLayout* layout = find_layout(type)) return layout->panel_bytes(k / kBlock);
  return k * kPanelRows * (type == TensorType::f32 ? 4 : 2);
}

std::size_t packed_bytes(TensorType type, std::size_t rows, std::size_t k) noexcept {
  return (rows + kPanelRows - 1) / kPanelRows * panel_bytes(type, k);
}

void pack_panel(TensorType type, const void* rows, std::size_t n_rows, std::size_t k, void* panel) noexcept {
  auto* to = static_cast<std::uint8_t*>(panel);
  const auto* from = static_cast<const std::uint8_t*>(rows);
  std::memset(to, 0, panel_bytes(type, k));
  for (std::size_t row = 0; row < n_rows; ++row) pack_row(type, from + row * row_bytes(type, k), k, row, to);
}

WeightBlock unpack_panel_block(TensorType type, const void* panel, std::size_t row, std::size_t block) noexcept {
  const auto* bytes = static_cast<const std::uint8_t*>(panel);
  const PanelLayout& layout = *find_layout(type);
  WeightBlock weights{};
  get_scales(type, bytes + layout.header_at(block), block, row, weights);
  std::uint8_t codes[kBlock];
  get_codes(layout, bytes + layout.block_at(block), row, codes);
  for (std::size_t k = 0; k < kBlock; ++k) weights.codes[k] = static_cast<std::int8_t>(codes[k] - layout.offset);
  return weights;
}

void unpack_panel_row(TensorType type, const void* panel, std::size_t row, std::size_t k, float* values) noexcept {
  const bool is_quantized = visit_block_type(type, [&]<class Block>(BlockTag<Block>) {
    for (std::size_t b = 0; b < k / kBlock; ++b) {
      to_values<Block::kForm>(unpack_panel_block(type, panel, row, b), values + b * kBlock);
    }
  });
  if (!is_quantized) unpack_float_row(type, static_cast<const std::uint8_t*>(panel), row, k, values);
}

}  // namespace loquat::inline LOQUAT_ABI
