// SPDX-License-Identifier: MIT
#include "base/error.hpp"
#include "text/jinja/parser.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

bool Parser::skip_symbol(std::string_view symbol) noexcept {
  if (has_failed() || !current().is_symbol(symbol)) return false;
  advance();
  return true;
}

bool Parser::skip_name(std::string_view name) noexcept {
  if (has_failed() || !current().is_name(name)) return false;
  advance();
  return true;
}

bool Parser::expect_symbol(std::string_view symbol) noexcept {
  if (has_failed()) return false;
  if (skip_symbol(symbol)) return true;
  unexpected(symbol);
  return false;
}

bool Parser::expect_name(std::string_view& name) noexcept {
  if (has_failed()) return false;
  if (current().type != TokenType::name) {
    unexpected("a name");
    return false;
  }
  name = current().text;
  advance();
  return true;
}

bool Parser::expect_word(std::string_view word) noexcept {
  if (skip_name(word)) return true;
  if (!has_failed()) unexpected(word);
  return false;
}

/// At the end of a block tag, behind which it goes.
bool Parser::end_of_tag() noexcept {
  if (has_failed()) return false;
  if (current().type == TokenType::block_end) {
    advance();
    return true;
  }
  unexpected("the end of the tag");
  return false;
}

std::nullptr_t Parser::fail(Position at, std::string_view message, std::string_view detail) noexcept {
  if (!has_failed()) {
    status_ = make_error(ErrorCode::template_error, "chat template, line {}, column {}: {}{}", at.line, at.column,
                         message, detail)
                  .with_name(detail)
                  .with_offset(at.line);
  }
  return nullptr;
}

std::nullptr_t Parser::unexpected(std::string_view wanted) noexcept {
  if (has_failed()) return nullptr;
  const Token& token = current();
  std::string_view found = token.text;
  switch (token.type) {
    case TokenType::end: found = "the end of the template"; break;
    case TokenType::block_end: found = "%}"; break;
    case TokenType::variable_end: found = "}}"; break;
    default: break;
  }
  status_ = make_error(ErrorCode::template_error, "chat template, line {}, column {}: expected {}, found {}",
                       token.at.line, token.at.column, wanted, found)
                .with_offset(token.at.line);
  return nullptr;
}

std::nullptr_t Parser::no_memory() noexcept {
  if (has_failed()) return nullptr;
  if (arena_->is_over_limit()) return fail(current().at, "the template is too long");
  status_ = out_of_memory(arena_->bytes(), "a chat template");
  return nullptr;
}

bool Parser::enter() noexcept {
  if (has_failed()) return false;
  if (++depth_ <= depth_limit_) return true;
  fail(current().at, "nested too deeply");
  return false;
}

Statement* Parser::make(StatementKind kind, Position at) noexcept {
  if (has_failed()) return nullptr;
  auto* statement = arena_->make<Statement>(kind, at);
  if (statement == nullptr) no_memory();
  return statement;
}

Status Parser::parse(Block& block) noexcept {
  parse_block(block, {});
  return status_;
}

std::string_view Parser::parse_block(Block& block, std::initializer_list<std::string_view> ends) noexcept {
  if (!enter()) return {};
  std::string_view end;
  parse_body(block, ends, end);
  leave();
  return end;
}

void Parser::parse_body(Block& block, std::initializer_list<std::string_view> ends, std::string_view& end) noexcept {
  while (!has_failed()) {
    const Token& token = current();
    const Position at = token.at;
    if (token.type == TokenType::end) {
      if (ends.size() > 0) unexpected(*(ends.end() - 1));
      return;
    }
    advance();
    if (token.type == TokenType::data) {
      Statement* text = make(StatementKind::text, at);
      if (text == nullptr || !push<const Statement*>(block, text)) return;
      text->name = token.text;
    } else if (token.type == TokenType::variable_begin) {
      Statement* output = make(StatementKind::output, at);
      if (output == nullptr || !push<const Statement*>(block, output)) return;
      output->expression = parse_tuple();
      if (!has_failed() && current().type != TokenType::variable_end) unexpected("}}");
      advance();
    } else {
      std::string_view tag;
      if (!expect_name(tag)) return;
      for (const std::string_view word : ends) {
        if (tag != word) continue;
        end = word;
        return;
      }
      const Statement* statement = parse_statement(tag, at, block);
      if (statement != nullptr && !push(block, statement)) return;
    }
  }
}

