// SPDX-License-Identifier: MIT
// Packing: from rows of blocks as in the file to panels of 16 rows (drawings in panel_layout.hpp) and, for one row, back to
// floats. Runs once a weight at load, so it is plain loops; speed comes from touching every byte once.
#include "quant/packing.hpp"

#include <cstdint>
#include <cstring>

#include "base/half.hpp"
#include "quant/panel_layout.hpp"

namespace loquat::inline LOQUAT_ABI {
namespace {

constexpr std::size_t kBlock = 32;   // values of a block of a panel

// -- The two layouts, byte by byte ----------------------------------------------------------------------------------

/// Byte of a vector that holds value k of a row.
constexpr std::size_t lane(std::size_t row, std::size_t k) noexcept { return row * 4 + k % 4; }

/// Writes the 32 codes of one row of a block; the panel is zero before.
void put_codes(const PanelLayout& layout, std::uint8_t* block, std::size_t row, const std::uint8_t* codes) noexcept {
  std::uint8_t* low = block + layout.high_bytes;
  for (std::size_t k = 0; k < kBlock; ++k) {
    const std::size_t step = k / 4;
    const std::size_t at = lane(row, k);
    const unsigned code = codes[k];
    if (layout.low_bytes == 512) {
      low[step * kPanelVector + at] = static_cast<std::uint8_t>(code);
      continue;
    }
    std::uint8_t& pair = low[step / 2 * kPanelVector + at];
    pair = static_cast<std::uint8_t>(pair | (code & 15u) << (step % 2 * 4));
    if (layout.high_bytes == 64) {
      block[at] = static_cast<std::uint8_t>(block[at] | (code >> 4) << step);
    } else if (layout.high_bytes == 128) {
      std::uint8_t& quad = block[step / 4 * kPanelVector + at];
      quad = static_cast<std::uint8_t>(quad | (code >> 4) << (step % 4 * 2));
    }
  }
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

/// Sixteen bytes of nibbles: the low ones are values 0..15, the high ones values 16..31.
void split_nibbles(const std::uint8_t* bytes, std::uint8_t* codes) noexcept {
  for (std::size_t i = 0; i < 16; ++i) {
    codes[i] = bytes[i] & 15u;
    codes[i + 16] = bytes[i] >> 4;
  }
}

/// Scale and min of sub-block j (0..7) of Q4_K: 6 bits each in 12 bytes (ggml-quants.c, get_scale_min_k4).
struct ScaleMin {
  std::uint8_t scale;
  std::uint8_t min;
};
ScaleMin scale_min_q4_k(const std::uint8_t* bytes, std::size_t j) noexcept {
  if (j < 4) return {static_cast<std::uint8_t>(bytes[j] & 63u), static_cast<std::uint8_t>(bytes[j + 4] & 63u)};
  const unsigned high_scale = bytes[j - 4] >> 6;
  const unsigned high_min = bytes[j] >> 6;
  return {static_cast<std::uint8_t>((bytes[j + 4] & 15u) | high_scale << 4),
          static_cast<std::uint8_t>(bytes[j + 4] >> 4 | high_min << 4)};
}

std::uint16_t load_u16(const std::uint8_t* bytes) noexcept {
  std::uint16_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

float load_half(const std::uint8_t* bytes) noexcept { return half_to_float(load_u16(bytes)); }

// -- One row into a panel: `blocks` blocks of 32 --------------------------------------------------------------------

// File block of Q4_0: d f16, 16 bytes of nibbles.
void pack_row_q4_0(const std::uint8_t* file, std::size_t blocks, std::size_t row, std::uint8_t* panel) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, file += 18) {
    std::uint8_t codes[kBlock];
    split_nibbles(file + 2, codes);
    std::memcpy(panel + kPanelQ4_0.header_at(b) + b % 2 * kHeaderRow + row * 2, file, 2);
    put_codes(kPanelQ4_0, panel + kPanelQ4_0.block_at(b), row, codes);
  }
}

// File block of Q4_1: d f16, m f16, 16 bytes of nibbles.
void pack_row_q4_1(const std::uint8_t* file, std::size_t blocks, std::size_t row, std::uint8_t* panel) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, file += 20) {
    std::uint8_t codes[kBlock];
    split_nibbles(file + 4, codes);
    std::uint8_t* header = panel + kPanelQ4_1.header_at(b);
    std::memcpy(header + row * 2, file, 2);
    std::memcpy(header + kHeaderQ4_1Min + row * 2, file + 2, 2);
    put_codes(kPanelQ4_1, panel + kPanelQ4_1.block_at(b), row, codes);
  }
}

