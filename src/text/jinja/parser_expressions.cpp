// SPDX-License-Identifier: MIT
// Precedence, loosest first: x if y else z, or, and, not, comparisons and in, + -, ~, * / // %, **, unary - +,
// then postfix . [] (), filters and tests.
#include <charconv>
#include <cstdint>

#include "text/jinja/builtins.hpp"
#include "text/jinja/parser.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

Expression* Parser::make(ExpressionKind kind, Position at) noexcept {
  if (has_failed()) return nullptr;
  auto* node = arena_->make<Expression>(kind, at);
  if (node == nullptr) no_memory();
  return node;
}

namespace {

bool ends_tuple(const Token& token) noexcept {
  return token.type == TokenType::variable_end || token.type == TokenType::block_end || token.is_symbol(")") ||
         token.is_name("in") || token.is_symbol("=") || token.type == TokenType::end;
}

}  // namespace

/// One expression, or several with commas: a tuple.
const Expression* Parser::parse_tuple(bool with_condition) noexcept {
  const Position at = current().at;
  const Expression* first = parse_expression(with_condition);
  if (has_failed() || !current().is_symbol(",")) return first;
  Expression* tuple = make(ExpressionKind::tuple, at);
  if (tuple == nullptr || !push(tuple->operands, first)) return nullptr;
  while (skip_symbol(",") && !ends_tuple(current())) {
    if (!push(tuple->operands, parse_expression(with_condition))) return nullptr;
  }
  return tuple;
}

const Expression* Parser::parse_expression(bool with_condition) noexcept {
  if (!enter()) return nullptr;
  const Expression* node = with_condition ? parse_conditional() : parse_or();
  leave();
  return has_failed() ? nullptr : node;
}

const Expression* Parser::parse_conditional() noexcept {
  const Expression* node = parse_or();
  while (!has_failed() && current().is_name("if")) {
    Expression* conditional = make(ExpressionKind::conditional, current().at);
    if (conditional == nullptr) return nullptr;
    advance();
    conditional->first = node;
    conditional->second = parse_or();
    if (skip_name("else")) conditional->third = parse_expression();
    node = conditional;
  }
  return node;
}

template <class Next>
const Expression* Parser::parse_logical(ExpressionKind kind, std::string_view word, Next next) noexcept {
  const Expression* first = next();
  if (has_failed() || !current().is_name(word)) return first;
  Expression* node = make(kind, current().at);
  if (node == nullptr || !push(node->operands, first)) return nullptr;
  while (skip_name(word)) {
    if (!push(node->operands, next())) return nullptr;
  }
  return node;
}

const Expression* Parser::parse_or() noexcept {
  return parse_logical(ExpressionKind::logical_or, "or", [this] { return parse_and(); });
}

const Expression* Parser::parse_and() noexcept {
  return parse_logical(ExpressionKind::logical_and, "and", [this] { return parse_not(); });
}

const Expression* Parser::parse_not() noexcept {
  if (!current().is_name("not")) return parse_comparison();
  Expression* node = make(ExpressionKind::logical_not, current().at);
  if (node == nullptr || !enter()) return nullptr;
  advance();
  node->first = parse_not();
  leave();
  return node;
}

/// `find_operator(token, operator)` tells whether a token is one of the level's operators.
template <class Find, class Next>
const Expression* Parser::parse_operators(ExpressionKind kind, Find find_operator, Next next) noexcept {
  const Expression* first = next();
  Operator found{};
  if (has_failed() || !find_operator(found)) return first;
  Expression* node = make(kind, current().at);
  if (node == nullptr || !push(node->operands, first)) return nullptr;
  while (find_operator(found)) {
    const bool is_two_words = found == Operator::not_in;
    advance();
    if (is_two_words) advance();
    if (!push(node->operators, found) || !push(node->operands, next())) return nullptr;
  }
  return node;
}

namespace {

struct OperatorName {
  std::string_view symbol;
  Operator value;
};

template <std::size_t N>
bool find_symbol(const Token& token, const OperatorName (&names)[N], Operator& found) noexcept {
  for (const OperatorName& name : names) {
    if (!token.is_symbol(name.symbol)) continue;
    found = name.value;
    return true;
  }
  return false;
}

}  // namespace

