// SPDX-License-Identifier: MIT
// Q2_K: 256 values of 2 bits; every 16 have a scale and a minimum of 4 bits.
//
//   84 bytes   0                   16                80    82     84
//              | 16 scales/minima  | 64 bytes codes  | d   | dmin |
//
//   d, dmin: f16. value = (d * scale) * code - dmin * minimum
//   Byte s of the first part, for values 16 s .. 16 s + 15: scale in the low, minimum in the high four bits.
//   Values 128 n + 32 j + l (n 0..1, j 0..3, l 0..31) lie in bits 2 j, 2 j + 1 of byte 32 n + l of the codes.
#ifndef LOQUAT_QUANT_Q2_K_HPP
#define LOQUAT_QUANT_Q2_K_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>

#include "base/half.hpp"
#include "quant/weight_block.hpp"

namespace loquat::inline LOQUAT_ABI {

struct BlockQ2_K {
  static constexpr std::size_t kValues = kSuperBlock;
  static constexpr WeightForm kForm = WeightForm::half_offsets;
  std::uint8_t scales[16];
  std::uint8_t codes[64];
  std::uint16_t d;
  std::uint16_t dmin;
};
static_assert(sizeof(BlockQ2_K) == 84);

inline WeightBlock unpack(const BlockQ2_K& block, std::size_t part) noexcept {
  WeightBlock weights;
  weights.scale = half_to_float(block.d);
  weights.offset = -half_to_float(block.dmin);
  for (std::size_t half = 0; half < 2; ++half) {
    weights.half_scale[half] = block.scales[2 * part + half] & 0xF;
    weights.half_offset[half] = block.scales[2 * part + half] >> 4;
  }
  const std::uint8_t* codes = block.codes + part / 4 * 32;
  const std::size_t shift = part % 4 * 2;
  for (std::size_t l = 0; l < 32; ++l) weights.codes[l] = static_cast<std::int8_t>(codes[l] >> shift & 3);
  return weights;
}

void quantize(const float* x, BlockQ2_K& block) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_Q2_K_HPP
