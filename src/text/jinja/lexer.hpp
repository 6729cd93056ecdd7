// SPDX-License-Identifier: MIT
// Template text to tokens. White-space control happens here, as in the published environment: trim_blocks and
// lstrip_blocks on, one newline at the end of the template dropped.
#ifndef LOQUAT_TEXT_JINJA_LEXER_HPP
#define LOQUAT_TEXT_JINJA_LEXER_HPP

#include <loquat/result.hpp>

#include <cstdint>
#include <string_view>

#include "text/jinja/arena.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

enum class TokenType : std::uint8_t {
  data,  ///< text between tags
  variable_begin,
  variable_end,
  block_begin,
  block_end,
  name,
  string,  ///< text: the characters it stands for
  integer,
  real,
  symbol,  ///< text: one of ( ) [ ] { } . , : | ~ + - * / // % ** == != < <= > >= =
  end,
};

/// One-based; columns count bytes.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

struct Token {
  TokenType type = TokenType::end;
  std::string_view text;
  Position at;

  bool is(TokenType wanted, std::string_view wanted_text) const noexcept {
    return type == wanted && text == wanted_text;
  }
  bool is_symbol(std::string_view symbol) const noexcept { return is(TokenType::symbol, symbol); }
  bool is_name(std::string_view name) const noexcept { return is(TokenType::name, name); }
};

/// "chat template, line 3, column 7: ..."
Error template_error(Position at, std::string_view message) noexcept;

/// Appends the tokens of `source`, with an end token last. Texts live in the arena.
///
/// Errors    template_error: an unknown character, a tag, comment, string or raw block that does not end; out_of_memory
Status tokenize(std::string_view source, Arena& arena, ArenaArray<Token>& tokens) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::text::jinja

#endif  // LOQUAT_TEXT_JINJA_LEXER_HPP
