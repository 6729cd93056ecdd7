// SPDX-License-Identifier: MIT
// Quantizers of IQ4_NL and IQ4_XS: scales by least squares over the table's numbers, then the nearest number for the
// scale as stored. Own.
#include "quant/iq4.hpp"

#include "quant/scale_search.hpp"

namespace loquat::inline LOQUAT_ABI {
namespace {

/// codes [16 bytes] for x [32] with a scale.
void store_codes(const float* x, float scale, std::uint8_t* codes) noexcept {
  const float inverse = reciprocal_or_zero(scale);
  for (std::size_t j = 0; j < 16; ++j) {
    const std::uint8_t first = nearest_of_sixteen(kIq4Numbers, x[j] * inverse);
    const std::uint8_t second = nearest_of_sixteen(kIq4Numbers, x[j + 16] * inverse);
    codes[j] = static_cast<std::uint8_t>(first | second << 4);
  }
}

void store_scale(BlockIq4Xs& block, std::size_t part, int code) noexcept {
  std::uint8_t& low = block.low[part / 2];
  low = static_cast<std::uint8_t>(low | (code & 0xF) << (part % 2 * 4));
  block.high = static_cast<std::uint16_t>(block.high | code >> 4 << (part * 2));
}

}  // namespace

void quantize(const float* x, BlockIq4Nl& block) noexcept {
  block.d = to_finite_half(fit_table_scale(x, 32, kIq4Numbers));
  store_codes(x, half_to_float(block.d), block.codes);
}

void quantize(const float* x, BlockIq4Xs& block) noexcept {
  float scales[8];
  for (std::size_t part = 0; part < 8; ++part) scales[part] = fit_table_scale(x + 32 * part, 32, kIq4Numbers);
  block = {};
  block.d = to_finite_half(extreme_value(scales, 8) / -32.0f);
  const float d = half_to_float(block.d);
  for (std::size_t part = 0; part < 8; ++part) {
    const int scale_code = round_to_code(scales[part] * reciprocal_or_zero(d), -32, 31);
    store_scale(block, part, scale_code + 32);
    store_codes(x + 32 * part, d * static_cast<float>(scale_code), block.codes + 16 * part);
  }
}

}  // namespace loquat::inline LOQUAT_ABI
