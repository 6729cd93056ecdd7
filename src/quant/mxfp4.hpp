// SPDX-License-Identifier: MIT
// MXFP4 (OCP Microscaling Formats 1.0): 32 values of 4 bits (sign, two exponent bits, one fraction bit) with
// one exponent.
//
//   17 bytes   0    1                   17
//              | e  | 16 bytes of codes |      value = 2^(e - 128) * number(code)
//
//   Codes stand for 0, 1/2, 1, 3/2, 2, 3, 4, 6 and their negatives; `number` is twice that, so that it is
//   whole, and the exponent one less. Byte j holds value j in its low and value j + 16 in its high four bits.
//   e = 255, NaN in the standard, is an ordinary exponent in files (ggml-impl.h).
#ifndef LOQUAT_QUANT_MXFP4_HPP
#define LOQUAT_QUANT_MXFP4_HPP

#include <loquat/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

#include "quant/iq4.hpp"
#include "quant/weight_block.hpp"

namespace loquat::inline LOQUAT_ABI {

inline constexpr std::int8_t kMxfp4Numbers[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

struct BlockMxfp4 {
  static constexpr std::size_t kValues = 32;
  static constexpr WeightForm kForm = WeightForm::scale;
  std::uint8_t exponent;
  std::uint8_t codes[16];
};
static_assert(sizeof(BlockMxfp4) == 17);

/// 2^(exponent - 128); the two lowest are subnormal.
constexpr float mxfp4_scale(std::uint8_t exponent) noexcept {
  if (exponent < 2) return std::bit_cast<float>(0x00200000u << exponent);
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent - 1) << 23);
}

inline WeightBlock unpack(const BlockMxfp4& block, std::size_t) noexcept {
  WeightBlock weights;
  weights.scale = mxfp4_scale(block.exponent);
  look_up_codes(block.codes, kMxfp4Numbers, weights.codes);
  return weights;
}

void quantize(const float* x, BlockMxfp4& block) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_MXFP4_HPP
