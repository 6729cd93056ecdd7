// SPDX-License-Identifier: MIT
// Source  jinja.palletsprojects.com/templates: whitespace control, literals
#include "text/jinja/lexer.hpp"

#include "base/error.hpp"
#include "text/jinja/characters.hpp"
#include "text/jinja/string_literal.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

Error template_error(Position at, std::string_view message) noexcept {
  return make_error(ErrorCode::template_error, "chat template, line {}, column {}: {}", at.line, at.column, message)
      .with_offset(at.line);
}

namespace {

Error no_memory(Arena& arena, std::size_t bytes) noexcept {
  if (arena.is_over_limit()) return Error(ErrorCode::template_error, "chat template: too long to parse");
  return out_of_memory(bytes, "a chat template");
}

bool is_name_start(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_name_part(char c) noexcept { return is_name_start(c) || is_digit(c); }
bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Lexer {
 public:
  Lexer(std::string_view source, Arena& arena, ArenaArray<Token>& tokens) noexcept
      : source_(source), arena_(arena), tokens_(tokens) {}

  Status run() noexcept {
    while (position_ < source_.size()) {
      LOQUAT_RETURN_IF_ERROR(read_data());
      if (position_ >= source_.size()) break;
      LOQUAT_RETURN_IF_ERROR(read_tag());
    }
    return push(TokenType::end, {}, here());
  }

 private:
  Position here() noexcept { return at(position_); }
  /// Counts on from the last call; from the beginning where an error points back.
  Position at(std::size_t offset) noexcept {
    if (offset < counted_) {
      counted_ = line_begin_ = 0;
      line_ = 1;
    }
    for (; counted_ < offset; ++counted_) {
      if (source_[counted_] == '\n') {
        ++line_;
        line_begin_ = counted_ + 1;
      }
    }
    return {line_, static_cast<std::uint32_t>(offset - line_begin_ + 1)};
  }
  bool starts_with(std::string_view text) const noexcept { return source_.substr(position_).starts_with(text); }
  char peek(std::size_t ahead = 0) const noexcept {
    return position_ + ahead < source_.size() ? source_[position_ + ahead] : '\0';
  }
  Status push(TokenType type, std::string_view text, Position position) noexcept {
    if (tokens_.push(arena_, {type, text, position})) return {};
    return no_memory(arena_, sizeof(Token));
  }
  Status fail(std::size_t offset, std::string_view message) noexcept { return template_error(at(offset), message); }

  Status read_data() noexcept;
  Status push_data(std::size_t begin, std::size_t end) noexcept;
  Status read_tag() noexcept;
  Status read_comment() noexcept;
  Status read_raw_block(std::size_t tag_begin) noexcept;
  bool skip_raw_tag(std::string_view name) noexcept;
  Status read_expression(std::string_view closer, TokenType end_type) noexcept;
  bool close_tag(std::string_view closer) noexcept;
  void after_block(bool keeps_newline, bool strips) noexcept;
  Status read_token() noexcept;
  Status read_string() noexcept;
  Status read_number() noexcept;
  Status read_symbol() noexcept;

  std::string_view source_;
  Arena& arena_;
  ArenaArray<Token>& tokens_;
  std::size_t position_ = 0;
  bool strips_next_ = false;      ///< the tag before ended with -
  bool is_at_line_start_ = true;  ///< what came before ended with a newline
  std::size_t counted_ = 0;       ///< bytes that line_ and line_begin_ account for
  std::size_t line_begin_ = 0;
  std::uint32_t line_ = 1;
};

/// Text up to the next tag; position_ is then at the tag.
Status Lexer::read_data() noexcept {
  std::size_t begin = position_;
  std::size_t tag = begin;
  while (tag < source_.size()) {
    tag = source_.find('{', tag);
    if (tag == std::string_view::npos) tag = source_.size();
    const char next = tag + 1 < source_.size() ? source_[tag + 1] : '\0';
    if (next == '{' || next == '%' || next == '#') break;
    if (tag < source_.size()) ++tag;
  }
  std::size_t end = tag;
  const char kind = tag + 1 < source_.size() ? source_[tag + 1] : '\0';
  const char sign = tag + 2 < source_.size() ? source_[tag + 2] : '\0';
  if (strips_next_) begin += leading_space(source_.substr(begin, end - begin));
  strips_next_ = false;
  if (sign == '-' && tag < source_.size()) {
    end -= trailing_space(source_.substr(begin, end - begin));
  } else if ((kind == '%' || kind == '#') && sign != '+') {  // lstrip_blocks
    std::size_t line = end;
    while (line > begin && source_[line - 1] != '\n') --line;
    const bool is_line_start = line > begin || (begin == position_ && is_at_line_start_);
    if (is_line_start && leading_space(source_.substr(line, end - line)) == end - line) end = line;
  }
  if (tag > position_) is_at_line_start_ = source_[tag - 1] == '\n';
  LOQUAT_RETURN_IF_ERROR(push_data(begin, end));
  position_ = tag;
  return {};
}

Status Lexer::push_data(std::size_t begin, std::size_t end) noexcept {
  if (end <= begin) return {};
  return push(TokenType::data, source_.substr(begin, end - begin), at(begin));
}

Status Lexer::read_tag() noexcept {
  const std::size_t begin = position_;
  const char kind = peek(1);
  if (kind == '#') return read_comment();
  position_ += 2;
  if (peek() == '-' || (kind == '%' && peek() == '+')) ++position_;
  if (kind == '{') {
    LOQUAT_RETURN_IF_ERROR(push(TokenType::variable_begin, {}, at(begin)));
    return read_expression("}}", TokenType::variable_end);
  }
  const std::size_t inside = position_;
  position_ = begin;
  if (skip_raw_tag("raw")) return read_raw_block(begin);
  position_ = inside;
  LOQUAT_RETURN_IF_ERROR(push(TokenType::block_begin, {}, at(begin)));
  return read_expression("%}", TokenType::block_end);
}

/// trim_blocks: the newline after a block tag or comment goes, unless the tag ended with +.
void Lexer::after_block(bool keeps_newline, bool strips) noexcept {
  is_at_line_start_ = false;
  strips_next_ = strips;
  if (!strips && !keeps_newline && peek() == '\n') {
    ++position_;
    is_at_line_start_ = true;
  }
}

Status Lexer::read_comment() noexcept {
  const std::size_t begin = position_;
  const std::size_t end = source_.find("#}", position_ + 2);
  if (end == std::string_view::npos) return fail(begin, "a comment begins here and does not end");
  const char sign = end > begin + 2 ? source_[end - 1] : '\0';
  position_ = end + 2;
  after_block(sign == '+', sign == '-');
  return {};
}

/// `{%- NAME -%}`: true and behind it, or false and where it was.
bool Lexer::skip_raw_tag(std::string_view name) noexcept {
  const std::size_t begin = position_;
  if (!starts_with("{%")) return false;
  position_ += 2;
  if (peek() == '-' || peek() == '+') ++position_;
  while (is_blank(peek())) ++position_;
  bool is_found = starts_with(name) && !is_name_part(peek(name.size()));
  if (is_found) {
    position_ += name.size();
    while (is_blank(peek())) ++position_;
    is_found = close_tag("%}");
  }
  if (!is_found) position_ = begin;
  return is_found;
}

Status Lexer::read_raw_block(std::size_t tag_begin) noexcept {
  std::size_t begin = position_;
  if (strips_next_) begin += leading_space(source_.substr(begin));
  for (std::size_t tag = begin; tag < source_.size(); ++tag) {
    tag = source_.find("{%", tag);
    if (tag == std::string_view::npos) break;
    position_ = tag;
    const char sign = peek(2);
    if (!skip_raw_tag("endraw")) continue;
    std::size_t end = tag;
    if (sign == '-') end -= trailing_space(source_.substr(begin, end - begin));
    if (sign != '+' && sign != '-') {  // lstrip_blocks
      std::size_t line = end;
      while (line > begin && source_[line - 1] != '\n') --line;
      if (line > begin && leading_space(source_.substr(line, end - line)) == end - line) end = line;
    }
    return push_data(begin, end);
  }
  return fail(tag_begin, "a raw block begins here and does not end");
}

/// At `-%}`, `+%}` or `%}`: goes behind it and applies its white-space rule.
bool Lexer::close_tag(std::string_view closer) noexcept {
  const char sign = peek();
  const bool has_sign = sign == '-' || (sign == '+' && closer == "%}");
  if (!source_.substr(position_ + (has_sign ? 1 : 0)).starts_with(closer)) return false;
  position_ += closer.size() + (has_sign ? 1 : 0);
  const bool is_variable = closer == "}}";
  after_block(is_variable || sign == '+', sign == '-');
  return true;
}

Status Lexer::read_expression(std::string_view closer, TokenType end_type) noexcept {
  const std::size_t begin = position_;
  std::uint32_t open_braces = 0;
  while (true) {
    while (is_blank(peek()) && position_ < source_.size()) ++position_;
    if (position_ >= source_.size()) return fail(begin, "a tag begins here and does not end");
    const Position where = here();
    if (open_braces == 0 && close_tag(closer)) return push(end_type, {}, where);
    if (peek() == '{') ++open_braces;
    if (peek() == '}' && open_braces > 0) --open_braces;
    LOQUAT_RETURN_IF_ERROR(read_token());
  }
}

Status Lexer::read_token() noexcept {
  const char c = peek();
  if (c == '\'' || c == '"') return read_string();
  if (is_digit(c)) return read_number();
  if (!is_name_start(c)) return read_symbol();
  const std::size_t begin = position_;
  const Position where = here();
  while (is_name_part(peek())) ++position_;
  return push(TokenType::name, source_.substr(begin, position_ - begin), where);
}

Status Lexer::read_string() noexcept {
  const std::size_t begin = position_;
  const char quote = peek();
  const Position where = here();
  ++position_;
  while (position_ < source_.size() && peek() != quote) position_ += peek() == '\\' ? 2 : 1;
  if (position_ >= source_.size()) return fail(begin, "a string begins here and does not end");
  const std::string_view raw = source_.substr(begin + 1, position_ - begin - 1);
  ++position_;
  std::string_view text = raw;
  if (raw.find('\\') != std::string_view::npos) {
    bool is_malformed = false;
    if (!unescape(raw, arena_, text, is_malformed)) return no_memory(arena_, raw.size());
    if (is_malformed) return template_error(where, "a string holds an escape that stands for no character");
  }
  return push(TokenType::string, text, where);
}

Status Lexer::read_number() noexcept {
  const std::size_t begin = position_;
  const Position where = here();
  bool is_real = false;
  const bool has_base = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X' || peek(1) == 'o' || peek(1) == 'O' ||
                                          peek(1) == 'b' || peek(1) == 'B');
  if (has_base) {
    while (is_name_part(peek())) ++position_;
    return push(TokenType::integer, source_.substr(begin, position_ - begin), where);
  }
  const auto skip_digits = [this] {
    while (is_digit(peek()) || (peek() == '_' && is_digit(peek(1)))) ++position_;
  };
  skip_digits();
  if (peek() == '.' && is_digit(peek(1))) {
    is_real = true;
    ++position_;
    skip_digits();
  }
  const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
  if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
    is_real = true;
    position_ += 1 + sign;
    skip_digits();
  }
  return push(is_real ? TokenType::real : TokenType::integer, source_.substr(begin, position_ - begin), where);
}

