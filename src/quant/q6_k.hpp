// SPDX-License-Identifier: MIT
// Q6_K: 256 values of 6 bits; every 16 have a scale of 8 bits.
//
//   210 bytes   0                  128               192                 208   210
//               | 128 bytes of low | 64 bytes high   | 16 scales, int8   | d   |
//
//   d: f16. value = (d * scale) * (code - 32); scale s is for values 16 s .. 16 s + 15.
//   Values 128 n + 32 j + l (n 0..1, j 0..3, l 0..31): low four bits in byte 64 n + 32 (j % 2) + l of the low
//   part, in its low half for j < 2 and its high half above; bits 4 and 5 in bits 2 j, 2 j + 1 of byte 32 n +
//   l of the high part.
#ifndef LOQUAT_QUANT_Q6_K_HPP
#define LOQUAT_QUANT_Q6_K_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>

#include "base/half.hpp"
#include "quant/weight_block.hpp"

namespace loquat::inline LOQUAT_ABI {

struct BlockQ6_K {
  static constexpr std::size_t kValues = kSuperBlock;
  static constexpr WeightForm kForm = WeightForm::half_scales;
  std::uint8_t low[128];
  std::uint8_t high[64];
  std::int8_t scales[16];
  std::uint16_t d;
};
static_assert(sizeof(BlockQ6_K) == 210);

inline WeightBlock unpack(const BlockQ6_K& block, std::size_t part) noexcept {
  WeightBlock weights;
  weights.scale = half_to_float(block.d);
  weights.half_scale[0] = block.scales[2 * part];
  weights.half_scale[1] = block.scales[2 * part + 1];
  const std::uint8_t* low = block.low + part / 4 * 64 + part % 2 * 32;
  const std::uint8_t* high = block.high + part / 4 * 32;
  const std::size_t low_shift = part % 4 < 2 ? 0 : 4;
  const std::size_t high_shift = part % 4 * 2;
  for (std::size_t l = 0; l < 32; ++l) {
    const int code = (low[l] >> low_shift & 0xF) | (high[l] >> high_shift & 3) << 4;
    weights.codes[l] = static_cast<std::int8_t>(code - 32);
  }
  return weights;
}

void quantize(const float* x, BlockQ6_K& block) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_Q6_K_HPP
