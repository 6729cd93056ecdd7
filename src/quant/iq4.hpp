// SPDX-License-Identifier: MIT
// IQ4_NL and IQ4_XS: codes of 4 bits that stand for sixteen unevenly spaced whole numbers, finer around zero.
//
//   IQ4_NL, 18 bytes    0     2                   18
//                       | d   | 16 bytes of codes |            32 values; value = d * number(code)
//   IQ4_XS, 136 bytes   0     2          4          8                    136
//                       | d   | high (2) | low (4)  | 128 bytes of codes |
//                       256 values, every 32 have a scale of 6 bits; value = (d * (scale - 32)) * number(code)
//
//   d: f16. In each 16 bytes of codes byte j holds value j in its low and value j + 16 in its high four bits.
//   Scale p (0..7): low four bits in byte p / 2 of `low`, in its low half for even p; bits 4 and 5 in bits
//   2 p, 2 p + 1 of `high`.
#ifndef LOQUAT_QUANT_IQ4_HPP
#define LOQUAT_QUANT_IQ4_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>

#include "base/half.hpp"
#include "quant/weight_block.hpp"

namespace loquat::inline LOQUAT_ABI {

/// What the codes 0..15 stand for (ggml-common.h).
inline constexpr std::int8_t kIq4Numbers[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                1,    13,   25,  38,  53,  69,  89,  113};

struct BlockIq4Nl {
  static constexpr std::size_t kValues = 32;
  static constexpr WeightForm kForm = WeightForm::scale;
  std::uint16_t d;
  std::uint8_t codes[16];
};
static_assert(sizeof(BlockIq4Nl) == 18);

struct BlockIq4Xs {
  static constexpr std::size_t kValues = kSuperBlock;
  static constexpr WeightForm kForm = WeightForm::scale;
  std::uint16_t d;
  std::uint16_t high;
  std::uint8_t low[4];
  std::uint8_t codes[128];
};
static_assert(sizeof(BlockIq4Xs) == 136);

/// Scale of a part, -32..31.
inline int unpack_scale(const BlockIq4Xs& block, std::size_t part) noexcept {
  const int low = block.low[part / 2] >> (part % 2 * 4) & 0xF;
  const int high = block.high >> (part * 2) & 3;
  return (low | high << 4) - 32;
}

/// numbers [32] from 16 bytes of codes by a table of sixteen.
inline void look_up_codes(const std::uint8_t* codes, const std::int8_t* table,
                          std::int8_t* numbers) noexcept {
  for (std::size_t j = 0; j < 16; ++j) {
    numbers[j] = table[codes[j] & 0xF];
    numbers[j + 16] = table[codes[j] >> 4];
  }
}

inline WeightBlock unpack(const BlockIq4Nl& block, std::size_t) noexcept {
  WeightBlock weights;
  weights.scale = half_to_float(block.d);
  look_up_codes(block.codes, kIq4Numbers, weights.codes);
  return weights;
}

inline WeightBlock unpack(const BlockIq4Xs& block, std::size_t part) noexcept {
  WeightBlock weights;
  weights.scale = half_to_float(block.d) * static_cast<float>(unpack_scale(block, part));
  look_up_codes(block.codes + part * 16, kIq4Numbers, weights.codes);
  return weights;
}

void quantize(const float* x, BlockIq4Nl& block) noexcept;
void quantize(const float* x, BlockIq4Xs& block) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_IQ4_HPP
