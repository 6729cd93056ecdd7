// SPDX-License-Identifier: MIT
// Properties of code points, Unicode 16 (unicode_tables.cpp has the data and names its generator).
#ifndef LOQUAT_TEXT_UNICODE_HPP
#define LOQUAT_TEXT_UNICODE_HPP

#include <loquat/config.hpp>

#include <cstdint>

namespace loquat::inline LOQUAT_ABI::text {

/// General category: the five kinds of letters, the other groups whole. Order as in generate_unicode_tables.py.
enum class Category : std::uint8_t {
  uppercase_letter,
  lowercase_letter,
  titlecase_letter,
  modifier_letter,
  other_letter,
  mark,
  number,
  punctuation,
  symbol,
  separator,
  other,
};

/// `other` for unassigned code points and anything above U+10FFFF.
Category category_of(std::uint32_t code_point) noexcept;
/// The property White_Space: separators, tab to carriage return, U+0085.
bool is_white_space(std::uint32_t code_point) noexcept;
/// Canonical combining class; 0 for starters.
std::uint8_t combining_class(std::uint32_t code_point) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::text

#endif  // LOQUAT_TEXT_UNICODE_HPP
