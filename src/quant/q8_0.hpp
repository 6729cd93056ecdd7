// SPDX-License-Identifier: MIT
// Q8_0: 32 values of 8 bits with one scale.
//
//   34 bytes   0     2                   34
//              | d   | 32 codes of int8  |      value = d * code
//
//   d: f16. Files may hold the code -128; the quantizer writes -127..127.
#ifndef LOQUAT_QUANT_Q8_0_HPP
#define LOQUAT_QUANT_Q8_0_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/half.hpp"
#include "quant/weight_block.hpp"

namespace loquat::inline LOQUAT_ABI {

struct BlockQ8_0 {
  static constexpr std::size_t kValues = 32;
  static constexpr WeightForm kForm = WeightForm::scale;
  std::uint16_t d;
  std::int8_t codes[32];
};
static_assert(sizeof(BlockQ8_0) == 34);

inline WeightBlock unpack(const BlockQ8_0& block, std::size_t) noexcept {
  WeightBlock weights;
  weights.scale = half_to_float(block.d);
  std::memcpy(weights.codes, block.codes, sizeof block.codes);
  return weights;
}

void quantize(const float* x, BlockQ8_0& block) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_Q8_0_HPP
