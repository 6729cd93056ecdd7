// SPDX-License-Identifier: MIT
#ifndef LOQUAT_TEXT_JINJA_JSON_READ_HPP
#define LOQUAT_TEXT_JINJA_JSON_READ_HPP

#include <loquat/result.hpp>

#include <string_view>

#include "text/jinja/arena.hpp"
#include "text/jinja/value.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

/// Reads one JSON value (RFC 8259). Texts are marked as content, apart from those of a member `role` that are plain
/// words: templates build control tokens from roles. Of members with one name the last counts.
///
/// Errors    invalid_argument: not JSON, with the offset; a whole number beyond 64 bits; deeper than 100; out_of_memory
Result<Value> read_json(std::string_view text, Arena& arena) noexcept;

/// True for a non-empty text of letters, digits, _ and - only.
bool is_plain_word(std::string_view text) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::text::jinja

#endif  // LOQUAT_TEXT_JINJA_JSON_READ_HPP
