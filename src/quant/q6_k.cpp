// SPDX-License-Identifier: MIT
// Quantizer of Q6_K: the scale of every 16 values by least squares, then codes for the scales as stored. Own.
#include "quant/q6_k.hpp"

#include "quant/scale_search.hpp"

namespace loquat::inline LOQUAT_ABI {
namespace {

void store_code(BlockQ6_K& block, std::size_t i, int code) noexcept {
  const std::size_t j = i % 128 / 32;
  std::uint8_t& low = block.low[i / 128 * 64 + j % 2 * 32 + i % 32];
  std::uint8_t& high = block.high[i / 128 * 32 + i % 32];
  low = static_cast<std::uint8_t>(low | (code & 0xF) << (j < 2 ? 0 : 4));
  high = static_cast<std::uint8_t>(high | code >> 4 << (2 * j));
}

}  // namespace

void quantize(const float* x, BlockQ6_K& block) noexcept {
  float scales[16];
  for (std::size_t s = 0; s < 16; ++s) scales[s] = fit_scale(x + 16 * s, 16, -32, 31);
  block = {};
  block.d = to_finite_half(extreme_value(scales, 16) / -128.0f);
  const float d = half_to_float(block.d);
  for (std::size_t s = 0; s < 16; ++s) {
    const int scale_code = round_to_code(scales[s] * reciprocal_or_zero(d), -128, 127);
    block.scales[s] = static_cast<std::int8_t>(scale_code);
    const float inverse = reciprocal_or_zero(d * static_cast<float>(scale_code));
    for (std::size_t i = 16 * s; i < 16 * s + 16; ++i)
      store_code(block, i, round_to_code(x[i] * inverse, -32, 31) + 32);
  }
}

}  // namespace loquat::inline LOQUAT_ABI
