// SPDX-License-Identifier: MIT
#include "text/jinja/evaluator.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

Evaluator::Flow Evaluator::run_block(const Block& block, Scope& scope, TextBuilder& out) noexcept {
  Flow flow = Flow::next;
  if (enter()) {
    for (const Statement* statement : block) {
      flow = run_statement(*statement, scope, out);
      if (flow != Flow::next || has_failed()) break;
    }
  }
  leave();
  return flow;
}

Evaluator::Flow Evaluator::run_statement(const Statement& statement, Scope& scope, TextBuilder& out) noexcept {
  at_ = statement.at;
  if (!spend(1)) return Flow::next;
  switch (statement.kind) {
    case StatementKind::text: out.append(statement.name); break;
    case StatementKind::output: out.append(to_text(evaluate(*statement.expression, scope))); break;
    case StatementKind::conditional: return run_conditional(statement, scope, out);
    case StatementKind::loop: return run_loop(statement, scope, out);
    case StatementKind::set:
    case StatementKind::set_block: run_set(statement, scope); break;
    case StatementKind::set_member: run_set_member(statement, scope); break;
    case StatementKind::macro: bind(scope, statement.name, make_macro(statement, scope)); break;
    case StatementKind::call: run_call(statement, scope, out); break;
    case StatementKind::filter: {
      const Value text = capture(statement.body, scope);
      out.append(to_text(apply_filters(*statement.filter, text, scope)));
      break;
    }
    case StatementKind::scope: run_with(statement, scope, out); break;
    case StatementKind::break_loop: return Flow::leave_loop;
    case StatementKind::continue_loop: return Flow::next_round;
  }
  if (out.has_failed() && !has_failed()) finish(out);
  return Flow::next;
}

Evaluator::Flow Evaluator::run_conditional(const Statement& statement, Scope& scope, TextBuilder& out) noexcept {
  for (const Statement* rung = &statement;;) {
    const bool is_chosen = is_true(evaluate(*rung->expression, scope));
    if (has_failed()) return Flow::next;
    if (is_chosen) return run_block(rung->body, scope, out);
    const Block& otherwise = rung->otherwise;
    if (otherwise.size() != 1 || otherwise[0]->kind != StatementKind::conditional) {
      return otherwise.empty() ? Flow::next : run_block(otherwise, scope, out);
    }
    rung = otherwise[0];
  }
}

Evaluator::Flow Evaluator::run_loop(const Statement& statement, Scope& scope, TextBuilder& out) noexcept {
  const Value sequence = evaluate(*statement.expression, scope);
  at_ = statement.at;
  return run_rounds(statement, sequence, 0, scope, out);
}

Evaluator::Flow Evaluator::run_rounds(const Statement& statement, const Value& sequence, std::size_t depth,
                                      Scope& scope, TextBuilder& out) noexcept {
  const List* items = to_items(sequence);
  if (items != nullptr && statement.filter != nullptr) items = filter_items(statement, *items, scope);
  auto* loop = arena_->make<LoopState>();
  if (items == nullptr || loop == nullptr) {
    no_memory();
    return Flow::next;
  }
  *loop = {.items = items, .depth = depth, .recursive = statement.is_recursive ? &statement : nullptr, .scope = &scope};
  Value loop_value;
  loop_value.kind = Kind::loop;
  loop_value.loop = loop;
  auto* inner = arena_->make<Scope>();
  if (inner == nullptr) no_memory();
  for (; loop->index < items->items.size() && !has_failed(); ++loop->index) {
    *inner = {.parent = &scope, .bindings = inner->bindings};
    inner->bindings.truncate(0);
    bind(*inner, "loop", loop_value);
    bind_targets(statement.targets, items->items[loop->index], *inner);
    if (run_block(statement.body, *inner, out) == Flow::leave_loop) break;
  }
  if (items->items.empty() && !has_failed()) return run_block(statement.otherwise, scope, out);
  return Flow::next;
}

const List* Evaluator::filter_items(const Statement& statement, const List& items, Scope& scope) noexcept {
  List* kept = new_list();
  auto* inner = arena_->make<Scope>();
  if (inner == nullptr) no_memory();
  for (std::size_t i = 0; i < items.items.size() && !has_failed(); ++i) {
    *inner = {.parent = &scope, .bindings = inner->bindings};
    inner->bindings.truncate(0);
    bind_targets(statement.targets, items.items[i], *inner);
    if (is_true(evaluate(*statement.filter, *inner))) push(*kept, items.items[i]);
  }
  return has_failed() ? nullptr : kept;
}

Value Evaluator::capture(const Block& block, Scope& scope) noexcept {
  TextBuilder builder = new_builder();
  run_block(block, scope, builder);
  return has_failed() ? Value() : finish(builder);
}

void Evaluator::bind(Scope& scope, std::string_view name, const Value& value) noexcept {
  if (has_failed()) return;
  for (Binding& binding : scope.bindings) {
    if (binding.name != name) continue;
    binding.value = value;
    return;
  }
  if (!scope.bindings.push(*arena_, {name, value})) no_memory();
}