/// Null for a tag that leaves nothing of its own.
const Statement* Parser::parse_statement(std::string_view tag, Position at, Block& block) noexcept {
  if (tag == "if") return parse_if(at);
  if (tag == "for") return parse_for(at);
  if (tag == "set") return parse_set(at);
  if (tag == "macro") return parse_macro(at);
  if (tag == "call") return parse_call_block(at);
  if (tag == "filter") return parse_filter_block(at);
  if (tag == "with") return parse_with(at);
  if (tag == "generation") {  // marks what the model said, for training; it renders as its inside
    if (!end_of_tag()) return nullptr;
    parse_block(block, {"endgeneration"});
    end_of_tag();
    return nullptr;
  }
  if (tag == "break" || tag == "continue") {
    if (loop_depth_ == 0) return fail(at, "outside of a loop: ", tag);
    const auto kind = tag == "break" ? StatementKind::break_loop : StatementKind::continue_loop;
    return end_of_tag() ? make(kind, at) : nullptr;
  }
  return fail(at, "no tag is named ", tag);
}

/// The ladder of elif is kept flat in depth: each hangs in the one before, parsed in a loop.
const Statement* Parser::parse_if(Position at) noexcept {
  Statement* const ladder = make(StatementKind::conditional, at);
  Statement* rung = ladder;
  while (rung != nullptr) {
    rung->expression = parse_tuple(false);
    if (!end_of_tag()) return nullptr;
    std::string_view end = parse_block(rung->body, {"elif", "else", "endif"});
    if (end == "elif") {
      Statement* next = make(StatementKind::conditional, current().at);
      if (next == nullptr || !push<const Statement*>(rung->otherwise, next)) return nullptr;
      rung = next;
      continue;
    }
    if (end == "else" && end_of_tag()) parse_block(rung->otherwise, {"endif"});
    return end_of_tag() ? ladder : nullptr;
  }
  return nullptr;
}

bool Parser::parse_targets(ArenaArray<std::string_view>& targets) noexcept {
  const bool is_enclosed = skip_symbol("(");
  do {
    std::string_view name;
    if (!targets.empty() && (current().is_name("in") || current().is_symbol(")"))) break;
    if (!expect_name(name) || !push(targets, name)) return false;
  } while (skip_symbol(","));
  return !is_enclosed || expect_symbol(")");
}

const Statement* Parser::parse_for(Position at) noexcept {
  Statement* loop = make(StatementKind::loop, at);
  if (loop == nullptr || !parse_targets(loop->targets) || !expect_word("in")) return nullptr;
  loop->expression = parse_tuple(false);
  if (skip_name("if")) loop->filter = parse_expression();
  loop->is_recursive = skip_name("recursive");
  if (!end_of_tag()) return nullptr;
  ++loop_depth_;
  const std::string_view end = parse_block(loop->body, {"else", "endfor"});
  --loop_depth_;
  if (end == "else" && end_of_tag()) parse_block(loop->otherwise, {"endfor"});
  return end_of_tag() ? loop : nullptr;
}

const Statement* Parser::parse_set(Position at) noexcept {
  Statement* set = make(StatementKind::set, at);
  if (set == nullptr) return nullptr;
  if (current().type == TokenType::name && look(1).is_symbol(".")) {
    set->kind = StatementKind::set_member;
    if (!expect_name(set->name) || !expect_symbol(".") || !expect_name(set->member)) return nullptr;
  } else if (!parse_targets(set->targets)) {
    return nullptr;
  }
  if (!skip_symbol("=")) {
    if (set->kind == StatementKind::set && set->targets.size() == 1) return parse_set_block(set);
    return unexpected("=");
  }
  set->expression = parse_tuple();
  return end_of_tag() ? set : nullptr;
}

