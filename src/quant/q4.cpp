// SPDX-License-Identifier: MIT
// Plain quantizers of Q4_0 and Q4_1 (ggml-quants.c, the reference rows): the value of largest magnitude becomes code 0,
// or lowest and highest become codes 0 and 15; rounding is half up by adding 0.5 and cutting.
#include "quant/q4.hpp"

#include "quant/scale_search.hpp"

namespace loquat::inline LOQUAT_ABI {

void quantize(const float* x, BlockQ4_0& block) noexcept {
  const float d = extreme_value(x, 32) / -8.0f;
  const float inverse = reciprocal_or_zero(d);
  block.d = float_to_half(d);
  for (std::size_t j = 0; j < 16; ++j) {
    const std::uint8_t first = truncate_to_code(x[j] * inverse + 8.5f, 15);
    const std::uint8_t second = truncate_to_code(x[j + 16] * inverse + 8.5f, 15);
    block.codes[j] = static_cast<std::uint8_t>(first | second << 4);
  }
}

void quantize(const float* x, BlockQ4_1& block) noexcept {
  const ValueRange range = value_range(x, 32);
  const float d = (range.highest - range.lowest) / 15.0f;
  const float inverse = reciprocal_or_zero(d);
  block.d = float_to_half(d);
  block.m = float_to_half(range.lowest);
  for (std::size_t j = 0; j < 16; ++j) {
    const std::uint8_t first = truncate_to_code((x[j] - range.lowest) * inverse + 0.5f, 15);
    const std::uint8_t second = truncate_to_code((x[j + 16] - range.lowest) * inverse + 0.5f, 15);
    block.codes[j] = static_cast<std::uint8_t>(first | second << 4);
  }
}

}  // namespace loquat::inline LOQUAT_ABI
