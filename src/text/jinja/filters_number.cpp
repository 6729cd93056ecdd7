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

/// float(text): false where it is not a number.
bool read_real(const Text& text, double& value) noexcept {
  std::string_view digits = strip(text, nullptr, true, true).view();
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return !digits.empty() && read.ec == std::errc{} && read.ptr == digits.data() + digits.size();
}

bool read_integer(const Text& text, int base, std::int64_t& value) noexcept {
  std::string_view digits = strip(text, nullptr, true, true).view();
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return !digits.empty() && read.ec == std::errc{} && read.ptr == digits.data() + digits.size();
}

bool truncate(double real, std::int64_t& whole) noexcept {
  if (!(real > -9.2e18 && real < 9.2e18)) return false;
  whole = static_cast<std::int64_t>(real);
  return true;
}

Value to_int(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  const Value otherwise = arguments[0] != nullptr ? *arguments[0] : Value::of(std::int64_t{0});
  const std::int64_t base = integer_argument(evaluator, arguments[1], 10);
  if (base < 2 || base > 36) return evaluator.fail("a base must be 2..36, found {}", base);
  std::int64_t whole = 0;
  double real = 0;
  if (value.is_undefined()) return evaluator.fail_undefined(value);
  if (value.is_integral()) return Value::of(value.as_integer());
  if (value.kind == Kind::real) return truncate(value.real, whole) ? Value::of(whole) : otherwise;
  if (!value.is_string()) return otherwise;
  if (read_integer(value.text, static_cast<int>(base), whole)) return Value::of(whole);
  return read_real(value.text, real) && truncate(real, whole) ? Value::of(whole) : otherwise;
}

Value to_float(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  double real = 0;
  if (value.is_undefined()) return evaluator.fail_undefined(value);
  if (value.is_number()) return Value::of(value.as_real());
  if (value.is_string() && read_real(value.text, real)) return Value::of(real);
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
