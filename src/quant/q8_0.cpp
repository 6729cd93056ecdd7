// SPDX-License-Identifier: MIT
// Plain quantizer of Q8_0 (ggml-quants.c, the reference row): rounds half away from zero.
#include "quant/q8_0.hpp"

#include "quant/scale_search.hpp"

namespace loquat::inline LOQUAT_ABI {

void quantize(const float* x, BlockQ8_0& block) noexcept {
  const float d = std::fabs(extreme_value(x, 32)) / 127.0f;
  const float inverse = reciprocal_or_zero(d);
  block.d = float_to_half(d);
  for (std::size_t j = 0; j < 32; ++j) {
    block.codes[j] = static_cast<std::int8_t>(round_to_code(std::round(x[j] * inverse), -128, 127));
  }
}

}  // namespace loquat::inline LOQUAT_ABI
