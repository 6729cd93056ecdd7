// SPDX-License-Identifier: MIT
#include "support/json.hpp"

#include <cstdint>
#include <stdexcept>

namespace loquat_test {

namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Json document() {
    Json value = read();
    skip_space();
    if (at_ != text_.size()) fail("end of document");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    throw std::runtime_error("JSON: expected " + expected + " at byte " + std::to_string(at_));
  }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  char peek() {
    skip_space();
    if (at_ == text_.size()) fail("more");
    return text_[at_];
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void need(char c) {
    if (!take(c)) fail(std::string(1, c));
  }

  Json read() {
    const char c = peek();
    if (c == '{') return read_object();
    if (c == '[') return read_array();
    Json value;
    if (c == '"') {
      value.kind = Json::Kind::string;
      value.string = read_string();
    } else if (take_word("null")) {
      value.kind = Json::Kind::null;
    } else if (take_word("true") || take_word("false")) {
      value.kind = Json::Kind::boolean;
      value.boolean = text_[at_ - 2] == 'u';
    } else {
      value.kind = Json::Kind::number;
      value.number = read_number();
    }
    return value;
  }
  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  double read_number() {
    const std::size_t end = text_.find_first_not_of("+-.0123456789eE", at_);
    const std::string digits(text_.substr(at_, end == std::string_view::npos ? end : end - at_));
    std::size_t used = 0;
    double value = 0;
    try {
      value = std::stod(digits, &used);
    } catch (const std::exception&) {
      fail("a number");
    }
    if (used != digits.size()) fail("a number");
    at_ += digits.size();
    return value;
  }
  Json read_array() {
    Json value;
    value.kind = Json::Kind::array;
    need('[');
    if (take(']')) return value;
    do value.array.push_back(read());
    while (take(','));
    need(']');
    return value;
  }
  Json read_object() {
    Json value;
    value.kind = Json::Kind::object;
    need('{');
    if (take('}')) return value;
    do {
      if (peek() != '"') fail("a key");
      std::string key = read_string();
      need(':');
      value.object.insert_or_assign(std::move(key), read());
    } while (take(','));
    need('}');
    return value;
  }

  std::string read_string() {
    std::string value;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') {
        value += text_[at_];
        continue;
      }
      if (++at_ == text_.size()) fail("an escape");
      read_escape(value);
    }
    if (at_ == text_.size()) fail("a closing quote");
    ++at_;
    return value;
  }
  void read_escape(std::string& value) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char c = text_[at_];
    if (const std::size_t i = kNames.find(c); i != std::string_view::npos) {
      value += kMeanings[i];
    } else if (c == 'u') {
      std::uint32_t code = read_unit();
      if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_ + 1, 2) == "\\u") {
        at_ += 2;
        code = 0x10000 + ((code - 0xD800) << 10) + (read_unit() - 0xDC00);
      }
      append_utf8(code, value);
    } else {
      fail("an escape");
    }
  }
  std::uint32_t read_unit() {  // the four digits after 'u'; at_ ends on the last one
    const std::string digits(text_.substr(at_ + 1, 4));
    at_ += 4;
    if (digits.size() != 4) fail("four hexadecimal digits");
    return static_cast<std::uint32_t>(std::stoul(digits, nullptr, 16));
  }
  static void append_utf8(std::uint32_t code, std::string& to) {
    if (code < 0x80) {
      to += static_cast<char>(code);
      return;
    }
    const int n_tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    const std::uint32_t lead = n_tail == 1 ? 0xC0 : n_tail == 2 ? 0xE0 : 0xF0;
    to += static_cast<char>(lead | (code >> (6 * n_tail)));
    for (int i = n_tail - 1; i >= 0; --i) to += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Json parse_json(std::string_view text) {
  return Reader(text).document();
}

}  // namespace loquat_test
