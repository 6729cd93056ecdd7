// SPDX-License-Identifier: MIT
// Runs a parsed template. Errors stick: after the first, every function returns an undefined value and does nothing.
// (A Result a node would put 500 bytes on the stack at each level.)
#ifndef LOQUAT_TEXT_JINJA_EVALUATOR_HPP
#define LOQUAT_TEXT_JINJA_EVALUATOR_HPP

#include <loquat/result.hpp>

#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "text/jinja/arena.hpp"
#include "text/jinja/ast.hpp"
#include "text/jinja/builtins.hpp"
#include "text/jinja/template.hpp"
#include "text/jinja/text_builder.hpp"
#include "text/jinja/value.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

struct Binding {
  std::string_view name;
  Value value;
};

/// Variables of a block; names that are not here are looked for in the parent.
struct Scope {
  Scope* parent = nullptr;
  ArenaArray<Binding> bindings;
};

/// A macro, or the body of a call tag, with the scope that it was written in.
struct MacroValue {
  const Statement* statement;
  Scope* scope;
};

/// What `loop` gives.
struct LoopState {
  const List* items;
  std::size_t index = 0;
  std::size_t depth = 0;
  const Statement* recursive = nullptr;  ///< of a recursive loop
  Scope* scope = nullptr;                ///< where a recursive loop runs again
  Value last_changed = {};               ///< of changed()
  bool has_changed = false;
};

class Evaluator {
 public:
  Evaluator(Arena& arena, const Limits& limits, std::int64_t unix_seconds) noexcept
      : arena_(&arena), limits_(limits), unix_seconds_(unix_seconds), output_(arena, limits.output_bytes) {}

  Status run(const Block& block, Scope& scope) noexcept;
  Text output() const noexcept { return output_.text(); }

  // For builtins.
  Arena& arena() noexcept { return *arena_; }
  const Limits& limits() const noexcept { return limits_; }
  std::int64_t unix_seconds() const noexcept { return unix_seconds_; }
  bool has_failed() const noexcept { return !status_; }
  const Error& error() const noexcept { return status_.error(); }
  /// Records a template_error at the current place.
  template <class... A>
  Value fail(fmt::format_string<const A&...> format, const A&... arguments) noexcept {
    return fail_with(make_error(ErrorCode::template_error, format, arguments...));
  }
  Value refuse(std::string_view message) noexcept;
  Value fail_undefined(const Value& undefined) noexcept;
  Value no_memory() noexcept;
  /// The text that was built, or a failure.
  Value finish(const TextBuilder& builder) noexcept;
  TextBuilder new_builder() noexcept { return TextBuilder(*arena_, limits_.output_bytes); }
  List* new_list(Flavor flavor = Flavor::list) noexcept;
  Mapping* new_mapping() noexcept;
  bool push(List& list, const Value& value) noexcept;
  bool set(Mapping& mapping, const Value& key, const Value& value) noexcept;
  /// Counts work; false when the limit is reached.
  bool spend(std::uint64_t steps) noexcept;

  /// str(value), for output and ~.
  Text to_text(const Value& value) noexcept;
  /// The items that iterating gives; null after a failure.
  const List* to_items(const Value& value) noexcept;
  Value attribute(const Value& object, std::string_view name) noexcept;
  Value subscript(const Value& object, const Value& key) noexcept;
  /// a.b.0 as filters name it: dots between names and numbers.
  Value attribute_path(const Value& object, const Value& path) noexcept;
  Value binary(Operator operation, const Value& a, const Value& b) noexcept;
  bool compare(Operator operation, const Value& a, const Value& b) noexcept;
  bool contains(const Value& container, const Value& item) noexcept;
  Value call(const Value& callee, const Arguments& arguments) noexcept;
  Value call_builtin(const Builtin& builtin, const Value& subject, const Arguments& arguments) noexcept;

 private:
  enum class Flow : std::uint8_t { next, leave_loop, next_round };

  Value fail_with(const Error& error) noexcept;
  bool enter() noexcept;
  void leave() noexcept { --depth_; }

  // Statements: evaluator_statements.cpp.
  Flow run_block(const Block& block, Scope& scope, TextBuilder& out) noexcept;
  Flow run_statement(const Statement& statement, Scope& scope, TextBuilder& out) noexcept;
  Flow run_conditional(const Statement& statement, Scope& scope, TextBuilder& out) noexcept;
  Flow run_loop(const Statement& statement, Scope& scope, TextBuilder& out) noexcept;
  Flow run_rounds(const Statement& statement, const Value& sequence, std::size_t depth, Scope& scope,
                  TextBuilder& out) noexcept;
  const List* filter_items(const Statement& statement, const List& items, Scope& scope) noexcept;
  void run_set(const Statement& statement, Scope& scope) noexcept;
  void run_set_member(const Statement& statement, Scope& scope) noexcept;
  void run_call(const Statement& statement, Scope& scope, TextBuilder& out) noexcept;
  void run_with(const Statement& statement, Scope& scope, TextBuilder& out) noexcept;
  Value capture(const Block& block, Scope& scope) noexcept;
  void bind(Scope& scope, std::string_view name, const Value& value) noexcept;
  void bind_targets(const ArenaArray<std::string_view>& targets, const Value& value, Scope& scope) noexcept;
  Value make_macro(const Statement& statement, Scope& scope) noexcept;
  Value call_macro(const MacroValue& macro, const Arguments& arguments, const Value* caller) noexcept;
  void bind_parameters(const Statement& macro, const Arguments& arguments, Scope& scope) noexcept;
  void bind_rest(const Statement& macro, const Arguments& arguments, Scope& scope) noexcept;

  // Expressions: evaluator_expressions.cpp.
  Value evaluate(const Expression& node, Scope& scope) noexcept;
  Value evaluate_inside(const Expression& node, Scope& scope) noexcept;
  Value lookup(const Expression& node, Scope& scope) noexcept;
  Value evaluate_list(const Expression& node, Scope& scope) noexcept;
  Value evaluate_dictionary(const Expression& node, Scope& scope) noexcept;
  Value evaluate_logical(const Expression& node, Scope& scope) noexcept;
  Value evaluate_comparison(const Expression& node, Scope& scope) noexcept;
  Value evaluate_arithmetic(const Expression& node, Scope& scope) noexcept;
  Value evaluate_concatenation(const Expression& node, Scope& scope) noexcept;
  Value evaluate_slice(const Expression& node, Scope& scope) noexcept;
  Value evaluate_call(const Expression& node, Scope& scope) noexcept;
  Value evaluate_sign(const Expression& node, Scope& scope) noexcept;
  Value apply_filter(const Expression& filter, const Value& subject, Scope& scope) noexcept;
  Value apply_filters(const Expression& filter, const Value& subject, Scope& scope) noexcept;
  bool evaluate_arguments(const Expression& node, Scope& scope, Arguments& arguments) noexcept;
  bool bind_arguments(const Builtin& builtin, const Arguments& arguments, Bound& bound) noexcept;
  Value call_loop(LoopState& loop, const Arguments& arguments) noexcept;
  Value loop_attribute(LoopState& loop, std::string_view name) noexcept;
  Value slice_bounds(const Expression* bound, Scope& scope) noexcept;

  Arena* arena_;
  Limits limits_;
  std::int64_t unix_seconds_;
  TextBuilder output_;
  Status status_;
  Position at_;
  std::uint64_t steps_ = 0;
  std::uint32_t depth_ = 0;
};

}  // namespace loquat::inline LOQUAT_ABI::text::jinja

#endif  // LOQUAT_TEXT_JINJA_EVALUATOR_HPP
