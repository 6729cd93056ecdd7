// SPDX-License-Identifier: MIT
#include "text/jinja/characters.hpp"
#include "text/jinja/evaluator.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

Value Evaluator::evaluate(const Expression& node, Scope& scope) noexcept {
  if (node.kind == ExpressionKind::literal) return node.literal;
  if (node.kind == ExpressionKind::name) return lookup(node, scope);
  at_ = node.at;
  Value value;
  if (enter()) value = evaluate_inside(node, scope);
  leave();
  return has_failed() ? Value() : value;
}

Value Evaluator::evaluate_inside(const Expression& node, Scope& scope) noexcept {
  switch (node.kind) {
    case ExpressionKind::list:
    case ExpressionKind::tuple: return evaluate_list(node, scope);
    case ExpressionKind::dictionary: return evaluate_dictionary(node, scope);
    case ExpressionKind::attribute: {
      const Value object = evaluate(*node.first, scope);
      at_ = node.at;
      return attribute(object, node.name);
    }
    case ExpressionKind::subscript: {
      const Value object = evaluate(*node.first, scope);
      const Value key = evaluate(*node.second, scope);
      at_ = node.at;
      return subscript(object, key);
    }
    case ExpressionKind::slice: return evaluate_slice(node, scope);
    case ExpressionKind::call: return evaluate_call(node, scope);
    case ExpressionKind::filter: return apply_filter(node, evaluate(*node.first, scope), scope);
    case ExpressionKind::test: return apply_filter(node, evaluate(*node.first, scope), scope);
    case ExpressionKind::negate:
    case ExpressionKind::plus: return evaluate_sign(node, scope);
    case ExpressionKind::logical_not: return Value::of(!is_true(evaluate(*node.first, scope)));
    case ExpressionKind::logical_and:
    case ExpressionKind::logical_or: return evaluate_logical(node, scope);
    case ExpressionKind::compare: return evaluate_comparison(node, scope);
    case ExpressionKind::arithmetic: return evaluate_arithmetic(node, scope);
    case ExpressionKind::concatenate: return evaluate_concatenation(node, scope);
    case ExpressionKind::conditional:
      if (is_true(evaluate(*node.second, scope))) return evaluate(*node.first, scope);
      if (node.third != nullptr) return evaluate(*node.third, scope);
      return Value::undefined(Text("the conditional without an else"));
    default: return {};  // literal and name were handled by evaluate()
  }
}

Value Evaluator::lookup(const Expression& node, Scope& scope) noexcept {
  for (const Scope* at = &scope; at != nullptr; at = at->parent) {
    for (const Binding& binding : at->bindings) {
      if (binding.name == node.name) return binding.value;
    }
  }
  const Builtin* function = find_function(node.name);
  if (function == nullptr) return Value::undefined(Text(node.name));
  const auto* callable = arena_->make<Callable>(function, Value());
  return callable == nullptr ? no_memory() : Value::of(callable);
}

Value Evaluator::evaluate_list(const Expression& node, Scope& scope) noexcept {
  List* list = new_list(node.kind == ExpressionKind::tuple ? Flavor::tuple : Flavor::list);
  for (const Expression* operand : node.operands) {
    const Value value = evaluate(*operand, scope);
    if (has_failed() || !push(*list, value)) return {};
  }
  return has_failed() ? Value() : Value::of(list);
}

Value Evaluator::evaluate_dictionary(const Expression& node, Scope& scope) noexcept {
  Mapping* mapping = new_mapping();
  for (std::size_t i = 0; i < node.operands.size(); i += 2) {
    const Value key = evaluate(*node.operands[i], scope);
    const Value value = evaluate(*node.operands[i + 1], scope);
    if (has_failed() || !set(*mapping, key, value)) return {};
  }
  return has_failed() ? Value() : Value::of(mapping);
}

/// `and` and `or` give the operand that decides, as in Python.
Value Evaluator::evaluate_logical(const Expression& node, Scope& scope) noexcept {
  const bool goes_on_while = node.kind == ExpressionKind::logical_and;
  Value value;
  for (const Expression* operand : node.operands) {
    value = evaluate(*operand, scope);
    if (has_failed() || is_true(value) != goes_on_while) break;
  }
  return value;
}

/// a < b < c is a < b and b < c.
Value Evaluator::evaluate_comparison(const Expression& node, Scope& scope) noexcept {
  Value left = evaluate(*node.operands[0], scope);
  for (std::size_t i = 0; i < node.operators.size() && !has_failed(); ++i) {
    const Value right = evaluate(*node.operands[i + 1], scope);
    at_ = node.at;
    if (!compare(node.operators[i], left, right)) return Value::of(false);
    left = right;
  }
  return Value::of(true);
}