void Evaluator::bind_targets(const ArenaArray<std::string_view>& targets, const Value& value, Scope& scope) noexcept {
  if (targets.size() == 1) return bind(scope, targets[0], value);
  const List* items = to_items(value);
  if (items == nullptr) return;
  if (items->items.size() != targets.size()) {
    fail("expected {} values to unpack, found {}", targets.size(), items->items.size());
    return;
  }
  for (std::size_t i = 0; i < targets.size(); ++i) bind(scope, targets[i], items->items[i]);
}

void Evaluator::run_set(const Statement& statement, Scope& scope) noexcept {
  Value value;
  if (statement.kind == StatementKind::set) {
    value = evaluate(*statement.expression, scope);
  } else {
    auto* inner = arena_->make<Scope>();
    if (inner == nullptr) {
      no_memory();
      return;
    }
    inner->parent = &scope;
    value = capture(statement.body, *inner);
    if (statement.filter != nullptr) value = apply_filters(*statement.filter, value, scope);
  }
  at_ = statement.at;
  if (!has_failed()) bind_targets(statement.targets, value, scope);
}

void Evaluator::run_set_member(const Statement& statement, Scope& scope) noexcept {
  const Value value = evaluate(*statement.expression, scope);
  const Expression name{ExpressionKind::name, statement.at, statement.name};
  const Value space = lookup(name, scope);
  at_ = statement.at;
  if (space.kind != Kind::space) {
    fail("cannot assign to an attribute of '{}': it is not a namespace", statement.name);
    return;
  }
  set(*space.mapping, Value::of(Text(statement.member)), value);
}

void Evaluator::run_call(const Statement& statement, Scope& scope, TextBuilder& out) noexcept {
  const Expression& call_node = *statement.expression;
  const Value callee = evaluate(*call_node.first, scope);
  Arguments arguments;
  if (!evaluate_arguments(call_node, scope, arguments)) return;
  at_ = statement.at;
  const Value caller = make_macro(statement, scope);
  if (has_failed()) return;
  if (callee.kind != Kind::macro) {
    fail("a call tag needs a macro, found {}", type_name(callee));
    return;
  }
  out.append(to_text(call_macro(*callee.macro, arguments, &caller)));
}

void Evaluator::run_with(const Statement& statement, Scope& scope, TextBuilder& out) noexcept {
  auto* inner = arena_->make<Scope>();
  if (inner == nullptr) {
    no_memory();
    return;
  }
  inner->parent = &scope;
  const Expressions& values = statement.expression->operands;
  for (std::size_t i = 0; i < values.size() && !has_failed(); ++i) {
    bind(*inner, statement.targets[i], evaluate(*values[i], scope));
  }
  if (!has_failed()) run_block(statement.body, *inner, out);
}

Value Evaluator::make_macro(const Statement& statement, Scope& scope) noexcept {
  const auto* macro = arena_->make<MacroValue>(&statement, &scope);
  if (macro == nullptr) return no_memory();
  Value value;
  value.kind = Kind::macro;
  value.macro = macro;
  return value;
}

Value Evaluator::call_macro(const MacroValue& macro, const Arguments& arguments, const Value* caller) noexcept {
  auto* inner = arena_->make<Scope>();
  if (inner == nullptr) return no_memory();
  inner->parent = macro.scope;
  if (caller != nullptr) bind(*inner, "caller", *caller);
  bind_parameters(*macro.statement, arguments, *inner);
  if (has_failed()) return {};
  const Position outer = at_;
  const Value text = capture(macro.statement->body, *inner);
  if (!has_failed()) at_ = outer;
  return text;
}

void Evaluator::bind_parameters(const Statement& macro, const Arguments& arguments, Scope& scope) noexcept {
  for (std::size_t i = 0; i < macro.parameters.size() && !has_failed(); ++i) {
    const Parameter& parameter = macro.parameters[i];
    const Value* given = i < arguments.positional.size() ? &arguments.positional[i] : nullptr;
    for (const NamedValue& named : arguments.named) {
      if (named.name == parameter.name) given = &named.value;
    }
    if (given != nullptr) {
      bind(scope, parameter.name, *given);
    } else if (parameter.fallback != nullptr) {
      bind(scope, parameter.name, evaluate(*parameter.fallback, scope));
    } else {
      bind(scope, parameter.name, Value::undefined(parameter.name));
    }
  }
  bind_rest(macro, arguments, scope);
}

/// Arguments without a parameter: varargs and kwargs, or an error where the macro does not use them.
void Evaluator::bind_rest(const Statement& macro, const Arguments& arguments, Scope& scope) noexcept {
  List* varargs = new_list(Flavor::tuple);
  Mapping* kwargs = new_mapping();
  if (has_failed()) return;
  for (std::size_t i = macro.parameters.size(); i < arguments.positional.size(); ++i) {
    push(*varargs, arguments.positional[i]);
  }
  for (const NamedValue& named : arguments.named) {
    bool is_parameter = false;
    for (const Parameter& parameter : macro.parameters) is_parameter |= parameter.name == named.name;
    if (!is_parameter) set(*kwargs, Value::of(Text(named.name)), named.value);
  }
  if (macro.uses_rest) {
    bind(scope, "varargs", Value::of(varargs));
    bind(scope, "kwargs", Value::of(kwargs));
  } else if (!varargs->items.empty() || !kwargs->entries.empty()) {
    fail("macro '{}' takes {} arguments and was given others", macro.name, macro.parameters.size());
  }
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
