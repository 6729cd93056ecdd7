// SPDX-License-Identifier: MIT
#include "text/jinja/characters.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

CodePoint first_code_point(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const std::uint32_t first = byte(0);
  constexpr CodePoint kInvalid{0xFFFD, 1};
  if (first < 0x80) return {first, 1};
  const std::uint32_t n = first >= 0xF0 ? 4u : first >= 0xE0 ? 3u : 2u;
  if (first < 0xC2 || first > 0xF4) return kInvalid;
  std::uint32_t value = first & (0x7Fu >> n);
  for (std::uint32_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return kInvalid;
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[n] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return kInvalid;
  return {value, n};
}

std::size_t write_utf8(std::uint32_t c, char* to) noexcept {
  const auto put = [to](std::size_t i, std::uint32_t byte) { to[i] = static_cast<char>(byte); };
  if (c < 0x80) {
    put(0, c);
    return 1;
  }
  if (c < 0x800) {
    put(0, 0xC0u | c >> 6);
    put(1, 0x80u | (c & 0x3Fu));
    return 2;
  }
  if (c < 0x10000) {
    put(0, 0xE0u | c >> 12);
    put(1, 0x80u | (c >> 6 & 0x3Fu));
    put(2, 0x80u | (c & 0x3Fu));
    return 3;
  }
  put(0, 0xF0u | c >> 18);
  put(1, 0x80u | (c >> 12 & 0x3Fu));
  put(2, 0x80u | (c >> 6 & 0x3Fu));
  put(3, 0x80u | (c & 0x3Fu));
  return 4;
}

std::size_t count_code_points(std::string_view text) noexcept {
  std::size_t n = 0;
  for (std::size_t i = 0; i < text.size(); ++n) i += first_code_point(text.substr(i)).bytes;
  return n;
}

std::size_t byte_offset(std::string_view text, std::size_t index) noexcept {
  std::size_t offset = 0;
  for (; index > 0 && offset < text.size(); --index) offset += first_code_point(text.substr(offset)).bytes;
  return offset;
}

bool is_space(std::uint32_t c) noexcept {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

std::size_t leading_space(std::string_view text) noexcept {
  std::size_t n = 0;
  while (n < text.size()) {
    const CodePoint c = first_code_point(text.substr(n));
    if (!is_space(c.value)) break;
    n += c.bytes;
  }
  return n;
}

std::size_t trailing_space(std::string_view text) noexcept {
  std::size_t end = text.size();
  while (end > 0) {
    std::size_t begin = end - 1;
    while (begin > 0 && end - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xC0u) == 0x80u) --begin;
    const CodePoint c = first_code_point(text.substr(begin, end - begin));
    if (c.bytes != end - begin || !is_space(c.value)) break;
    end = begin;
  }
  return text.size() - end;
}

bool has_unknown_case(std::uint32_t c) noexcept {
  struct Range {
    std::uint32_t first;
    std::uint32_t last;
  };
  // Blocks of cased scripts: Latin to Armenian, Georgian, Cherokee, number forms, circled letters, Glagolitic to
  // Georgian supplement, Cyrillic and Latin extensions, ligatures, full width, Deseret to Vithkuqi, Old Hungarian ...
  constexpr Range kCased[] = {{0xAA, 0xAA},       {0xB5, 0xB5},       {0xBA, 0xBA},       {0xC0, 0x58F},
                              {0x10A0, 0x10FF},   {0x13A0, 0x13FF},   {0x1C80, 0x1CBF},   {0x1D00, 0x1FFF},
                              {0x2071, 0x209C},   {0x2100, 0x218F},   {0x24B6, 0x24E9},   {0x2C00, 0x2D2F},
                              {0xA640, 0xA69F},   {0xA720, 0xA7FF},   {0xAB30, 0xABBF},   {0xFB00, 0xFB17},
                              {0xFF21, 0xFF5A},   {0x10400, 0x105BF}, {0x10780, 0x107BF}, {0x10C80, 0x10CFF},
                              {0x118A0, 0x118DF}, {0x16E40, 0x16E7F}, {0x1D400, 0x1D7FF}, {0x1DF00, 0x1DFFF},
                              {0x1E000, 0x1E0FF}, {0x1E900, 0x1E95F}, {0x1F130, 0x1F189}};
  for (const Range& range : kCased) {
    if (c >= range.first && c <= range.last) return true;
  }
  return false;
}

bool is_printable(std::uint32_t c) noexcept {
  if (c < 0x7F) return c >= 0x20;
  if (c <= 0xA0 || c == 0xAD) return false;
  if (c == 0x61C || c == 0x6DD || c == 0x70F || c == 0x180E || c == 0x1680 || c == 0xFEFF) return false;
  if ((c >= 0x600 && c <= 0x605) || (c >= 0x2000 && c <= 0x200F) || (c >= 0x2028 && c <= 0x202F)) return false;
  if ((c >= 0x205F && c <= 0x206F) || c == 0x3000 || (c >= 0xD800 && c <= 0xF8FF)) return false;
  return !((c >= 0xFFF0 && c <= 0xFFFB) || (c & 0xFFFEu) == 0xFFFEu || c >= 0xE0000);
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
