// SPDX-License-Identifier: MIT
// 16-bit floats, bit-exact in plain C: the rules every level's vector conversions are compared with.
#ifndef LOQUAT_BASE_HALF_HPP
#define LOQUAT_BASE_HALF_HPP

#include <loquat/config.hpp>

#include <bit>
#include <cstdint>

namespace loquat::inline LOQUAT_ABI {

/// IEEE binary16 to binary32, exact; NaN payloads are kept (quiet bit set, as the hardware does).
constexpr float half_to_float(std::uint16_t half) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1Fu;
  const std::uint32_t fraction = half & 0x3FFu;
  if (exponent == 0x1F) {
    const std::uint32_t quiet = fraction != 0 ? 0x400000u : 0u;
    return std::bit_cast<float>(sign | 0x7F800000u | (fraction << 13) | quiet);
  }
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;  // subnormal: exact
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
}

/// binary32 to binary16, round to nearest even; overflow gives infinity, NaN stays NaN (quiet, payload cut).
constexpr std::uint16_t float_to_half(float value) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return static_cast<std::uint16_t>(sign | 0x7E00u | ((magnitude >> 13) & 0x3FFu));
  if (magnitude >= 0x477FF000u) return static_cast<std::uint16_t>(sign | 0x7C00u);  // 65520 and above
  if (magnitude < 0x38800000u) {  // below 2^-14: subnormal half or zero
    const std::uint32_t shift = 126u - (magnitude >> 23);
    if (shift > 24) return static_cast<std::uint16_t>(sign);
    const std::uint32_t full = (magnitude & 0x7FFFFFu) | 0x800000u;
    const std::uint32_t kept = full >> shift;
    const std::uint32_t rest = full & ((1u << shift) - 1);
    const std::uint32_t middle = 1u << (shift - 1);
    const std::uint32_t up = rest > middle || (rest == middle && (kept & 1u) != 0) ? 1u : 0u;
    return static_cast<std::uint16_t>(sign | (kept + up));
  }
  const std::uint32_t rounded = magnitude + 0xFFFu + ((magnitude >> 13) & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

constexpr float bfloat_to_float(std::uint16_t bfloat) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bfloat) << 16);
}

/// binary32 to bfloat16, round to nearest even; NaN stays a quiet NaN.
constexpr std::uint16_t float_to_bfloat(float value) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<std::uint16_t>((bits >> 16) | 64u);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_BASE_HALF_HPP
