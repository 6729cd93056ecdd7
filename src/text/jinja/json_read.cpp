// SPDX-License-Identifier: MIT
#include "text/jinja/json_read.hpp"

#include <charconv>

#include "base/error.hpp"
#include "text/jinja/characters.hpp"
#include "text/jinja/string_literal.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

bool is_plain_word(std::string_view text) noexcept {
  for (const char c : text) {
    const bool is_letter = to_lower(c) >= 'a' && to_lower(c) <= 'z';
    if (!is_letter && !(c >= '0' && c <= '9') && c != '_' && c != '-') return false;
  }
  return !text.empty();
}

namespace {

constexpr std::uint32_t kDeepest = 100;

class JsonReader {
 public:
  JsonReader(std::string_view text, Arena& arena) noexcept : text_(text), arena_(arena) {}

  Result<Value> run() noexcept {
    const Value value = read_value(0);
    skip_space();
    if (!has_failed_ && position_ < text_.size()) fail("the end");
    if (has_failed_) return error_;
    return value;
  }

 private:
  char peek() const noexcept { return position_ < text_.size() ? text_[position_] : '\0'; }
  void skip_space() noexcept {
    while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') ++position_;
  }
  bool skip(std::string_view word) noexcept {
    if (!text_.substr(position_).starts_with(word)) return false;
    position_ += word.size();
    return true;
  }
  Value fail(std::string_view wanted) noexcept {
    if (!has_failed_) {
      error_ = make_error(ErrorCode::invalid_argument, "JSON: expected {} at byte {}", wanted, position_)
                   .with_offset(position_);
    }
    has_failed_ = true;
    return {};
  }
  Value no_memory() noexcept {
    if (!has_failed_) error_ = out_of_memory(arena_.bytes(), "the variables of a chat template");
    has_failed_ = true;
    return {};
  }

  Value read_value(std::uint32_t depth) noexcept;
  Value read_list(std::uint32_t depth) noexcept;
  Value read_mapping(std::uint32_t depth) noexcept;
  Value read_string() noexcept;
  Value read_number() noexcept;
  bool append_escape(ArenaArray<char>& chars) noexcept;
  bool read_unit(std::uint32_t& unit) noexcept;

  std::string_view text_;
  Arena& arena_;
  std::size_t position_ = 0;
  bool has_failed_ = false;
  Error error_;
};

Value JsonReader::read_value(std::uint32_t depth) noexcept {
  if (depth > kDeepest) return fail("less than 100 levels");
  skip_space();
  switch (peek()) {
    case '[': return read_list(depth);
    case '{': return read_mapping(depth);
    case '"': return read_string();
    default: break;
  }
  if (skip("null")) return Value::none();
  if (skip("true")) return Value::of(true);
  if (skip("false")) return Value::of(false);
  return read_number();
}

Value JsonReader::read_list(std::uint32_t depth) noexcept {
  List* list = arena_.make<List>();
  if (list == nullptr) return no_memory();
  ++position_;
  for (skip_space(); !skip("]"); skip_space()) {
    if (!list->items.empty() && !skip(",")) return fail("',' or ']'");
    const Value item = read_value(depth + 1);
    if (has_failed_) return {};
    if (!list->items.push(arena_, item)) return no_memory();
  }
  return Value::of(list);
}

Value JsonReader::read_mapping(std::uint32_t depth) noexcept {
  Mapping* mapping = arena_.make<Mapping>();
  if (mapping == nullptr) return no_memory();
  ++position_;
  for (skip_space(); !skip("}"); skip_space()) {
    if (!mapping->entries.empty() && !skip(",")) return fail("',' or '}'");
    skip_space();
    if (peek() != '"') return fail("a member's name");
    const Value key = read_string();
    skip_space();
    if (!has_failed_ && !skip(":")) return fail("':'");
    Value value = read_value(depth + 1);
    if (has_failed_) return {};
    if (value.is_string() && key.text.view() == "role" && is_plain_word(value.text.view()))
      value.text.is_content = false;
    if (!mapping->set(arena_, key, value)) return no_memory();
  }
  return Value::of(mapping);
}

Value JsonReader::read_string() noexcept {
  const std::size_t begin = ++position_;
  while (position_ < text_.size() && peek() != '"' && peek() != '\\' && static_cast<unsigned char>(peek()) >= 0x20)
    ++position_;
  ArenaArray<char> chars;
  if (!chars.append(arena_, text_.data() + begin, position_ - begin)) return no_memory();
  while (!skip("\"")) {
    if (position_ >= text_.size() || static_cast<unsigned char>(peek()) < 0x20) return fail("the end of a string");
    if (peek() == '\\') {
      ++position_;
      if (!append_escape(chars)) return {};
    } else if (!chars.push(arena_, text_[position_++])) {
      return no_memory();
    }
  }
  return Value::of(Text({chars.data(), chars.size()}, true));
}

bool JsonReader::read_unit(std::uint32_t& unit) noexcept {
  const std::string_view digits = text_.substr(position_, 4);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  if (digits.size() < 4 || read.ptr != digits.data() + 4) {
    fail("four hexadecimal digits");
    return false;
  }
  position_ += 4;
  return true;
}

bool JsonReader::append_escape(ArenaArray<char>& chars) noexcept {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  char bytes[4] = {};
  std::size_t n = 1;
  const char letter = peek();
  ++position_;
  if (letter == 'u') {
    std::uint32_t unit = 0;
    std::uint32_t low = 0;
    if (!read_unit(unit)) return false;
    if (unit >= 0xD800 && unit < 0xDC00 && skip("\\u")) {
      if (!read_unit(low)) return false;
      unit = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00) : 0xFFFD;
    }
    n = write_utf8(unit >= 0xD800 && unit < 0xE000 ? 0xFFFD : unit, bytes);
  } else {
    const std::size_t at = kLetters.find(letter);
    if (at == std::string_view::npos) {
      fail("an escape");
      return false;
    }
    bytes[0] = kMeanings[at];
  }
  if (!chars.append(arena_, bytes, n)) no_memory();
  return !has_failed_;
}

Value JsonReader::read_number() noexcept {
  const std::size_t begin = position_;
  while (peek() == '-' || peek() == '+' || peek() == '.' || peek() == 'e' || peek() == 'E' ||
         (peek() >= '0' && peek() <= '9')) {
    ++position_;
  }
  const std::string_view digits = text_.substr(begin, position_ - begin);
  const char* end = digits.data() + digits.size();
  std::int64_t whole = 0;
  double real = 0;
  position_ = begin;
  if (digits.find_first_of(".eE") == std::string_view::npos) {
    const auto read = std::from_chars(digits.data(), end, whole);
    if (digits.empty() || read.ec != std::errc{} || read.ptr != end) return fail("a value");
    position_ += digits.size();
    return Value::of(whole);
  }
  const auto read = std::from_chars(digits.data(), end, real);
  if (read.ec != std::errc{} || read.ptr != end) return fail("a number");
  position_ += digits.size();
  return Value::of(real);
}

}  // namespace

Result<Value> read_json(std::string_view text, Arena& arena) noexcept { return JsonReader(text, arena).run(); }

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
