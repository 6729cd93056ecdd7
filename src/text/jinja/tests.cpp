// SPDX-License-Identifier: MIT
// `x is ...`. Undefined is iterable and a sequence there, as in the published engine.
#include "text/jinja/characters.hpp"
#include "text/jinja/evaluator.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

namespace {

using Call = Value (*)(Evaluator&, const Value&, const Bound&) noexcept;

template <bool (*kClaim)(const Value&) noexcept>
Value claim(Evaluator&, const Value& value, const Bound&) noexcept {
  return Value::of(kClaim(value));
}

template <Operator kOperator>
Value comparison(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  return Value::of(evaluator.compare(kOperator, value, *arguments[0]));
}

bool is_defined(const Value& value) noexcept { return !value.is_undefined(); }
bool is_undefined(const Value& value) noexcept { return value.is_undefined(); }
bool is_none(const Value& value) noexcept { return value.kind == Kind::none; }
bool is_boolean(const Value& value) noexcept { return value.kind == Kind::boolean; }
bool is_true_itself(const Value& value) noexcept { return is_boolean(value) && value.boolean; }
bool is_false_itself(const Value& value) noexcept { return is_boolean(value) && !value.boolean; }
bool is_integer(const Value& value) noexcept { return value.kind == Kind::integer; }
bool is_float(const Value& value) noexcept { return value.kind == Kind::real; }
bool is_number(const Value& value) noexcept { return value.is_number(); }
bool is_string(const Value& value) noexcept { return value.is_string(); }
bool is_mapping(const Value& value) noexcept { return value.is_mapping(); }
bool is_sequence(const Value& value) noexcept {
  if (value.is_list()) return value.list->flavor != Flavor::generator && value.list->flavor != Flavor::view;
  return value.is_string() || value.is_mapping() || value.is_undefined();
}
bool is_iterable(const Value& value) noexcept {
  return value.is_list() || value.is_string() || value.is_mapping() || value.is_undefined();
}
bool is_callable(const Value& value) noexcept {
  return value.kind == Kind::function || value.kind == Kind::macro || value.kind == Kind::loop || value.is_undefined();
}
bool is_escaped(const Value& value) noexcept { return value.is_string() && value.text.is_markup; }

/// str.islower() and str.isupper(): cased letters, all of one case.
Value has_case(Evaluator& evaluator, const Value& value, char first, char other) noexcept {
  bool has_letter = false;
  const Text text = evaluator.to_text(value);
  for (std::size_t i = 0; i < text.size;) {
    const CodePoint c = first_code_point(text.view().substr(i));
    if (has_unknown_case(c.value)) return evaluator.fail("case of characters beyond ASCII is not supported");
    const std::uint32_t to_first = c.value - static_cast<std::uint32_t>(first);
    const std::uint32_t to_other = c.value - static_cast<std::uint32_t>(other);
    if (to_other < 26) return Value::of(false);
    has_letter |= to_first < 26;
    i += c.bytes;
  }
  return Value::of(has_letter);
}
Value is_lower(Evaluator& evaluator, const Value& value, const Bound&) noexcept {
  return has_case(evaluator, value, 'a', 'A');
}
Value is_upper(Evaluator& evaluator, const Value& value, const Bound&) noexcept {
  return has_case(evaluator, value, 'A', 'a');
}

Value is_divisible(Evaluator& evaluator, const Value& value, const Value& divisor) noexcept {
  return Value::of(are_equal(evaluator.binary(Operator::modulo, value, divisor), Value::of(std::int64_t{0})));
}
Value is_divisible_by(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  return is_divisible(evaluator, value, *arguments[0]);
}
Value is_even(Evaluator& evaluator, const Value& value, const Bound&) noexcept {
  return is_divisible(evaluator, value, Value::of(std::int64_t{2}));
}
Value is_odd(Evaluator& evaluator, const Value& value, const Bound&) noexcept {
  return Value::of(!is_even(evaluator, value, {}).boolean);
}

/// Python's `is`: the same object; small values are the same when they are equal and of one type.
Value is_same(Evaluator&, const Value& value, const Bound& arguments) noexcept {
  const Value& other = *arguments[0];
  if (value.kind != other.kind) return Value::of(false);
  if (value.is_list()) return Value::of(value.list == other.list);
  if (value.is_mapping()) return Value::of(value.mapping == other.mapping);
  return Value::of(are_equal(value, other));
}

Value is_filter(Evaluator& evaluator, const Value& value, const Bound&) noexcept {
  return Value::of(find_filter(evaluator.to_text(value).view()) != nullptr);
}
Value is_test(Evaluator& evaluator, const Value& value, const Bound&) noexcept {
  return Value::of(find_test(evaluator.to_text(value).view()) != nullptr);
}

constexpr Builtin kTests[] = {
    {"defined", "", 0, claim<is_defined>},
    {"undefined", "", 0, claim<is_undefined>},
    {"none", "", 0, claim<is_none>},
    {"boolean", "", 0, claim<is_boolean>},
    {"true", "", 0, claim<is_true_itself>},
    {"false", "", 0, claim<is_false_itself>},
    {"integer", "", 0, claim<is_integer>},
    {"float", "", 0, claim<is_float>},
    {"number", "", 0, claim<is_number>},
    {"string", "", 0, claim<is_string>},
    {"mapping", "", 0, claim<is_mapping>},
    {"sequence", "", 0, claim<is_sequence>},
    {"iterable", "", 0, claim<is_iterable>},
    {"callable", "", 0, claim<is_callable>},
    {"escaped", "", 0, claim<is_escaped>},
    {"lower", "", 0, is_lower},
    {"upper", "", 0, is_upper},
    {"odd", "", 0, is_odd},
    {"even", "", 0, is_even},
    {"divisibleby", "num", 1, is_divisible_by},
    {"sameas", "other", 1, is_same},
    {"filter", "", 0, is_filter},
    {"test", "", 0, is_test},
    {"in", "seq", 1, comparison<Operator::in>},
    {"eq", "other", 1, comparison<Operator::equal>},
    {"equalto", "other", 1, comparison<Operator::equal>},
    {"==", "other", 1, comparison<Operator::equal>},
    {"ne", "other", 1, comparison<Operator::not_equal>},
    {"!=", "other", 1, comparison<Operator::not_equal>},
    {"gt", "other", 1, comparison<Operator::greater>},
    {"greaterthan", "other", 1, comparison<Operator::greater>},
    {">", "other", 1, comparison<Operator::greater>},
    {"ge", "other", 1, comparison<Operator::greater_equal>},
    {">=", "other", 1, comparison<Operator::greater_equal>},
    {"lt", "other", 1, comparison<Operator::less>},
    {"lessthan", "other", 1, comparison<Operator::less>},
    {"<", "other", 1, comparison<Operator::less>},
    {"le", "other", 1, comparison<Operator::less_equal>},
    {"<=", "other", 1, comparison<Operator::less_equal>},
};

}  // namespace

const Builtin* find_test(std::string_view name) noexcept { return find_in(kTests, name); }

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
