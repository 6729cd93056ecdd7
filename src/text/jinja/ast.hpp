// SPDX-License-Identifier: MIT
// The parsed template: plain structs in the template's arena, never changed after parsing.
#ifndef LOQUAT_TEXT_JINJA_AST_HPP
#define LOQUAT_TEXT_JINJA_AST_HPP

#include <cstdint>
#include <string_view>

#include "text/jinja/arena.hpp"
#include "text/jinja/lexer.hpp"
#include "text/jinja/value.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

struct Builtin;
struct Expression;
struct Statement;

using Expressions = ArenaArray<const Expression*>;
using Block = ArenaArray<const Statement*>;

enum class ExpressionKind : std::uint8_t {
  literal,
  name,
  list,        ///< [operands]
  tuple,       ///< (operands)
  dictionary,  ///< {operands 0: 1, 2: 3, ...}
  attribute,   ///< first.name
  subscript,   ///< first[second]
  slice,       ///< first[second:third:fourth], any of which may be null
  call,        ///< first(operands, keywords)
  filter,      ///< first|name(operands, keywords); first null in a filter block
  test,        ///< first is name(operands, keywords)
  negate,
  plus,
  logical_not,
  logical_and,  ///< operands
  logical_or,   ///< operands
  compare,      ///< operands with operators between them: a < b <= c
  arithmetic,   ///< operands with operators between them, all of one precedence, from the left
  concatenate,  ///< operands ~
  conditional,  ///< first if second else third (may be null)
};

enum class Operator : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,
  not_in,
};

struct Keyword {
  std::string_view name;
  const Expression* value;
};

struct Expression {
  ExpressionKind kind;
  Position at;
  std::string_view name = {};
  Value literal = {};
  const Expression* first = nullptr;
  const Expression* second = nullptr;
  const Expression* third = nullptr;
  const Expression* fourth = nullptr;
  Expressions operands = {};
  ArenaArray<Operator> operators = {};
  ArenaArray<Keyword> keywords = {};
  const Builtin* builtin = nullptr;  ///< of filter and test; null where unknown, an error once it runs
};

enum class StatementKind : std::uint8_t {
  text,         ///< name: the text
  output,       ///< {{ expression }}
  conditional,  ///< if expression: body, else otherwise (an elif is a conditional in there)
  loop,         ///< for targets in expression if filter: body, else otherwise
  set,          ///< targets = expression
  set_block,    ///< targets[0] = body | filter
  set_member,   ///< name.member = expression
  macro,        ///< name(parameters): body
  call,         ///< call(parameters) expression: body
  filter,       ///< body | filter
  scope,        ///< with targets = expression ...: body
  break_loop,
  continue_loop,
};

/// A parameter of a macro.
struct Parameter {
  std::string_view name;
  const Expression* fallback;  ///< or null
};

struct Statement {
  StatementKind kind;
  Position at;
  std::string_view name = {};
  std::string_view member = {};
  ArenaArray<std::string_view> targets = {};  ///< more than one: the value is unpacked
  ArenaArray<Parameter> parameters = {};
  const Expression* expression = nullptr;
  const Expression* filter = nullptr;
  Block body = {};
  Block otherwise = {};
  bool is_recursive = false;
  bool uses_rest = false;  ///< a macro that names varargs or kwargs
};

}  // namespace loquat::inline LOQUAT_ABI::text::jinja

#endif  // LOQUAT_TEXT_JINJA_AST_HPP