const Expression* Parser::parse_comparison() noexcept {
  static constexpr OperatorName kNames[] = {{"==", Operator::equal},  {"!=", Operator::not_equal},
                                            {"<", Operator::less},    {"<=", Operator::less_equal},
                                            {">", Operator::greater}, {">=", Operator::greater_equal}};
  const auto find = [this](Operator& found) {
    if (find_symbol(current(), kNames, found)) return true;
    found = current().is_name("in") ? Operator::in : Operator::not_in;
    return current().is_name("in") || (current().is_name("not") && look(1).is_name("in"));
  };
  return parse_operators(ExpressionKind::compare, find, [this] { return parse_sum(); });
}

const Expression* Parser::parse_sum() noexcept {
  static constexpr OperatorName kNames[] = {{"+", Operator::add}, {"-", Operator::subtract}};
  const auto find = [this](Operator& found) { return find_symbol(current(), kNames, found); };
  return parse_operators(ExpressionKind::arithmetic, find, [this] { return parse_concatenation(); });
}

const Expression* Parser::parse_concatenation() noexcept {
  const Expression* first = parse_product();
  if (has_failed() || !current().is_symbol("~")) return first;
  Expression* node = make(ExpressionKind::concatenate, current().at);
  if (node == nullptr || !push(node->operands, first)) return nullptr;
  while (skip_symbol("~")) {
    if (!push(node->operands, parse_product())) return nullptr;
  }
  return node;
}

const Expression* Parser::parse_product() noexcept {
  static constexpr OperatorName kNames[] = {
      {"*", Operator::multiply}, {"/", Operator::divide}, {"//", Operator::floor_divide}, {"%", Operator::modulo}};
  const auto find = [this](Operator& found) { return find_symbol(current(), kNames, found); };
  return parse_operators(ExpressionKind::arithmetic, find, [this] { return parse_power(); });
}

const Expression* Parser::parse_power() noexcept {
  static constexpr OperatorName kNames[] = {{"**", Operator::power}};
  const auto find = [this](Operator& found) { return find_symbol(current(), kNames, found); };
  return parse_operators(ExpressionKind::arithmetic, find, [this] { return parse_unary(true); });
}

const Expression* Parser::parse_unary(bool with_filters) noexcept {
  const Expression* node = nullptr;
  if (current().is_symbol("-") || current().is_symbol("+")) {
    Expression* sign = make(current().is_symbol("-") ? ExpressionKind::negate : ExpressionKind::plus, current().at);
    if (sign == nullptr || !enter()) return nullptr;
    advance();
    sign->first = parse_unary(false);
    leave();
    node = sign;
  } else {
    node = parse_primary();
  }
  if (has_failed()) return nullptr;
  node = parse_postfix(node);
  return with_filters && !has_failed() ? parse_filters_and_tests(node) : node;
}

const Expression* Parser::parse_primary() noexcept {
  const Token& token = current();
  switch (token.type) {
    case TokenType::name: break;
    case TokenType::string: return parse_strings();
    case TokenType::integer:
    case TokenType::real: return parse_number();
    default:
      if (token.is_symbol("(")) return parse_parenthesis();
      if (token.is_symbol("[")) return parse_list();
      if (token.is_symbol("{")) return parse_dictionary();
      return unexpected("an expression");
  }
  const bool is_true_word = token.text == "true" || token.text == "True";
  const bool is_false_word = token.text == "false" || token.text == "False";
  const bool is_none_word = token.text == "none" || token.text == "None";
  Expression* node =
      make(is_true_word || is_false_word || is_none_word ? ExpressionKind::literal : ExpressionKind::name, token.at);
  if (node == nullptr) return nullptr;
  node->name = token.text;
  node->literal = is_none_word ? Value::none() : Value::of(is_true_word);
  uses_rest_ |= token.text == "varargs" || token.text == "kwargs";
  advance();
  return node;
}

