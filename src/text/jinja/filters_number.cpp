// SPDX-License-Identifier: MIT
// Filters that give numbers, and the ones about being there.
#include <charconv>
#include <cmath>

#include "text/jinja/characters.hpp"
#include "text/jinja/evaluator.hpp"
#include "text/jinja/text_functions.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

namespace {

Value length(Evaluator& evaluator, const Value& value, const Bound&) noexcept {
  switch (value.kind) {
    case Kind::undefined: return Value::of(std::int64_t{0});
    case Kind::string: return Value::of(count_code_points(value.text.view()));
    case Kind::mapping: return Value::of(value.mapping->entries.size());
    case Kind::list:
      if (value.list->flavor != Flavor::generator) return Value::of(value.list->items.size());
      break;
    default: break;
  }
  return evaluator.fail("object of type '{}' has no length", type_name(value));
}

Value fallback(Evaluator&, const Value& value, const Bound& arguments) noexcept {
  const bool replaces_false = arguments[1] != nullptr && is_true(*arguments[1]);
  if (!value.is_undefined() && !(replaces_false && !is_true(value))) return value;
  return arguments[0] == nullptr ? Value::of(Text()) : *arguments[0];
}

Value absolute(Evaluator& evaluator, const Value& value, const Bound&) noexcept {
  if (value.is_undefined()) return evaluator.fail_undefined(value);
  if (value.kind == Kind::real) return Value::of(std::fabs(value.real));
  if (!value.is_integral()) return evaluator.fail("abs needs a number, found {}", type_name(value));
  const std::int64_t n = value.as_integer();
  return n < 0 ? evaluator.binary(Operator::subtract, Value::of(std::int64_t{0}), value) : Value::of(n);
}

enum class Reading : std::uint8_t { number, no_number, too_large };

/// A numeral as from_chars() takes it: without white space around it, a plus, and underscores between digits.
std::string_view plain_numeral(const Text& text, char (&buffer)[64]) noexcept {
  std::string_view digits = strip(text, nullptr, true, true).view();
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  if (digits.find('_') == std::string_view::npos || digits.size() > sizeof buffer) return digits;
  std::size_t n = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool is_between = i > 0 && i + 1 < digits.size() && digits[i - 1] != '_' && digits[i + 1] != '_';
    if (digits[i] != '_' || !is_between) buffer[n++] = digits[i];
  }
  return {buffer, n};
}

template <class Number, class... Base>
Reading read_numeral(std::string_view digits, Number& value, Base... base) noexcept {
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value, base...);
  if (digits.empty() || read.ptr != end || read.ec == std::errc::invalid_argument) return Reading::no_number;
  return read.ec == std::errc{} ? Reading::number : Reading::too_large;
}

/// float(text).
Reading read_real(const Text& text, double& value) noexcept {
  char buffer[64];
  return read_numeral(plain_numeral(text, buffer), value);
}

/// int(text, base), with 0x, 0o and 0b where they belong to the base.
Reading read_integer(const Text& text, int base, std::int64_t& value) noexcept {
  char buffer[64];
  std::string_view digits = plain_numeral(text, buffer);
  const char mark = digits.size() > 2 && digits[0] == '0' ? to_lower(digits[1]) : '\0';
  if ((base == 16 && mark == 'x') || (base == 8 && mark == 'o') || (base == 2 && mark == 'b')) digits.remove_prefix(2);
  return read_numeral(digits, value, base);
}

Value whole_part(Evaluator& evaluator, double real, const Value& otherwise) noexcept {
  if (real - real != 0) return otherwise;  // infinite, or no number
  if (!(real > -9.2e18 && real < 9.2e18)) return evaluator.fail("a number that does not fit 64 bits");
  return Value::of(static_cast<std::int64_t>(real));
}

