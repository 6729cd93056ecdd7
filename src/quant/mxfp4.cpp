// SPDX-License-Identifier: MIT
// Plain quantizer of MXFP4 (ggml-quants.c, the reference row): the exponent is floor(log2 of the largest magnitude),
// less 2 for the format's largest power of two; codes are the nearest numbers, the lower index of two that are equally near.
#include "quant/mxfp4.hpp"

#include "base/half.hpp"
#include "quant/scale_search.hpp"

namespace loquat::inline LOQUAT_ABI {
namespace {

std::uint8_t nearest_code(float value, float scale) noexcept {
  std::uint8_t best = 0;
  float best_distance = std::fabs(value);
  for (std::uint8_t code = 1; code < 16; ++code) {
    const float distance = std::fabs(static_cast<float>(kMxfp4Numbers[code]) * scale - value);
    if (distance < best_distance) {
      best = code;
      best_distance = distance;
    }
  }
  return best;
}

/// Magnitudes below 2^-125 take the lowest exponent.
std::uint8_t choose_exponent(float magnitude) noexcept {
  if (!(magnitude > 0)) return 0;
  const int exponent = (std::isinf(magnitude) ? 128 : std::ilogb(magnitude)) - 2 + 127;
  return static_cast<std::uint8_t>(exponent < 0 ? 0 : exponent);
}

}  // namespace

void quantize(const float* x, BlockMxfp4& block) noexcept {
  block.exponent = choose_exponent(std::fabs(extreme_value(x, 32)));
  const float scale = mxfp4_scale(block.exponent);
  for (std::size_t j = 0; j < 16; ++j) {
    block.codes[j] = static_cast<std::uint8_t>(nearest_code(x[j], scale) | nearest_code(x[j + 16], scale) << 4);
  }
}

}  // namespace loquat::inline LOQUAT_ABI
