// SPDX-License-Identifier: MIT
// Quantizer of Q2_K: scale and minimum of every 16 values by least squares, then codes for the scales as stored. Own.
#include "quant/q2_k.hpp"

#include "quant/scale_search.hpp"

namespace loquat::inline LOQUAT_ABI {

void quantize(const float* x, BlockQ2_K& block) noexcept {
  float scales[16];
  float minima[16];
  for (std::size_t s = 0; s < 16; ++s) {
    const OffsetFit fit = fit_scale_and_minimum(x + 16 * s, 16, 3);
    scales[s] = fit.scale;
    minima[s] = fit.minimum;
  }
  block.d = to_finite_half(extreme_value(scales, 16) / 15.0f);
  block.dmin = to_finite_half(extreme_value(minima, 16) / 15.0f);
  const float inverse_d = reciprocal_or_zero(half_to_float(block.d));
  const float inverse_dmin = reciprocal_or_zero(half_to_float(block.dmin));
  for (std::uint8_t& byte : block.codes) byte = 0;
  for (std::size_t s = 0; s < 16; ++s) {
    const int scale_code = round_to_code(scales[s] * inverse_d, 0, 15);
    const int minimum_code = round_to_code(minima[s] * inverse_dmin, 0, 15);
    block.scales[s] = static_cast<std::uint8_t>(scale_code | minimum_code << 4);
    const float inverse = reciprocal_or_zero(half_to_float(block.d) * static_cast<float>(scale_code));
    const float minimum = half_to_float(block.dmin) * static_cast<float>(minimum_code);
    for (std::size_t i = 16 * s; i < 16 * s + 16; ++i) {
      const int code = round_to_code((x[i] + minimum) * inverse, 0, 3);
      std::uint8_t& byte = block.codes[i / 128 * 32 + i % 32];
      byte = static_cast<std::uint8_t>(byte | code << (i % 128 / 32 * 2));
    }
  }
}

}  // namespace loquat::inline LOQUAT_ABI
