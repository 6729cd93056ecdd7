// SPDX-License-Identifier: MIT
// Tokens to statements and expressions, by recursive descent. Chains of one precedence become one node, so that long
// sums and long elif ladders do not deepen the tree.
#ifndef LOQUAT_TEXT_JINJA_PARSER_HPP
#define LOQUAT_TEXT_JINJA_PARSER_HPP

#include <loquat/result.hpp>

#include <initializer_list>
#include <string_view>

#include "text/jinja/arena.hpp"
#include "text/jinja/ast.hpp"
#include "text/jinja/lexer.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

/// The first error sticks: functions then return null, and the caller of parse() gets it.
class Parser {
 public:
  Parser(const ArenaArray<Token>& tokens, Arena& arena, std::uint32_t depth_limit) noexcept
      : tokens_(&tokens), arena_(&arena), depth_limit_(depth_limit) {}

  /// Errors    template_error: line, column, and what is missing or not known; out_of_memory
  Status parse(Block& block) noexcept;

 private:
  // Tokens.
  const Token& current() const noexcept { return (*tokens_)[position_]; }
  const Token& look(std::size_t ahead) const noexcept {
    const std::size_t last = tokens_->size() - 1;
    return (*tokens_)[position_ + ahead < last ? position_ + ahead : last];
  }
  void advance() noexcept { position_ += position_ + 1 < tokens_->size() ? 1 : 0; }
  bool skip_symbol(std::string_view symbol) noexcept;
  bool skip_name(std::string_view name) noexcept;
  bool expect_symbol(std::string_view symbol) noexcept;
  bool expect_name(std::string_view& name) noexcept;
  bool expect_word(std::string_view word) noexcept;
  bool end_of_tag() noexcept;

  // Errors.
  std::nullptr_t fail(Position at, std::string_view message, std::string_view detail = {}) noexcept;
  std::nullptr_t unexpected(std::string_view wanted) noexcept;
  std::nullptr_t no_memory() noexcept;
  bool has_failed() const noexcept { return !status_; }
  template <class T>
  bool push(ArenaArray<T>& array, const T& value) noexcept {
    if (!array.push(*arena_, value)) no_memory();
    return !has_failed();
  }
  bool enter() noexcept;
  void leave() noexcept { --depth_; }

  // Statements: parser_statements.cpp.
  Statement* make(StatementKind kind, Position at) noexcept;
  /// Statements up to a tag that begins with one of `ends`; that tag's name is consumed and returned.
  std::string_view parse_block(Block& block, std::initializer_list<std::string_view> ends) noexcept;
  void parse_body(Block& block, std::initializer_list<std::string_view> ends, std::string_view& end) noexcept;
  const Statement* parse_statement(std::string_view tag, Position at, Block& block) noexcept;
  const Statement* parse_if(Position at) noexcept;
  const Statement* parse_for(Position at) noexcept;
  const Statement* parse_set(Position at) noexcept;
  const Statement* parse_set_block(Statement* statement) noexcept;
  const Statement* parse_macro(Position at) noexcept;
  const Statement* parse_call_block(Position at) noexcept;
  const Statement* parse_filter_block(Position at) noexcept;
  const Statement* parse_with(Position at) noexcept;
  bool parse_targets(ArenaArray<std::string_view>& targets) noexcept;
  bool parse_parameters(ArenaArray<Parameter>& parameters) noexcept;

  // Expressions: parser_expressions.cpp.
  Expression* make(ExpressionKind kind, Position at) noexcept;
  const Expression* parse_tuple(bool with_condition = true) noexcept;
  const Expression* parse_expression(bool with_condition = true) noexcept;
  const Expression* parse_conditional() noexcept;
  const Expression* parse_or() noexcept;
  const Expression* parse_and() noexcept;
  const Expression* parse_not() noexcept;
  const Expression* parse_comparison() noexcept;
  const Expression* parse_sum() noexcept;
  const Expression* parse_concatenation() noexcept;
  const Expression* parse_product() noexcept;
  const Expression* parse_power() noexcept;
  const Expression* parse_unary(bool with_filters) noexcept;
  const Expression* parse_primary() noexcept;
  const Expression* parse_number() noexcept;
  const Expression* parse_strings() noexcept;
  const Expression* parse_parenthesis() noexcept;
  const Expression* parse_list() noexcept;
  const Expression* parse_dictionary() noexcept;
  const Expression* parse_postfix(const Expression* node) noexcept;
  const Expression* parse_filters_and_tests(const Expression* node) noexcept;
  const Expression* parse_attribute(const Expression* node) noexcept;
  const Expression* parse_subscript(const Expression* node) noexcept;
  const Expression* parse_slice(const Expression* node, const Expression* begin, Position at) noexcept;
  const Expression* parse_call(const Expression* node) noexcept;
  const Expression* parse_filter(const Expression* node) noexcept;
  const Expression* parse_test(const Expression* node) noexcept;
  bool parse_arguments(Expression& call) noexcept;

  template <class Next>
  const Expression* parse_logical(ExpressionKind kind, std::string_view word, Next next) noexcept;
  template <class Find, class Next>
  const Expression* parse_operators(ExpressionKind kind, Find find_operator, Next next) noexcept;

  const ArenaArray<Token>* tokens_;
  Arena* arena_;
  std::size_t position_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t depth_limit_;
  std::uint32_t loop_depth_ = 0;
  bool uses_rest_ = false;  ///< varargs or kwargs were named in the macro being parsed
  Status status_;
};

}  // namespace loquat::inline LOQUAT_ABI::text::jinja

#endif  // LOQUAT_TEXT_JINJA_PARSER_HPP