Value Evaluator::evaluate_arithmetic(const Expression& node, Scope& scope) noexcept {
  Value value = evaluate(*node.operands[0], scope);
  for (std::size_t i = 0; i < node.operators.size() && !has_failed(); ++i) {
    const Value right = evaluate(*node.operands[i + 1], scope);
    at_ = node.at;
    value = binary(node.operators[i], value, right);
  }
  return value;
}

Value Evaluator::evaluate_concatenation(const Expression& node, Scope& scope) noexcept {
  TextBuilder builder = new_builder();
  for (const Expression* operand : node.operands) {
    builder.append(to_text(evaluate(*operand, scope)));
    if (has_failed()) return {};
  }
  return finish(builder);
}

Value Evaluator::evaluate_sign(const Expression& node, Scope& scope) noexcept {
  const Value value = evaluate(*node.first, scope);
  at_ = node.at;
  if (has_failed()) return {};
  if (value.is_undefined()) return fail_undefined(value);
  if (!value.is_number()) return fail("a sign needs a number, found {}", type_name(value));
  const bool is_negative = node.kind == ExpressionKind::negate;
  if (value.kind == Kind::real) return Value::of(is_negative ? -value.real : value.real);
  return binary(Operator::subtract, Value::of(std::int64_t{0}),
                is_negative ? value : binary(Operator::subtract, Value::of(std::int64_t{0}), value));
}

namespace {

/// Python's slice.indices(): where a walk over `size` items begins, ends (exclusive) and how it steps.
struct Walk {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t step;
};

std::int64_t clamp_bound(std::int64_t bound, std::int64_t size, std::int64_t least, std::int64_t most) noexcept {
  if (bound < 0) bound += size;
  return bound < least ? least : bound > most ? most : bound;
}

Walk make_walk(const Value& begin, const Value& end, std::int64_t step, std::int64_t size) noexcept {
  const std::int64_t least = step < 0 ? -1 : 0;
  const std::int64_t most = step < 0 ? size - 1 : size;
  Walk walk{step < 0 ? most : least, step < 0 ? least : most, step};
  if (begin.is_integral()) walk.begin = clamp_bound(begin.as_integer(), size, least, most);
  if (end.is_integral()) walk.end = clamp_bound(end.as_integer(), size, least, most);
  return walk;
}

}  // namespace

/// A bound as a number in a range that cannot overflow, or none.
Value Evaluator::slice_bounds(const Expression* bound, Scope& scope) noexcept {
  if (bound == nullptr) return Value::none();
  const Value value = evaluate(*bound, scope);
  if (has_failed() || value.kind == Kind::none) return Value::none();
  if (!value.is_integral()) return fail("slice indices must be whole numbers or none, found {}", type_name(value));
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  const std::int64_t index = value.as_integer();
  return Value::of(index > kMost ? kMost : index < -kMost ? -kMost : index);
}

Value Evaluator::evaluate_slice(const Expression& node, Scope& scope) noexcept {
  const Value object = evaluate(*node.first, scope);
  const Value begin = slice_bounds(node.second, scope);
  const Value end = slice_bounds(node.third, scope);
  const Value step_value = slice_bounds(node.fourth, scope);
  at_ = node.at;
  if (has_failed()) return {};
  if (object.is_undefined()) return fail_undefined(object);
  const std::int64_t step = step_value.is_integral() ? step_value.as_integer() : 1;
  if (step == 0) return fail("a slice cannot step by zero");
  const bool is_sequence =
      object.is_list() && object.list->flavor != Flavor::view && object.list->flavor != Flavor::generator;
  if (!object.is_string() && !is_sequence) return Value::undefined(Text("a slice of what is not a sequence"));

  const List* items = to_items(object);
  if (items == nullptr) return {};
  const Walk walk = make_walk(begin, end, step, static_cast<std::int64_t>(items->items.size()));
  List* part = new_list(object.is_list() ? object.list->flavor : Flavor::list);
  for (std::int64_t i = walk.begin; !has_failed() && (step > 0 ? i < walk.end : i > walk.end); i += step) {
    push(*part, items->items[static_cast<std::size_t>(i)]);
  }
  if (has_failed()) return {};
  if (object.is_list()) return Value::of(part);
  TextBuilder builder = new_builder();
  for (const Value& character : part->items) builder.append(character.text);
  return finish(builder);
}