const Statement* Parser::parse_set_block(Statement* set) noexcept {
  set->kind = StatementKind::set_block;
  if (skip_symbol("|")) set->filter = parse_filter(nullptr);
  while (!has_failed() && current().is_symbol("|")) set->filter = parse_filter(set->filter);
  if (!end_of_tag()) return nullptr;
  parse_block(set->body, {"endset"});
  return end_of_tag() ? set : nullptr;
}

bool Parser::parse_parameters(ArenaArray<Parameter>& parameters) noexcept {
  if (!expect_symbol("(")) return false;
  while (!skip_symbol(")")) {
    if (!parameters.empty() && !expect_symbol(",")) return false;
    if (skip_symbol(")")) break;
    Parameter parameter{};
    if (!expect_name(parameter.name)) return false;
    if (skip_symbol("=")) parameter.fallback = parse_expression();
    if (!push(parameters, parameter)) return false;
  }
  return !has_failed();
}

const Statement* Parser::parse_macro(Position at) noexcept {
  Statement* macro = make(StatementKind::macro, at);
  if (macro == nullptr || !expect_name(macro->name) || !parse_parameters(macro->parameters)) return nullptr;
  if (!end_of_tag()) return nullptr;
  const bool outer_uses_rest = uses_rest_;
  const std::uint32_t outer_loops = loop_depth_;
  uses_rest_ = false;
  loop_depth_ = 0;
  parse_block(macro->body, {"endmacro"});
  macro->uses_rest = uses_rest_;
  uses_rest_ = outer_uses_rest;
  loop_depth_ = outer_loops;
  skip_name(macro->name);
  return end_of_tag() ? macro : nullptr;
}

const Statement* Parser::parse_call_block(Position at) noexcept {
  Statement* call = make(StatementKind::call, at);
  if (call == nullptr) return nullptr;
  if (current().is_symbol("(") && !parse_parameters(call->parameters)) return nullptr;
  call->expression = parse_expression();
  if (has_failed()) return nullptr;
  if (call->expression->kind != ExpressionKind::call) return fail(at, "a call tag needs a call");
  if (!end_of_tag()) return nullptr;
  const std::uint32_t outer_loops = loop_depth_;
  loop_depth_ = 0;
  parse_block(call->body, {"endcall"});
  loop_depth_ = outer_loops;
  return end_of_tag() ? call : nullptr;
}

const Statement* Parser::parse_filter_block(Position at) noexcept {
  Statement* block = make(StatementKind::filter, at);
  if (block == nullptr) return nullptr;
  block->filter = parse_filter(nullptr);
  while (!has_failed() && current().is_symbol("|")) block->filter = parse_filter(block->filter);
  if (!end_of_tag()) return nullptr;
  parse_block(block->body, {"endfilter"});
  return end_of_tag() ? block : nullptr;
}

/// `with a = x, b = y`: the values are evaluated outside.
const Statement* Parser::parse_with(Position at) noexcept {
  Statement* with = make(StatementKind::scope, at);
  Expression* values = make(ExpressionKind::tuple, at);
  if (with == nullptr || values == nullptr) return nullptr;
  while (!has_failed() && current().type != TokenType::block_end) {
    std::string_view name;
    if (!with->targets.empty() && !expect_symbol(",")) return nullptr;
    if (!expect_name(name) || !push(with->targets, name) || !expect_symbol("=")) return nullptr;
    if (!push(values->operands, parse_expression())) return nullptr;
  }
  with->expression = values;
  if (!end_of_tag()) return nullptr;
  parse_block(with->body, {"endwith"});
  return end_of_tag() ? with : nullptr;
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