// File block of Q5_0: d f16, 32 fifth bits (bit k belongs to value k), 16 bytes of nibbles.
void pack_row_q5_0(const std::uint8_t* file, std::size_t blocks, std::size_t row, std::uint8_t* panel) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, file += 22) {
    std::uint8_t codes[kBlock];
    split_nibbles(file + 6, codes);
    for (std::size_t k = 0; k < kBlock; ++k) {
      const unsigned high = file[2 + k / 8] >> (k % 8) & 1u;
      codes[k] = static_cast<std::uint8_t>(codes[k] | high << 4);
    }
    std::memcpy(panel + kPanelQ5_0.header_at(b) + b % 2 * kHeaderRow + row * 2, file, 2);
    put_codes(kPanelQ5_0, panel + kPanelQ5_0.block_at(b), row, codes);
  }
}

// File block of Q8_0: d f16, 32 signed bytes.
void pack_row_q8_0(const std::uint8_t* file, std::size_t blocks, std::size_t row, std::uint8_t* panel) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, file += 34) {
    std::uint8_t codes[kBlock];
    for (std::size_t k = 0; k < kBlock; ++k) codes[k] = file[2 + k] ^ 0x80u;
    std::memcpy(panel + kPanelQ8_0.header_at(b) + b % 2 * kHeaderRow + row * 2, file, 2);
    put_codes(kPanelQ8_0, panel + kPanelQ8_0.block_at(b), row, codes);
  }
}

// File super-block of Q4_K: d f16, dmin f16, 12 bytes of scales and mins, 128 bytes of nibbles; 32 bytes of these hold
// two blocks, the first in the low nibbles.
void pack_row_q4_k(const std::uint8_t* file, std::size_t blocks, std::size_t row, std::uint8_t* panel) noexcept {
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::uint8_t* super = file + b / 8 * 144;
    const std::size_t j = b % 8;
    std::uint8_t* header = panel + kPanelQ4_K.header_at(b);
    std::memcpy(header + row * 2, super, 2);
    std::memcpy(header + kHeaderQ4_KMin + row * 2, super + 2, 2);
    const ScaleMin sub = scale_min_q4_k(super + 4, j);
    header[kHeaderSubScales + j * 16 + row] = sub.scale;
    header[kHeaderQ4_KSubMins + j * 16 + row] = sub.min;
    std::uint8_t codes[kBlock];
    const std::uint8_t* nibbles = super + 16 + j / 2 * 32;
    for (std::size_t k = 0; k < kBlock; ++k) codes[k] = nibbles[k] >> (j % 2 * 4) & 15u;
    put_codes(kPanelQ4_K, panel + kPanelQ4_K.block_at(b), row, codes);
  }
}

// File super-block of Q6_K: 128 bytes of low nibbles, 64 bytes of high pairs, 16 signed scales, d f16. Each half of 128
// values has 64 + 32 bytes: block j (0..3) of it takes nibble j / 2 of bytes 32 * (j % 2) and up, and pair j of the 32.
void pack_row_q6_k(const std::uint8_t* file, std::size_t blocks, std::size_t row, std::uint8_t* panel) noexcept {
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::uint8_t* super = file + b / 8 * 210;
    const std::size_t half = b % 8 / 4;
    const std::size_t j = b % 4;
    const std::uint8_t* low = super + half * 64 + j % 2 * 32;
    const std::uint8_t* high = super + 128 + half * 32;
    std::uint8_t codes[kBlock];
    for (std::size_t k = 0; k < kBlock; ++k) {
      const unsigned nibble = low[k] >> (j / 2 * 4) & 15u;
      codes[k] = static_cast<std::uint8_t>(nibble | (high[k] >> (j * 2) & 3u) << 4);
    }
    std::uint8_t* header = panel + kPanelQ6_K.header_at(b);
    std::memcpy(header + row * 2, super + 208, 2);
    for (std::size_t h = 0; h < 2; ++h) {
      const std::size_t sub = b % 8 * 2 + h;
      header[kHeaderSubScales + sub * 16 + row] = super[192 + sub];
    }
    put_codes(kPanelQ6_K, panel + kPanelQ6_K.block_at(b), row, codes);
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
    case TensorType::q4_0: return pack_row_q4_0(file, blocks, row, panel);
    case TensorType::q4_1: return pack_row_q4_1(file, blocks, row, panel);
    case TensorType::q5_0: return pack_row_q5_0(file, blocks, row, panel);
    case TensorType::q8_0: return pack_row_q8_0(file, blocks, row, panel);
    case TensorType::q4_k: return pack_row_q4_k(file, blocks, row, panel);
    case TensorType::q6_k: return pack_row_q6_k(file, blocks, row, panel);
    case TensorType::f32: return pack_row_floats(file, k, 4, row, panel);
    default: return pack_row_floats(file, k, 2, row, panel);
  }
}

