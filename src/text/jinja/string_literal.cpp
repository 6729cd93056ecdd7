// SPDX-License-Identifier: MIT
#include "text/jinja/string_literal.hpp"

#include "text/jinja/characters.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

namespace {

int digit_value(char c, int base) noexcept {
  const char lower = to_lower(c);
  const int value = lower >= '0' && lower <= '9' ? lower - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
  return value < base ? value : -1;
}

/// Reads up to `most` digits from `raw` at `i`; returns how many.
std::size_t read_digits(std::string_view raw, std::size_t i, std::size_t most, int base,
                        std::uint32_t& value) noexcept {
  std::size_t n = 0;
  value = 0;
  while (n < most && i + n < raw.size() && digit_value(raw[i + n], base) >= 0) {
    value = value * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit_value(raw[i + n], base));
    ++n;
  }
  return n;
}

/// The character that a one-letter escape stands for, or 0.
char simple_escape(char c) noexcept {
  switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'v': return '\v';
    case '\\':
    case '\'':
    case '"': return c;
    default: return 0;
  }
}

}  // namespace

bool unescape(std::string_view raw, Arena& arena, std::string_view& text, bool& is_malformed) noexcept {
  char* out = static_cast<char*>(arena.allocate(raw.size(), 1));  // no escape is shorter than what it stands for
  if (out == nullptr) return false;
  std::size_t n = 0;
  for (std::size_t i = 0; i < raw.size();) {
    if (raw[i] != '\\' || i + 1 == raw.size()) {
      out[n++] = raw[i++];
      continue;
    }
    const char c = raw[i + 1];
    std::uint32_t value = 0;
    i += 2;
    if (const char simple = simple_escape(c); simple != 0) {
      out[n++] = simple;
    } else if (c == '\n') {  // a line that goes on
    } else if (c == 'x' || c == 'u' || c == 'U') {
      const std::size_t wanted = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      is_malformed |=
          read_digits(raw, i, wanted, 16, value) != wanted || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000);
      if (is_malformed) return true;
      n += write_utf8(value, out + n);
      i += wanted;
    } else if (c >= '0' && c <= '7') {
      i += read_digits(raw, i - 1, 3, 8, value) - 1;
      n += write_utf8(value, out + n);
    } else {
      is_malformed |= c == 'N';
      out[n++] = '\\';
      out[n++] = c;
    }
  }
  text = {out, n};
  return true;
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
