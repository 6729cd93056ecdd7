// SPDX-License-Identifier: MIT
// Values as text: Python's str() and repr(), and JSON as Python's json.dumps() writes it. Locale-free (promise X7).
#ifndef LOQUAT_TEXT_JINJA_PRINTING_HPP
#define LOQUAT_TEXT_JINJA_PRINTING_HPP

#include <cstdint>

#include "text/jinja/text_builder.hpp"
#include "text/jinja/value.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

/// False for values whose text is an address or a type's name (functions, generators), and for nesting beyond 100.
[[nodiscard]] bool write_str(TextBuilder& out, const Value& value) noexcept;
[[nodiscard]] bool write_repr(TextBuilder& out, const Value& value, std::uint32_t depth = 0) noexcept;
void write_integer(TextBuilder& out, std::int64_t value) noexcept;
/// The shortest digits that give the same number back, in Python's layout: 1.0, 1e+16, 1e-05, nan.
void write_real(TextBuilder& out, double value) noexcept;

struct JsonStyle {
  bool is_ascii = false;  ///< everything else as \uXXXX
  bool is_indented = false;
  Text indent;  ///< of one level
  Text item_separator = Text(", ");
  Text key_separator = Text(": ");
  bool sorts_keys = false;
};

/// False for values that JSON has no form for.
[[nodiscard]] bool write_json(TextBuilder& out, const Value& value, const JsonStyle& style,
                              std::uint32_t depth = 0) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::text::jinja

#endif  // LOQUAT_TEXT_JINJA_PRINTING_HPP
