// SPDX-License-Identifier: MIT
// Values of the template language, with Python's behaviour. All live in the arena of one rendering; lists and mappings
// are never changed once a template can see them (the published environment is an immutable sandbox).
#ifndef LOQUAT_TEXT_JINJA_VALUE_HPP
#define LOQUAT_TEXT_JINJA_VALUE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text/jinja/arena.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

/// Characters, and for each whether a user wrote it (promise K6). Slices share the characters.
struct Text {
  const char* data = "";
  const std::uint8_t* origins = nullptr;  ///< [size], 1 where content; null where all are alike
  std::uint32_t size = 0;
  bool is_content = false;  ///< of all characters, where origins is null
  bool is_markup = false;   ///< went through `safe` or `escape`: joined with + to other text, that is escaped

  Text() noexcept = default;
  Text(std::string_view characters, bool content = false) noexcept  // NOLINT: implicit
      : data(characters.data()), size(static_cast<std::uint32_t>(characters.size())), is_content(content) {}
  std::string_view view() const noexcept { return {data, size}; }
  /// Bytes [begin, end).
  Text slice(std::size_t begin, std::size_t end) const noexcept {
    Text part = *this;
    part.data += begin;
    if (origins != nullptr) part.origins += begin;
    part.size = static_cast<std::uint32_t>(end - begin);
    return part;
  }
};

enum class Kind : std::uint8_t {
  undefined,
  none,
  boolean,
  integer,
  real,
  string,
  list,  ///< and tuples, generators, views: see Flavor
  mapping,
  space,  ///< namespace(): the one thing that can be assigned to
  macro,
  function,  ///< global function or method bound to its object
  loop,
};

struct List;
struct Mapping;
struct MacroValue;
struct Callable;
struct LoopState;

struct Value {
  Kind kind = Kind::undefined;
  union {
    Text text;  ///< string; of undefined: its name
    bool boolean;
    std::int64_t integer;
    double real;
    List* list;
    Mapping* mapping;  ///< and space
    const MacroValue* macro;
    const Callable* callable;
    LoopState* loop;
  };

  Value() noexcept : text() {}
  static Value undefined(Text name) noexcept {
    Value value;
    value.text = name;
    return value;
  }
  static Value none() noexcept {
    Value value;
    value.kind = Kind::none;
    return value;
  }
  static Value of(bool b) noexcept {
    Value value;
    value.kind = Kind::boolean;
    value.boolean = b;
    return value;
  }
  static Value of(std::int64_t i) noexcept {
    Value value;
    value.kind = Kind::integer;
    value.integer = i;
    return value;
  }
  static Value of(std::size_t n) noexcept { return of(static_cast<std::int64_t>(n)); }
  static Value of(double d) noexcept {
    Value value;
    value.kind = Kind::real;
    value.real = d;
    return value;
  }
  static Value of(Text t) noexcept {
    Value value;
    value.kind = Kind::string;
    value.text = t;
    return value;
  }
  static Value of(List* l) noexcept {
    Value value;
    value.kind = Kind::list;
    value.list = l;
    return value;
  }
  static Value of(Mapping* m, Kind kind = Kind::mapping) noexcept {
    Value value;
    value.kind = kind;
    value.mapping = m;
    return value;
  }
  static Value of(const Callable* c) noexcept {
    Value value;
    value.kind = Kind::function;
    value.callable = c;
    return value;
  }

  bool is_undefined() const noexcept { return kind == Kind::undefined; }
  bool is_string() const noexcept { return kind == Kind::string; }
  bool is_list() const noexcept { return kind == Kind::list; }
  bool is_mapping() const noexcept { return kind == Kind::mapping; }
  /// A number: whole, real, or (as in Python) a boolean.
  bool is_integral() const noexcept { return kind == Kind::integer || kind == Kind::boolean; }
  bool is_number() const noexcept { return is_integral() || kind == Kind::real; }
  std::int64_t as_integer() const noexcept { return kind == Kind::boolean ? (boolean ? 1 : 0) : integer; }
  double as_real() const noexcept { return kind == Kind::real ? real : static_cast<double>(as_integer()); }
};

/// What a sequence is in Python, where that can be seen: printing, tojson, length, indexing.
enum class Flavor : std::uint8_t { list, tuple, range, view, generator };

struct List {
  ArenaArray<Value> items;
  Flavor flavor = Flavor::list;
  bool is_consumed = false;  ///< a generator gives its items once
};

struct Entry {
  Value key;
  Value value;
};

/// In order of insertion.
struct Mapping {
  ArenaArray<Entry> entries;

  const Value* find(const Value& key) const noexcept;
  const Value* find(std::string_view key) const noexcept;
  /// Adds, or replaces the value of an equal key in its place. False when memory ran out.
  [[nodiscard]] bool set(Arena& arena, const Value& key, const Value& value) noexcept;
};

/// Python's truth of a value.
bool is_true(const Value& value) noexcept;
/// Python's ==.
bool are_equal(const Value& a, const Value& b, std::uint32_t depth = 0) noexcept;
/// Python's type name, for error messages: "str", "dict".
std::string_view type_name(const Value& value) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::text::jinja

#endif  // LOQUAT_TEXT_JINJA_VALUE_HPP