Value to_int(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  const Value otherwise = arguments[0] != nullptr ? *arguments[0] : Value::of(std::int64_t{0});
  const std::int64_t base = integer_argument(evaluator, arguments[1], 10);
  if (base < 2 || base > 36) return evaluator.fail("a base must be 2..36, found {}", base);
  std::int64_t whole = 0;
  double real = 0;
  if (value.is_undefined()) return evaluator.fail_undefined(value);
  if (value.is_integral()) return Value::of(value.as_integer());
  if (value.kind == Kind::real) return whole_part(evaluator, value.real, otherwise);
  if (!value.is_string()) return otherwise;
  const Reading reading = read_integer(value.text, static_cast<int>(base), whole);
  if (reading == Reading::number) return Value::of(whole);
  if (reading == Reading::too_large) return evaluator.fail("a number that does not fit 64 bits");
  return read_real(value.text, real) == Reading::number ? whole_part(evaluator, real, otherwise) : otherwise;
}

Value to_float(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  double real = 0;
  if (value.is_undefined()) return evaluator.fail_undefined(value);
  if (value.is_number()) return Value::of(value.as_real());
  if (value.is_string()) {
    const Reading reading = read_real(value.text, real);
    if (reading == Reading::number) return Value::of(real);
    if (reading == Reading::too_large) return evaluator.fail("a number beyond the range of floats");
  }
  return arguments[0] != nullptr ? *arguments[0] : Value::of(0.0);
}

/// Python rounds halves to even, on the exact value: which scaling cannot always tell beyond few digits.
Value round(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  if (value.is_undefined()) return evaluator.fail_undefined(value);
  if (!value.is_number()) return evaluator.fail("round needs a number, found {}", type_name(value));
  const std::int64_t digits = integer_argument(evaluator, arguments[0], 0);
  if (digits < 0 || digits > 15) return evaluator.fail("round takes 0..15 digits, found {}", digits);
  const std::string_view method =
      arguments[1] != nullptr ? evaluator.to_text(*arguments[1]).view() : std::string_view("common");
  double scale = 1;
  for (std::int64_t i = 0; i < digits; ++i) scale *= 10;
  const double real = value.as_real();
  if (method == "ceil") return Value::of(std::ceil(real * scale) / scale);
  if (method == "floor") return Value::of(std::floor(real * scale) / scale);
  if (method != "common") return evaluator.fail("round knows common, ceil and floor, not {}", method);
  if (value.is_integral()) return Value::of(value.as_integer());
  char text[400];  // to_chars with a precision rounds the exact value, halves to even
  if (!(std::fabs(real) < 1e300)) return value;
  const auto end = std::to_chars(text, text + sizeof text, real, std::chars_format::fixed, static_cast<int>(digits));
  double rounded = 0;
  std::from_chars(text, end.ptr, rounded);
  return Value::of(rounded);
}

Value sum(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  const List* items = evaluator.to_items(value);
  Value total = arguments[1] != nullptr ? *arguments[1] : Value::of(std::int64_t{0});
  for (std::size_t i = 0; items != nullptr && i < items->items.size(); ++i) {
    const bool has_attribute = arguments[0] != nullptr && arguments[0]->kind != Kind::none;
    const Value item = has_attribute ? evaluator.attribute_path(items->items[i], *arguments[0]) : items->items[i];
    total = evaluator.binary(Operator::add, total, item);
    if (evaluator.has_failed()) return {};
  }
  return total;
}

constexpr Builtin kFilters[] = {
    {"length", "", 0, length},
    {"count", "", 0, length},
    {"default", "default_value boolean", 0, fallback},
    {"d", "default_value boolean", 0, fallback},
    {"abs", "", 0, absolute},
    {"int", "default base", 0, to_int},
    {"float", "default", 0, to_float},
    {"round", "precision method", 0, round},
    {"sum", "attribute start", 0, sum},
};

}  // namespace

const Builtin* find_number_filter(std::string_view name) noexcept { return find_in(kFilters, name); }

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
