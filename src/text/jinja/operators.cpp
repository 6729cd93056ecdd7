// SPDX-License-Identifier: MIT
// + - * / // % **, comparisons and `in`, with Python's rules: whole numbers stay whole (64 bits here; more is an
// error), division rounds down, a boolean is a number.
#include <cmath>
#include <limits>

#include "text/jinja/evaluator.hpp"
#include "text/jinja/text_functions.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

bool add(std::int64_t a, std::int64_t b, std::int64_t& sum) noexcept {
  if (b > 0 ? a > kMost - b : a < kLeast - b) return false;
  sum = a + b;
  return true;
}

bool subtract(std::int64_t a, std::int64_t b, std::int64_t& difference) noexcept {
  if (b < 0 ? a > kMost + b : a < kLeast + b) return false;
  difference = a - b;
  return true;
}

bool multiply(std::int64_t a, std::int64_t b, std::int64_t& product) noexcept {
  if (a == 0 || b == 0) {
    product = 0;
    return true;
  }
  if ((a == -1 && b == kLeast) || (b == -1 && a == kLeast)) return false;
  if (a > 0 ? (b > 0 ? a > kMost / b : b < kLeast / a) : (b > 0 ? a < kLeast / b : b < kMost / a)) return false;
  product = a * b;
  return true;
}

/// Rounds down. Requires  b is not 0, and not -1 with the smallest a
std::int64_t floor_divide(std::int64_t a, std::int64_t b) noexcept {
  const std::int64_t quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

bool raise(std::int64_t base, std::int64_t exponent, std::int64_t& power) noexcept {
  power = 1;
  if (base == 0 || base == 1) {
    power = exponent == 0 ? 1 : base;
    return true;
  }
  for (std::int64_t i = 0; i < exponent; ++i) {  // overflows after at most 63 rounds, unless base is -1
    if (base == -1) {
      power = exponent % 2 == 0 ? 1 : -1;
      return true;
    }
    if (!multiply(power, base, power)) return false;
  }
  return true;
}

double floor_modulo(double a, double b) noexcept {
  double rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  return rest;
}

Value integer_result(Evaluator& evaluator, Operator operation, std::int64_t a, std::int64_t b) noexcept {
  std::int64_t result = 0;
  bool is_exact = true;
  switch (operation) {
    case Operator::add: is_exact = add(a, b, result); break;
    case Operator::subtract: is_exact = subtract(a, b, result); break;
    case Operator::multiply: is_exact = multiply(a, b, result); break;
    case Operator::floor_divide:
    case Operator::modulo:
      if (b == 0) return evaluator.fail("division by zero");
      if (b == -1) {
        is_exact = operation == Operator::modulo || subtract(0, a, result);
      } else {
        result = operation == Operator::floor_divide ? floor_divide(a, b) : a - floor_divide(a, b) * b;
      }
      break;
    default: is_exact = raise(a, b, result); break;
  }
  return is_exact ? Value::of(result) : evaluator.fail("a number that does not fit 64 bits");
}

Value real_result(Evaluator& evaluator, Operator operation, double a, double b) noexcept {
  switch (operation) {
    case Operator::add: return Value::of(a + b);
    case Operator::subtract: return Value::of(a - b);
    case Operator::multiply: return Value::of(a * b);
    case Operator::power: return Value::of(std::pow(a, b));
    default: break;
  }
  if (b == 0) return evaluator.fail("division by zero");
  if (operation == Operator::divide) return Value::of(a / b);
  const double rest = floor_modulo(a, b);
  return Value::of(operation == Operator::modulo ? rest : std::floor((a - rest) / b + 0.5));
}

Value arithmetic(Evaluator& evaluator, Operator operation, const Value& a, const Value& b) noexcept {
  const bool is_whole = a.is_integral() && b.is_integral() && operation != Operator::divide &&
                        !(operation == Operator::power && b.as_integer() < 0);
  return is_whole ? integer_result(evaluator, operation, a.as_integer(), b.as_integer())
                  : real_result(evaluator, operation, a.as_real(), b.as_real());
}

Value join_lists(Evaluator& evaluator, const List& a, const List& b) noexcept {
  List* joined = evaluator.new_list(a.flavor);
  for (const List* part : {&a, &b}) {
    for (const Value& item : part->items) {
      if (evaluator.has_failed() || !evaluator.push(*joined, item)) return {};
    }
  }
  return evaluator.has_failed() ? Value() : Value::of(joined);
}

Value repeat(Evaluator& evaluator, const Value& value, std::int64_t times) noexcept {
  if (value.is_string()) {
    TextBuilder builder = evaluator.new_builder();
    for (std::int64_t i = 0; i < times && value.text.size > 0 && evaluator.spend(1); ++i) {
      builder.append(value.text);
      if (builder.has_failed()) break;
    }
    return evaluator.has_failed() ? Value() : evaluator.finish(builder);
  }
  List* repeated = evaluator.new_list(value.list->flavor);
  for (std::int64_t i = 0; i < times && !value.list->items.empty() && !evaluator.has_failed(); ++i) {
    for (const Value& item : value.list->items) {
      if (!evaluator.push(*repeated, item)) return {};
    }
  }
  return evaluator.has_failed() ? Value() : Value::of(repeated);
}

/// Where one side is markup, the other is escaped and so is the result.
Value join_texts(Evaluator& evaluator, const Text& a, const Text& b) noexcept {
  const bool is_markup = a.is_markup || b.is_markup;
  TextBuilder builder = evaluator.new_builder();
  for (const Text* part : {&a, &b}) {
    builder.append(is_markup ? evaluator.to_text(escape_markup(evaluator, *part)) : *part);
  }
  Value joined = evaluator.finish(builder);
  if (joined.is_string()) joined.text.is_markup = is_markup;
  return joined;
}

bool can_join(const Value& value) noexcept {
  return value.is_list() && (value.list->flavor == Flavor::list || value.list->flavor == Flavor::tuple);
}

constexpr const char* kSymbols[] = {"+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">="};

/// -1, 0, 1; 2 where the two have no order.
int order(const Value& a, const Value& b, std::uint32_t depth) noexcept {
  if (a.is_integral() && b.is_integral()) {
    return a.as_integer() < b.as_integer() ? -1 : a.as_integer() > b.as_integer() ? 1 : 0;
  }
  if (a.is_number() && b.is_number()) return a.as_real() < b.as_real() ? -1 : a.as_real() > b.as_real() ? 1 : 0;
  if (a.is_string() && b.is_string()) {
    const int result = a.text.view().compare(b.text.view());  // bytes of UTF-8 sort as code points do
    return result < 0 ? -1 : result > 0 ? 1 : 0;
  }
  if (!can_join(a) || !can_join(b) || a.list->flavor != b.list->flavor || depth > 50) return 2;
  const ArenaArray<Value>& left = a.list->items;
  const ArenaArray<Value>& right = b.list->items;
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    if (!are_equal(left[i], right[i])) return order(left[i], right[i], depth + 1);
  }
  return left.size() < right.size() ? -1 : left.size() > right.size() ? 1 : 0;
}

}  // namespace

