// SPDX-License-Identifier: MIT
// Q3_K: 256 values of 3 bits; every 16 have a scale of 6 bits.
//
//   110 bytes   0                32                 96          108   110
//               | 32 bytes high  | 64 bytes of low  | 12 scales | d   |
//
//   d: f16. value = (d * (scale - 32)) * (code - 4)
//   Values 128 n + 32 j + l (n 0..1, j 0..3, l 0..31): low two bits in bits 2 j, 2 j + 1 of byte 32 n + l of
//   the low part, bit 2 in bit 4 n + j of byte l of the high part.
//   Scale s (0..15), for values 16 s .. 16 s + 15: low four bits in byte s % 8 of the scales, in its low half
//   for s < 8 and its high half above; bits 4 and 5 in byte 8 + s % 4, at bit 2 (s / 4).
#ifndef LOQUAT_QUANT_Q3_K_HPP
#define LOQUAT_QUANT_Q3_K_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>

#include "base/half.hpp"
#include "quant/weight_block.hpp"

namespace loquat::inline LOQUAT_ABI {

struct BlockQ3_K {
  static constexpr std::size_t kValues = kSuperBlock;
  static constexpr WeightForm kForm = WeightForm::half_scales;
  std::uint8_t high[32];
  std::uint8_t low[64];
  std::uint8_t scales[12];
  std::uint16_t d;
};
static_assert(sizeof(BlockQ3_K) == 110);

/// Scale s of a block, -32..31.
inline int unpack_scale(const BlockQ3_K& block, std::size_t s) noexcept {
  const int low = block.scales[s % 8] >> (s < 8 ? 0 : 4) & 0xF;
  const int high = block.scales[8 + s % 4] >> (s / 4 * 2) & 3;
  return (low | high << 4) - 32;
}

inline WeightBlock unpack(const BlockQ3_K& block, std::size_t part) noexcept {
  WeightBlock weights;
  weights.scale = half_to_float(block.d);
  weights.half_scale[0] = unpack_scale(block, 2 * part);
  weights.half_scale[1] = unpack_scale(block, 2 * part + 1);
  const std::uint8_t* low = block.low + part / 4 * 32;
  const std::size_t shift = part % 4 * 2;
  for (std::size_t l = 0; l < 32; ++l) {
    const int code = (low[l] >> shift & 3) | (block.high[l] >> part & 1) << 2;
    weights.codes[l] = static_cast<std::int8_t>(code - 4);
  }
  return weights;
}

void quantize(const float* x, BlockQ3_K& block) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_Q3_K_HPP