// -- One block of one row back to floats: the arithmetic of dequantize_row() ----------------------------------------

/// value = (code - offset) * d, or code * d + min by two roundings.
struct BlockScales {
  float d;
  float min;
  bool has_min;
};

void scale_codes(const std::uint8_t* codes, int offset, BlockScales scales, float* values) noexcept {
  for (std::size_t k = 0; k < kBlock; ++k) {
    const float product = static_cast<float>(static_cast<int>(codes[k]) - offset) * scales.d;
    values[k] = scales.has_min ? product + scales.min : product;
  }
}

/// Scales of a block of 32 of a type that has one scale a block.
BlockScales block_scales(TensorType type, const std::uint8_t* header, std::size_t block, std::size_t row) noexcept {
  const std::uint8_t* row_half = header + row * 2;
  if (type == TensorType::q4_1) return {load_half(row_half), load_half(row_half + kHeaderQ4_1Min), true};
  if (type == TensorType::q4_k) {
    const std::size_t sub = block % 8 * 16 + row;
    const float scale = load_half(row_half) * static_cast<float>(header[kHeaderSubScales + sub]);
    const float min = load_half(row_half + kHeaderQ4_KMin) * static_cast<float>(header[kHeaderQ4_KSubMins + sub]);
    return {scale, -min, true};
  }
  return {load_half(row_half + block % 2 * kHeaderRow), 0, false};
}

void unpack_block_q6_k(const std::uint8_t* header, std::size_t block, std::size_t row, const std::uint8_t* codes,
                       float* values) noexcept {
  for (std::size_t k = 0; k < kBlock; ++k) {
    const std::size_t sub = block % 8 * 2 + k / 16;
    const auto scale = static_cast<std::int8_t>(header[kHeaderSubScales + sub * 16 + row]);
    values[k] = load_half(header + row * 2) * static_cast<float>(scale) * static_cast<float>(codes[k] - kPanelQ6_K.offset);
  }
}

void unpack_quantized_row(TensorType type, const PanelLayout& layout, const std::uint8_t* panel, std::size_t row,
                          std::size_t blocks, float* values) noexcept {
  for (std::size_t b = 0; b < blocks; ++b, values += kBlock) {
    const std::uint8_t* header = panel + layout.header_at(b);
    std::uint8_t codes[kBlock];
    get_codes(layout, panel + layout.block_at(b), row, codes);
    if (type == TensorType::q6_k) {
      unpack_block_q6_k(header, b, row, codes, values);
    } else {
      scale_codes(codes, layout.offset, block_scales(type, header, b, row), values);
    }
  }
}

void unpack_float_row(TensorType type, const std::uint8_t* panel, std::size_t row, std::size_t k, float* values) noexcept {
  for (std::size_t i = 0; i < k; ++i) {
    const std::size_t element = i * kPanelRows + row;
    if (type == TensorType::f32) {
      std::memcpy(values + i, panel + element * 4, 4);
    } else {
      const std::uint16_t bits = load_u16(panel + element * 2);
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

void unpack_panel_row(TensorType type, const void* panel, std::size_t row, std::size_t k, float* values) noexcept {
  const auto* from = static_cast<const std::uint8_t*>(panel);
  if (const PanelLayout* layout = find_layout(type)) {
    unpack_quantized_row(type, *layout, from, row, k / kBlock, values);
  } else {
    unpack_float_row(type, from, row, k, values);
  }
}

}  // namespace loquat::inline LOQUAT_ABI
