// SPDX-License-Identifier: MIT
// UTF-8, one code point at a time. Bytes that are not UTF-8 are met by the rule of the WHATWG Encoding Standard: each
// maximal subpart of an ill-formed sequence counts as one U+FFFD (Unicode 16, chapter 3.9, table 3-7).
#ifndef LOQUAT_BASE_UTF8_HPP
#define LOQUAT_BASE_UTF8_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace loquat::inline LOQUAT_ABI::utf8 {

inline constexpr std::uint32_t kReplacement = 0xFFFD;
inline constexpr std::string_view kReplacementBytes = "\xEF\xBF\xBD";

struct CodePoint {
  std::uint32_t value = kReplacement;
  std::uint32_t bytes = 1;  ///< of the sequence, or of the maximal subpart
  bool is_valid = false;
  bool is_cut_off = false;  ///< ill-formed only because the text ends here
};

namespace detail {
constexpr std::uint32_t byte_at(std::string_view text, std::size_t i) noexcept {
  return static_cast<unsigned char>(text[i]);
}
/// Bytes that a sequence with this lead byte has, 0 where no sequence starts so.
constexpr std::uint32_t sequence_bytes(std::uint32_t lead) noexcept {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}
/// What the second byte may be: excludes overlong forms, surrogates and values above U+10FFFF.
constexpr bool is_second_byte(std::uint32_t lead, std::uint32_t second) noexcept {
  const std::uint32_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const std::uint32_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  return second >= low && second <= high;
}
}  // namespace detail

/// Requires  i < text.size()
constexpr CodePoint decode(std::string_view text, std::size_t i) noexcept {
  const std::uint32_t lead = detail::byte_at(text, i);
  const std::uint32_t wanted = detail::sequence_bytes(lead);
  if (wanted == 1) return {lead, 1, true, false};
  if (wanted == 0) return {};
  std::uint32_t value = lead & (0x7Fu >> wanted);
  for (std::uint32_t n = 1; n < wanted; ++n) {
    if (i + n == text.size()) return {kReplacement, n, false, true};
    const std::uint32_t next = detail::byte_at(text, i + n);
    const bool fits = n == 1 ? detail::is_second_byte(lead, next) : (next & 0xC0u) == 0x80u;
    if (!fits) return {kReplacement, n, false, false};
    value = (value << 6) | (next & 0x3Fu);
  }
  return {value, wanted, true, false};
}

/// Writes 1 to 4 bytes and returns how many.
///
/// Requires  value is a Unicode scalar value
constexpr std::uint32_t encode(std::uint32_t value, char (&to)[4]) noexcept {
  const auto put = [&to](std::uint32_t i, std::uint32_t byte) {
    to[i] = static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (value < 0x80) {
    put(0, value);
    return 1;
  }
  const std::uint32_t n = value < 0x800 ? 2 : value < 0x10000 ? 3 : 4;
  for (std::uint32_t i = n - 1; i > 0; --i, value >>= 6) put(i, 0x80u | (value & 0x3Fu));
  put(0, (0xF00u >> n & 0xF0u) | value);
  return n;
}

}  // namespace loquat::inline LOQUAT_ABI::utf8

#endif  // LOQUAT_BASE_UTF8_HPP
