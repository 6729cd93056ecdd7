// SPDX-License-Identifier: MIT
// Plain quantizers of Q5_0 and Q5_1 (ggml-quants.c, the reference rows); as those of Q4, with five bits.
#include "quant/q5.hpp"

#include "quant/scale_search.hpp"

namespace loquat::inline LOQUAT_ABI {
namespace {

/// Codes round half up from value * inverse, shifted by zero_and_half; stored as the block wants them.
template <class Block>
void store_five_bits(const float* x, float subtract, float inverse, float zero_and_half, Block& block) noexcept {
  std::uint32_t high = 0;
  for (std::size_t j = 0; j < 16; ++j) {
    const unsigned first = truncate_to_code((x[j] - subtract) * inverse + zero_and_half, 31);
    const unsigned second = truncate_to_code((x[j + 16] - subtract) * inverse + zero_and_half, 31);
    block.low[j] = static_cast<std::uint8_t>((first & 0xF) | (second & 0xF) << 4);
    high |= first >> 4 << j | second >> 4 << (j + 16);
  }
  store(block.high, high);
}

}  // namespace

void quantize(const float* x, BlockQ5_0& block) noexcept {
  const float d = extreme_value(x, 32) / -16.0f;
  block.d = float_to_half(d);
  store_five_bits(x, 0.0f, reciprocal_or_zero(d), 16.5f, block);
}

void quantize(const float* x, BlockQ5_1& block) noexcept {
  const ValueRange range = value_range(x, 32);
  const float d = (range.highest - range.lowest) / 31.0f;
  block.d = float_to_half(d);
  block.m = float_to_half(range.lowest);
  store_five_bits(x, range.lowest, reciprocal_or_zero(d), 0.5f, block);
}

}  // namespace loquat::inline LOQUAT_ABI