Status Lexer::read_symbol() noexcept {
  constexpr std::string_view kDouble[] = {"//", "**", "==", "!=", "<=", ">="};
  const Position where = here();
  for (const std::string_view symbol : kDouble) {
    if (!starts_with(symbol)) continue;
    position_ += 2;
    return push(TokenType::symbol, symbol, where);
  }
  if (std::string_view("()[]{}.,:|~+-*/%<>=").find(peek()) == std::string_view::npos) {
    return template_error(where, "a character that the template language does not use");
  }
  ++position_;
  return push(TokenType::symbol, source_.substr(position_ - 1, 1), where);
}

/// Newlines become \n, and one at the very end goes.
bool normalize(std::string_view source, Arena& arena, std::string_view& normalized) noexcept {
  char* text = static_cast<char*>(arena.allocate(source.size() + 1, 1));
  if (text == nullptr) return false;
  std::size_t n = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    text[n++] = source[i] == '\r' ? '\n' : source[i];
    if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n') ++i;
  }
  if (n > 0 && text[n - 1] == '\n') --n;
  normalized = {text, n};
  return true;
}

}  // namespace

Status tokenize(std::string_view source, Arena& arena, ArenaArray<Token>& tokens) noexcept {
  std::string_view normalized;
  if (!normalize(source, arena, normalized)) return no_memory(arena, source.size());
  return Lexer(normalized, arena, tokens).run();
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
