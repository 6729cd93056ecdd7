// SPDX-License-Identifier: MIT
// Quantizer of Q3_K: the scale of every 16 values by least squares, then codes for the scales as stored. Own.
#include "quant/q3_k.hpp"

#include "quant/scale_search.hpp"

namespace loquat::inline LOQUAT_ABI {
namespace {

void store_scale(BlockQ3_K& block, std::size_t s, int code) noexcept {
  std::uint8_t& low = block.scales[s % 8];
  std::uint8_t& high = block.scales[8 + s % 4];
  low = static_cast<std::uint8_t>(low | (code & 0xF) << (s < 8 ? 0 : 4));
  high = static_cast<std::uint8_t>(high | code >> 4 << (s / 4 * 2));
}

void store_code(BlockQ3_K& block, std::size_t i, int code) noexcept {
  std::uint8_t& low = block.low[i / 128 * 32 + i % 32];
  std::uint8_t& high = block.high[i % 32];
  low = static_cast<std::uint8_t>(low | (code & 3) << (i % 128 / 32 * 2));
  high = static_cast<std::uint8_t>(high | code >> 2 << (i / 32));
}

}  // namespace

void quantize(const float* x, BlockQ3_K& block) noexcept {
  float scales[16];
  for (std::size_t s = 0; s < 16; ++s) scales[s] = fit_scale(x + 16 * s, 16, -4, 3);
  block = {};
  block.d = to_finite_half(extreme_value(scales, 16) / -32.0f);
  const float d = half_to_float(block.d);
  for (std::size_t s = 0; s < 16; ++s) {
    const int scale_code = round_to_code(scales[s] * reciprocal_or_zero(d), -32, 31);
    store_scale(block, s, scale_code + 32);
    const float inverse = reciprocal_or_zero(d * static_cast<float>(scale_code));
    for (std::size_t i = 16 * s; i < 16 * s + 16; ++i) store_code(block, i, round_to_code(x[i] * inverse, -4, 3) + 4);
  }
}

}  // namespace loquat::inline LOQUAT_ABI