Value Evaluator::binary(Operator operation, const Value& a, const Value& b) noexcept {
  if (has_failed()) return {};
  if (a.is_undefined()) return fail_undefined(a);
  if (b.is_undefined()) return fail_undefined(b);
  if (a.is_number() && b.is_number()) return arithmetic(*this, operation, a, b);
  if (operation == Operator::add && a.is_string() && b.is_string()) return join_texts(*this, a.text, b.text);
  if (operation == Operator::add && can_join(a) && can_join(b) && a.list->flavor == b.list->flavor) {
    return join_lists(*this, *a.list, *b.list);
  }
  if (operation == Operator::multiply && (a.is_string() || can_join(a)) && b.is_integral()) {
    return repeat(*this, a, b.as_integer());
  }
  if (operation == Operator::multiply && (b.is_string() || can_join(b)) && a.is_integral()) {
    return repeat(*this, b, a.as_integer());
  }
  if (operation == Operator::modulo && a.is_string()) return fail("formatting with % is not supported");
  return fail("{} is not possible between {} and {}", kSymbols[static_cast<std::size_t>(operation)], type_name(a),
              type_name(b));
}

bool Evaluator::compare(Operator operation, const Value& a, const Value& b) noexcept {
  if (has_failed()) return false;
  switch (operation) {
    case Operator::equal: return are_equal(a, b);
    case Operator::not_equal: return !are_equal(a, b);
    case Operator::in: return contains(b, a);
    case Operator::not_in: return !contains(b, a) && !has_failed();
    default: break;
  }
  if (a.is_undefined() || b.is_undefined()) {
    fail_undefined(a.is_undefined() ? a : b);
    return false;
  }
  const int result = order(a, b, 0);
  if (result == 2) {
    fail("{} is not possible between {} and {}", kSymbols[static_cast<std::size_t>(operation)], type_name(a),
         type_name(b));
    return false;
  }
  switch (operation) {
    case Operator::less: return result < 0;
    case Operator::less_equal: return result <= 0;
    case Operator::greater: return result > 0;
    default: return result >= 0;
  }
}

bool Evaluator::contains(const Value& container, const Value& item) noexcept {
  if (has_failed()) return false;
  if (container.is_string()) {
    if (item.is_string()) return container.text.view().find(item.text.view()) != std::string_view::npos;
    fail("'in <string>' needs a string on the left, found {}", type_name(item));
    return false;
  }
  if (container.is_mapping()) {
    if (item.is_mapping() || (item.is_list() && item.list->flavor == Flavor::list)) {
      fail("unhashable type: '{}'", type_name(item));
      return false;
    }
    return spend(container.mapping->entries.size() / 16) && container.mapping->find(item) != nullptr;
  }
  if (!container.is_list() && !container.is_undefined()) {
    fail("argument of type '{}' is not iterable", type_name(container));
    return false;
  }
  const List* items = to_items(container);
  if (items == nullptr || !spend(items->items.size() / 16)) return false;
  for (const Value& candidate : items->items) {
    if (are_equal(candidate, item)) return true;
  }
  return false;
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
