// SPDX-License-Identifier: MIT
// Filters, tests, global functions and methods: tables of plain functions. Adding one is one line in a table and one
// function; docs of the language are jinja.palletsprojects.com/templates and, for methods, Python's.
#ifndef LOQUAT_TEXT_JINJA_BUILTINS_HPP
#define LOQUAT_TEXT_JINJA_BUILTINS_HPP

#include <cstdint>
#include <string_view>

#include "text/jinja/arena.hpp"
#include "text/jinja/value.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

class Evaluator;

struct NamedValue {
  std::string_view name;
  Value value;
};

struct Arguments {
  ArenaArray<Value> positional;
  ArenaArray<NamedValue> named;
};

constexpr std::size_t kMostParameters = 5;

/// Arguments sorted to the parameters of a builtin; null where none was given.
struct Bound {
  const Value* values[kMostParameters] = {};
  const Arguments* all = nullptr;

  const Value* operator[](std::size_t i) const noexcept { return values[i]; }
};

struct Builtin {
  std::string_view name;
  /// Names with blanks between them; "*": takes any arguments and reads them itself.
  std::string_view parameters;
  std::uint32_t n_required;
  /// `subject`: what is filtered, tested, or the method's object; undefined for functions.
  Value (*call)(Evaluator& evaluator, const Value& subject, const Bound& arguments) noexcept;
};

/// A function, or a method with its object.
struct Callable {
  const Builtin* builtin;
  Value object;
};

const Builtin* find_filter(std::string_view name) noexcept;
const Builtin* find_test(std::string_view name) noexcept;
const Builtin* find_function(std::string_view name) noexcept;
/// The method of an object's type, or null.
const Builtin* find_method(const Value& object, std::string_view name) noexcept;

// The parts of the filter table.
const Builtin* find_text_filter(std::string_view name) noexcept;
const Builtin* find_number_filter(std::string_view name) noexcept;
const Builtin* find_sequence_filter(std::string_view name) noexcept;
const Builtin* find_string_method(std::string_view name) noexcept;

template <std::size_t N>
const Builtin* find_in(const Builtin (&table)[N], std::string_view name) noexcept {
  for (const Builtin& builtin : table) {
    if (builtin.name == name) return &builtin;
  }
  return nullptr;
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja

#endif  // LOQUAT_TEXT_JINJA_BUILTINS_HPP
