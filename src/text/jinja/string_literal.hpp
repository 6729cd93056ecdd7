// SPDX-License-Identifier: MIT
#ifndef LOQUAT_TEXT_JINJA_STRING_LITERAL_HPP
#define LOQUAT_TEXT_JINJA_STRING_LITERAL_HPP

#include <string_view>

#include "text/jinja/arena.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

/// The characters that the inside of a quoted string stands for, with Python's escapes; an unknown escape stays as it
/// is. False when memory ran out. `is_malformed`: \x, \u, \U without their digits, \N, or no character.
[[nodiscard]] bool unescape(std::string_view raw, Arena& arena, std::string_view& text, bool& is_malformed) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::text::jinja

#endif  // LOQUAT_TEXT_JINJA_STRING_LITERAL_HPP
