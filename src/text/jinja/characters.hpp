// SPDX-License-Identifier: MIT
// Characters as Python counts and classifies them: code points, its white space, its case rules where they are simple.
#ifndef LOQUAT_TEXT_JINJA_CHARACTERS_HPP
#define LOQUAT_TEXT_JINJA_CHARACTERS_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace loquat::inline LOQUAT_ABI::text::jinja {

struct CodePoint {
  std::uint32_t value;
  std::uint32_t bytes;  ///< 1..4
};

/// The code point at the front; a byte that is not UTF-8 counts as one character of value U+FFFD.
///
/// Requires  text is not empty
CodePoint first_code_point(std::string_view text) noexcept;
/// Writes 1..4 bytes and returns how many.
std::size_t write_utf8(std::uint32_t code_point, char* to) noexcept;
std::size_t count_code_points(std::string_view text) noexcept;
/// Byte position of code point `index`, or the size if there are fewer.
std::size_t byte_offset(std::string_view text, std::size_t index) noexcept;

/// str.isspace() of one character.
bool is_space(std::uint32_t code_point) noexcept;
/// Bytes of white space in front and at the end.
std::size_t leading_space(std::string_view text) noexcept;
std::size_t trailing_space(std::string_view text) noexcept;

/// True where upper and lower case may differ from the character and are not known here: beyond ASCII, in scripts that
/// have case.
bool has_unknown_case(std::uint32_t code_point) noexcept;
/// True where repr() writes the character as it is. Unassigned code points are taken for printable.
bool is_printable(std::uint32_t code_point) noexcept;

constexpr char to_upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
constexpr char to_lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace loquat::inline LOQUAT_ABI::text::jinja

#endif  // LOQUAT_TEXT_JINJA_CHARACTERS_HPP
