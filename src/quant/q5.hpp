// SPDX-License-Identifier: MIT
// Q5_0 and Q5_1: 32 values of 5 bits with one scale, without and with an offset.
//
//   Q5_0, 22 bytes   0     2        6                       22
//                    | d   | high   | 16 bytes of low bits  |          value = d * (code - 16)
//   Q5_1, 24 bytes   0     2     4        8                       24
//                    | d   | m   | high   | 16 bytes of low bits  |    value = d * code + m
//
//   d, m: f16. Byte j of the low bits holds value j in its low and value j + 16 in its high four bits; bit i
//   of the 32 bits of `high` (little-endian) is bit 4 of value i.
#ifndef LOQUAT_QUANT_Q5_HPP
#define LOQUAT_QUANT_Q5_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/half.hpp"
#include "quant/weight_block.hpp"

namespace loquat::inline LOQUAT_ABI {

struct BlockQ5_0 {
  static constexpr std::size_t kValues = 32;
  static constexpr WeightForm kForm = WeightForm::scale;
  std::uint16_t d;
  std::uint8_t high[4];
  std::uint8_t low[16];
};
static_assert(sizeof(BlockQ5_0) == 22);

struct BlockQ5_1 {
  static constexpr std::size_t kValues = 32;
  static constexpr WeightForm kForm = WeightForm::scale_offset;
  std::uint16_t d;
  std::uint16_t m;
  std::uint8_t high[4];
  std::uint8_t low[16];
};
static_assert(sizeof(BlockQ5_1) == 24);

/// codes [32] = the five bits of each value, less `zero`.
inline void unpack_five_bits(const std::uint8_t* low, const std::uint8_t* high, int zero,
                             std::int8_t* codes) noexcept {
  const auto bits = load<std::uint32_t>(high);
  for (std::size_t j = 0; j < 16; ++j) {
    const int first = (low[j] & 0xF) | static_cast<int>((bits >> j & 1u) << 4);
    const int second = (low[j] >> 4) | static_cast<int>((bits >> (j + 16) & 1u) << 4);
    codes[j] = static_cast<std::int8_t>(first - zero);
    codes[j + 16] = static_cast<std::int8_t>(second - zero);
  }
}

inline WeightBlock unpack(const BlockQ5_0& block, std::size_t) noexcept {
  WeightBlock weights;
  weights.scale = half_to_float(block.d);
  unpack_five_bits(block.low, block.high, 16, weights.codes);
  return weights;
}

inline WeightBlock unpack(const BlockQ5_1& block, std::size_t) noexcept {
  WeightBlock weights;
  weights.scale = half_to_float(block.d);
  weights.offset = half_to_float(block.m);
  unpack_five_bits(block.low, block.high, 0, weights.codes);
  return weights;
}

void quantize(const float* x, BlockQ5_0& block) noexcept;
void quantize(const float* x, BlockQ5_1& block) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_Q5_HPP