const Expression* Parser::parse_number() noexcept {
  const Token& token = current();
  Expression* node = make(ExpressionKind::literal, token.at);
  if (node == nullptr) return nullptr;
  char digits[64];
  std::size_t n = 0;
  for (const char c : token.text) {
    if (c != '_' && n < sizeof digits) digits[n++] = c;
  }
  std::from_chars_result read{};
  if (token.type == TokenType::real) {
    double value = 0;
    read = std::from_chars(digits, digits + n, value);
    node->literal = Value::of(value);
  } else {
    const char mark = n > 2 && digits[0] == '0' ? digits[1] : '\0';
    const int base = mark == 'x' || mark == 'X'   ? 16
                     : mark == 'o' || mark == 'O' ? 8
                     : mark == 'b' || mark == 'B' ? 2
                                                  : 10;
    std::int64_t value = 0;
    read = std::from_chars(digits + (base == 10 ? 0 : 2), digits + n, value, base);
    node->literal = Value::of(value);
  }
  if (read.ec != std::errc{} || read.ptr != digits + n || n == sizeof digits) {
    return fail(token.at, "a number that does not fit 64 bits: ", token.text);
  }
  advance();
  return node;
}

/// Neighbouring strings are one.
const Expression* Parser::parse_strings() noexcept {
  Expression* node = make(ExpressionKind::literal, current().at);
  if (node == nullptr) return nullptr;
  std::string_view text = current().text;
  advance();
  if (current().type == TokenType::string) {
    ArenaArray<char> joined;
    if (!joined.append(*arena_, text.data(), text.size())) return no_memory();
    for (; current().type == TokenType::string; advance()) {
      if (!joined.append(*arena_, current().text.data(), current().text.size())) return no_memory();
    }
    text = {joined.data(), joined.size()};
  }
  node->literal = Value::of(Text(text));
  return node;
}

const Expression* Parser::parse_parenthesis() noexcept {
  const Position at = current().at;
  advance();
  if (skip_symbol(")")) return make(ExpressionKind::tuple, at);
  const Expression* node = parse_tuple();
  return !has_failed() && expect_symbol(")") ? node : nullptr;
}

const Expression* Parser::parse_list() noexcept {
  Expression* list = make(ExpressionKind::list, current().at);
  if (list == nullptr) return nullptr;
  advance();
  while (!skip_symbol("]")) {
    if (!list->operands.empty() && !expect_symbol(",")) return nullptr;
    if (skip_symbol("]")) break;
    if (!push(list->operands, parse_expression())) return nullptr;
  }
  return list;
}

const Expression* Parser::parse_dictionary() noexcept {
  Expression* dictionary = make(ExpressionKind::dictionary, current().at);
  if (dictionary == nullptr) return nullptr;
  advance();
  while (!skip_symbol("}")) {
    if (!dictionary->operands.empty() && !expect_symbol(",")) return nullptr;
    if (skip_symbol("}")) break;
    if (!push(dictionary->operands, parse_expression()) || !expect_symbol(":")) return nullptr;
    if (!push(dictionary->operands, parse_expression())) return nullptr;
  }
  return dictionary;
}

const Expression* Parser::parse_postfix(const Expression* node) noexcept {
  while (!has_failed()) {
    if (current().is_symbol(".")) {
      node = parse_attribute(node);
    } else if (current().is_symbol("[")) {
      node = parse_subscript(node);
    } else if (current().is_symbol("(")) {
      node = parse_call(node);
    } else {
      return node;
    }
  }
  return nullptr;
}

const Expression* Parser::parse_filters_and_tests(const Expression* node) noexcept {
  while (!has_failed()) {
    if (current().is_symbol("|")) {
      node = parse_filter(node);
    } else if (current().is_name("is")) {
      node = parse_test(node);
    } else if (current().is_symbol("(")) {
      node = parse_call(node);
    } else {
      return node;
    }
  }
  return nullptr;
}

const Expression* Parser::parse_attribute(const Expression* node) noexcept {
  advance();
  if (current().type == TokenType::integer) {  // a.0 is a[0]
    Expression* subscript = make(ExpressionKind::subscript, current().at);
    if (subscript == nullptr) return nullptr;
    subscript->first = node;
    subscript->second = parse_number();
    return subscript;
  }
  Expression* attribute = make(ExpressionKind::attribute, current().at);
  if (attribute == nullptr || !expect_name(attribute->name)) return nullptr;
  attribute->first = node;
  return attribute;
}

