// SPDX-License-Identifier: MIT
// What filters and string methods share.
#ifndef LOQUAT_TEXT_JINJA_TEXT_FUNCTIONS_HPP
#define LOQUAT_TEXT_JINJA_TEXT_FUNCTIONS_HPP

#include <cstdint>

#include "text/jinja/evaluator.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

enum class Case : std::uint8_t {
  upper,
  lower,
  capitalized,
  title,           ///< str.title(): after anything that is no letter
  title_of_words,  ///< the filter: after white space and - ( { [ <
};
/// Errors    letters beyond ASCII that have case
Value change_case(Evaluator& evaluator, const Text& text, Case wanted) noexcept;
/// HTML escaping of & < > ' ", once only; the result is markup.
Value escape_markup(Evaluator& evaluator, const Text& text) noexcept;
/// Without white space at the chosen ends; with `characters`, without any of those.
Text strip(const Text& text, const Value* characters, bool at_front, bool at_end) noexcept;
/// At most `count` times; negative: all.
Value replace_all(Evaluator& evaluator, const Text& text, const Text& old_text, const Text& new_text,
                  std::int64_t count) noexcept;
/// str.splitlines() without the line ends.
List* split_lines(Evaluator& evaluator, const Text& text) noexcept;
/// An argument as a whole number, or `fallback` where it was not given.
std::int64_t integer_argument(Evaluator& evaluator, const Value* argument, std::int64_t fallback) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::text::jinja

#endif  // LOQUAT_TEXT_JINJA_TEXT_FUNCTIONS_HPP