bool Evaluator::evaluate_arguments(const Expression& node, Scope& scope, Arguments& arguments) noexcept {
  for (const Expression* operand : node.operands) {
    const Value value = evaluate(*operand, scope);
    if (!has_failed() && !arguments.positional.push(*arena_, value)) no_memory();
  }
  for (const Keyword& keyword : node.keywords) {
    const Value value = evaluate(*keyword.value, scope);
    if (!has_failed() && !arguments.named.push(*arena_, {keyword.name, value})) no_memory();
  }
  return !has_failed();
}

Value Evaluator::evaluate_call(const Expression& node, Scope& scope) noexcept {
  const Value callee = evaluate(*node.first, scope);
  Arguments arguments;
  if (has_failed() || !evaluate_arguments(node, scope, arguments)) return {};
  at_ = node.at;
  return call(callee, arguments);
}

Value Evaluator::call(const Value& callee, const Arguments& arguments) noexcept {
  switch (callee.kind) {
    case Kind::function: return call_builtin(*callee.callable->builtin, callee.callable->object, arguments);
    case Kind::macro: return call_macro(*callee.macro, arguments, nullptr);
    case Kind::loop: return call_loop(*callee.loop, arguments);
    case Kind::undefined: return fail_undefined(callee);
    default: return fail("'{}' object is not callable", type_name(callee));
  }
}

/// loop(items) of a recursive loop: the loop again, one level deeper.
Value Evaluator::call_loop(LoopState& loop, const Arguments& arguments) noexcept {
  if (loop.recursive == nullptr || arguments.positional.size() != 1) {
    return fail("loop() needs a recursive loop and one argument");
  }
  TextBuilder builder = new_builder();
  run_rounds(*loop.recursive, arguments.positional[0], loop.depth + 1, *loop.scope, builder);
  return has_failed() ? Value() : finish(builder);
}

Value Evaluator::apply_filter(const Expression& filter, const Value& subject, Scope& scope) noexcept {
  Arguments arguments;
  if (has_failed() || !evaluate_arguments(filter, scope, arguments)) return {};
  at_ = filter.at;
  if (filter.builtin == nullptr) {
    return fail("no {} is named {}", filter.kind == ExpressionKind::test ? "test" : "filter", filter.name);
  }
  return call_builtin(*filter.builtin, subject, arguments);
}

/// The filters of a block, innermost first.
Value Evaluator::apply_filters(const Expression& filter, const Value& subject, Scope& scope) noexcept {
  const Value inner = filter.first == nullptr ? subject : apply_filters(*filter.first, subject, scope);
  return apply_filter(filter, inner, scope);
}

namespace {

/// Index of `name` among names with blanks between them, or kMostParameters.
std::size_t find_parameter(std::string_view names, std::string_view name) noexcept {
  std::size_t index = 0;
  while (!names.empty()) {
    const std::size_t end = names.find(' ');
    if (names.substr(0, end) == name) return index;
    names = end == std::string_view::npos ? std::string_view() : names.substr(end + 1);
    ++index;
  }
  return kMostParameters;
}

std::size_t count_parameters(std::string_view names) noexcept {
  std::size_t n = names.empty() ? 0 : 1;
  for (const char c : names) n += c == ' ' ? 1 : 0;
  return n;
}

}  // namespace

bool Evaluator::bind_arguments(const Builtin& builtin, const Arguments& arguments, Bound& bound) noexcept {
  bound.all = &arguments;
  if (builtin.parameters == "*") return true;
  if (arguments.positional.size() > count_parameters(builtin.parameters)) {
    fail("{} takes at most {} arguments, was given {}", builtin.name, count_parameters(builtin.parameters),
         arguments.positional.size());
    return false;
  }
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) bound.values[i] = &arguments.positional[i];
  for (const NamedValue& named : arguments.named) {
    const std::size_t index = find_parameter(builtin.parameters, named.name);
    if (index == kMostParameters || bound.values[index] != nullptr) {
      fail("{} has no parameter '{}' that is free", builtin.name, named.name);
      return false;
    }
    bound.values[index] = &named.value;
  }
  for (std::size_t i = 0; i < builtin.n_required; ++i) {
    if (bound.values[i] != nullptr) continue;
    fail("{} needs {} arguments", builtin.name, builtin.n_required);
    return false;
  }
  return true;
}

Value Evaluator::call_builtin(const Builtin& builtin, const Value& subject, const Arguments& arguments) noexcept {
  Bound bound;
  if (!spend(1) || !bind_arguments(builtin, arguments, bound)) return {};
  const Value value = builtin.call(*this, subject, bound);
  return has_failed() ? Value() : value;
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
