// SPDX-License-Identifier: MIT
// Q4_0 and Q4_1: 32 values of 4 bits with one scale, without and with an offset.
//
//   Q4_0, 18 bytes   0     2                   18
//                    | d   | 16 bytes of codes |          value = d * (code - 8)
//   Q4_1, 20 bytes   0     2     4                   20
//                    | d   | m   | 16 bytes of codes |    value = d * code + m
//
//   d, m: f16. Byte j of the codes holds value j in its low and value j + 16 in its high four bits.
#ifndef LOQUAT_QUANT_Q4_HPP
#define LOQUAT_QUANT_Q4_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>

#include "base/half.hpp"
#include "quant/weight_block.hpp"

namespace loquat::inline LOQUAT_ABI {

struct BlockQ4_0 {
  static constexpr std::size_t kValues = 32;
  static constexpr WeightForm kForm = WeightForm::scale;
  std::uint16_t d;
  std::uint8_t codes[16];
};
static_assert(sizeof(BlockQ4_0) == 18);

struct BlockQ4_1 {
  static constexpr std::size_t kValues = 32;
  static constexpr WeightForm kForm = WeightForm::scale_offset;
  std::uint16_t d;
  std::uint16_t m;
  std::uint8_t codes[16];
};
static_assert(sizeof(BlockQ4_1) == 20);

inline WeightBlock unpack(const BlockQ4_0& block, std::size_t) noexcept {
  WeightBlock weights;
  weights.scale = half_to_float(block.d);
  for (std::size_t j = 0; j < 16; ++j) {
    weights.codes[j] = static_cast<std::int8_t>((block.codes[j] & 0xF) - 8);
    weights.codes[j + 16] = static_cast<std::int8_t>((block.codes[j] >> 4) - 8);
  }
  return weights;
}

inline WeightBlock unpack(const BlockQ4_1& block, std::size_t) noexcept {
  WeightBlock weights;
  weights.scale = half_to_float(block.d);
  weights.offset = half_to_float(block.m);
  for (std::size_t j = 0; j < 16; ++j) {
    weights.codes[j] = static_cast<std::int8_t>(block.codes[j] & 0xF);
    weights.codes[j + 16] = static_cast<std::int8_t>(block.codes[j] >> 4);
  }
  return weights;
}

void quantize(const float* x, BlockQ4_0& block) noexcept;
void quantize(const float* x, BlockQ4_1& block) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_Q4_HPP
