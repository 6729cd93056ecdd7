// SPDX-License-Identifier: MIT
// Q4_K and Q5_K: 256 values of 4 and 5 bits; every 32 have a scale and a minimum of 6 bits.
//
//   Q4_K, 144 bytes   0     2      4           16                   144
//                     | d   | dmin | 12 scales | 128 bytes of codes |
//   Q5_K, 176 bytes   0     2      4           16               48                 176
//                     | d   | dmin | 12 scales | 32 bytes high  | 128 bytes of low |
//
//   d, dmin: f16. value = (d * scale) * code - dmin * minimum
//   Values 64 n + l and 64 n + 32 + l (n 0..3, l 0..31) are the low and the high four bits of byte 32 n + l
//   of the codes; bit 4 of value 32 p + l of Q5_K is bit p of byte l of the high part.
//   Bytes of the scales, for block p (0..7) of 32:
//     p < 4    scale = low six bits of byte p, minimum = low six bits of byte p + 4
//     p >= 4   byte p + 4 has the low four bits of the scale below those of the minimum;
//              bits 4 and 5 of the scale are bits 6 and 7 of byte p - 4, those of the minimum of byte p
#ifndef LOQUAT_QUANT_Q4_K_HPP
#define LOQUAT_QUANT_Q4_K_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>

#include "base/half.hpp"
#include "quant/weight_block.hpp"

namespace loquat::inline LOQUAT_ABI {

struct BlockQ4_K {
  static constexpr std::size_t kValues = kSuperBlock;
  static constexpr WeightForm kForm = WeightForm::scale_offset;
  std::uint16_t d;
  std::uint16_t dmin;
  std::uint8_t scales[12];
  std::uint8_t codes[128];
};
static_assert(sizeof(BlockQ4_K) == 144);

struct BlockQ5_K {
  static constexpr std::size_t kValues = kSuperBlock;
  static constexpr WeightForm kForm = WeightForm::scale_offset;
  std::uint16_t d;
  std::uint16_t dmin;
  std::uint8_t scales[12];
  std::uint8_t high[32];
  std::uint8_t low[128];
};
static_assert(sizeof(BlockQ5_K) == 176);

/// Scale and minimum of one block of 32, 0..63 each.
struct ScaleAndMinimum {
  int scale;
  int minimum;
};

inline ScaleAndMinimum unpack_scale_and_minimum(const std::uint8_t* scales, std::size_t part) noexcept {
  if (part < 4) return {scales[part] & 63, scales[part + 4] & 63};
  return {(scales[part + 4] & 0xF) | scales[part - 4] >> 6 << 4,
          scales[part + 4] >> 4 | scales[part] >> 6 << 4};
}

/// Sets scale and offset of a part; both products are exact (11 and 6 bits).
template <class Block>
void unpack_scales(const Block& block, std::size_t part, WeightBlock& weights) noexcept {
  const ScaleAndMinimum pair = unpack_scale_and_minimum(block.scales, part);
  weights.scale = half_to_float(block.d) * static_cast<float>(pair.scale);
  weights.offset = -(half_to_float(block.dmin) * static_cast<float>(pair.minimum));
}

inline WeightBlock unpack(const BlockQ4_K& block, std::size_t part) noexcept {
  WeightBlock weights;
  unpack_scales(block, part, weights);
  const std::uint8_t* codes = block.codes + part / 2 * 32;
  const std::size_t shift = part % 2 * 4;
  for (std::size_t l = 0; l < 32; ++l) weights.codes[l] = static_cast<std::int8_t>(codes[l] >> shift & 0xF);
  return weights;
}

inline WeightBlock unpack(const BlockQ5_K& block, std::size_t part) noexcept {
  WeightBlock weights;
  unpack_scales(block, part, weights);
  const std::uint8_t* low = block.low + part / 2 * 32;
  const std::size_t shift = part % 2 * 4;
  for (std::size_t l = 0; l < 32; ++l) {
    weights.codes[l] = static_cast<std::int8_t>((low[l] >> shift & 0xF) | (block.high[l] >> part & 1) << 4);
  }
  return weights;
}

void quantize(const float* x, BlockQ4_K& block) noexcept;
void quantize(const float* x, BlockQ5_K& block) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_Q4_K_HPP
