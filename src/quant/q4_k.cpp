// SPDX-License-Identifier: MIT
// Quantizers of Q4_K and Q5_K: scale and minimum of every 32 values by least squares, then codes for the scales as
// stored. Own.
#include "quant/q4_k.hpp"

#include "quant/scale_search.hpp"

namespace loquat::inline LOQUAT_ABI {
namespace {

void store_scale_and_minimum(std::uint8_t* scales, std::size_t part, const ScaleAndMinimum& pair) noexcept {
  const auto put = [scales](std::size_t at, int bits) { scales[at] = static_cast<std::uint8_t>(scales[at] | bits); };
  if (part < 4) {
    put(part, pair.scale);
    put(part + 4, pair.minimum);
  } else {
    put(part + 4, (pair.scale & 0xF) | (pair.minimum & 0xF) << 4);
    put(part - 4, pair.scale >> 4 << 6);
    put(part, pair.minimum >> 4 << 6);
  }
}

/// Fits all eight parts, sets d, dmin and scales, and hands every code to store_code(i, code).
template <class Block, class StoreCode>
void quantize_parts(const float* x, Block& block, int highest, StoreCode store_code) noexcept {
  float scales[8];
  float minima[8];
  for (std::size_t part = 0; part < 8; ++part) {
    const OffsetFit fit = fit_scale_and_minimum(x + 32 * part, 32, highest);
    scales[part] = fit.scale;
    minima[part] = fit.minimum;
  }
  block.d = to_finite_half(extreme_value(scales, 8) / 63.0f);
  block.dmin = to_finite_half(extreme_value(minima, 8) / 63.0f);
  const float d = half_to_float(block.d);
  const float dmin = half_to_float(block.dmin);
  for (std::size_t part = 0; part < 8; ++part) {
    const ScaleAndMinimum pair{round_to_code(scales[part] * reciprocal_or_zero(d), 0, 63),
                               round_to_code(minima[part] * reciprocal_or_zero(dmin), 0, 63)};
    store_scale_and_minimum(block.scales, part, pair);
    const float inverse = reciprocal_or_zero(d * static_cast<float>(pair.scale));
    const float minimum = dmin * static_cast<float>(pair.minimum);
    for (std::size_t i = 32 * part; i < 32 * part + 32; ++i) {
      store_code(i, round_to_code((x[i] + minimum) * inverse, 0, highest));
    }
  }
}

void store_nibble(std::uint8_t* codes, std::size_t i, int nibble) noexcept {
  std::uint8_t& byte = codes[i / 64 * 32 + i % 32];
  byte = static_cast<std::uint8_t>(byte | nibble << (i % 64 / 32 * 4));
}

}  // namespace

void quantize(const float* x, BlockQ4_K& block) noexcept {
  block = {};
  quantize_parts(x, block, 15, [&block](std::size_t i, int code) { store_nibble(block.codes, i, code); });
}

void quantize(const float* x, BlockQ5_K& block) noexcept {
  block = {};
  quantize_parts(x, block, 31, [&block](std::size_t i, int code) {
    store_nibble(block.low, i, code & 0xF);
    std::uint8_t& high = block.high[i % 32];
    high = static_cast<std::uint8_t>(high | code >> 4 << (i / 32));
  });
}

}  // namespace loquat::inline LOQUAT_ABI