const Expression* Parser::parse_subscript(const Expression* node) noexcept {
  const Position at = current().at;
  advance();
  const Expression* key = current().is_symbol(":") ? nullptr : parse_tuple();
  if (has_failed()) return nullptr;
  if (current().is_symbol(":")) return parse_slice(node, key, at);
  Expression* subscript = make(ExpressionKind::subscript, at);
  if (subscript == nullptr || !expect_symbol("]")) return nullptr;
  subscript->first = node;
  subscript->second = key;
  return subscript;
}

const Expression* Parser::parse_slice(const Expression* node, const Expression* begin, Position at) noexcept {
  Expression* slice = make(ExpressionKind::slice, at);
  if (slice == nullptr) return nullptr;
  slice->first = node;
  slice->second = begin;
  advance();
  if (!current().is_symbol(":") && !current().is_symbol("]")) slice->third = parse_expression();
  if (skip_symbol(":") && !current().is_symbol("]")) slice->fourth = parse_expression();
  return !has_failed() && expect_symbol("]") ? slice : nullptr;
}

const Expression* Parser::parse_call(const Expression* node) noexcept {
  Expression* call = make(ExpressionKind::call, current().at);
  if (call == nullptr || !parse_arguments(*call)) return nullptr;
  call->first = node;
  return call;
}

/// Requires  at "("
bool Parser::parse_arguments(Expression& call) noexcept {
  advance();
  bool is_first = true;
  while (!skip_symbol(")")) {
    if (!is_first && !expect_symbol(",")) return false;
    is_first = false;
    if (skip_symbol(")")) break;
    if (current().is_symbol("*") || current().is_symbol("**")) {
      fail(current().at, "unpacking of arguments (* and **) is not supported");
      return false;
    }
    if (current().type == TokenType::name && look(1).is_symbol("=")) {
      const std::string_view name = current().text;
      advance();
      advance();
      if (!push(call.keywords, Keyword{name, parse_expression()})) return false;
    } else if (!call.keywords.empty()) {
      fail(current().at, "a positional argument after a named one");
      return false;
    } else if (!push(call.operands, parse_expression())) {
      return false;
    }
  }
  return !has_failed();
}

/// `node` is null in a filter block.
const Expression* Parser::parse_filter(const Expression* node) noexcept {
  if (node != nullptr) advance();
  Expression* filter = make(ExpressionKind::filter, current().at);
  if (filter == nullptr || !expect_name(filter->name)) return nullptr;
  filter->first = node;
  filter->builtin = find_filter(filter->name);
  if (current().is_symbol("(") && !parse_arguments(*filter)) return nullptr;
  return filter;
}

const Expression* Parser::parse_test(const Expression* node) noexcept {
  advance();
  const bool is_negated = skip_name("not");
  Expression* test = make(ExpressionKind::test, current().at);
  if (test == nullptr || !expect_name(test->name)) return nullptr;
  test->first = node;
  test->builtin = find_test(test->name);
  const Token& next = current();
  const bool is_word = next.is_name("else") || next.is_name("or") || next.is_name("and") || next.is_name("if");
  if (next.is_symbol("(")) {
    if (!parse_arguments(*test)) return nullptr;
  } else if (next.is_name("is")) {
    return fail(next.at, "tests cannot be chained with is");
  } else if (((next.type == TokenType::name && !is_word && !next.is_name("in") && !next.is_name("not")) ||
              next.type == TokenType::string || next.type == TokenType::integer || next.type == TokenType::real ||
              next.is_symbol("[") || next.is_symbol("{"))) {
    const Expression* argument = parse_primary();
    if (has_failed() || !push(test->operands, parse_postfix(argument))) return nullptr;
  }
  if (!is_negated) return test;
  Expression* negation = make(ExpressionKind::logical_not, test->at);
  if (negation != nullptr) negation->first = test;
  return negation;
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
