// SPDX-License-Identifier: MIT
#include "json.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "arguments.hpp"

namespace cli {

namespace {

constexpr int kMaxDepth = 200;

void append_utf8(std::string& text, std::uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | code >> 12);
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | code >> 18);
    text += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Json document() {
    Json value = this->value(0);
    skip_space();
    if (at_ != text_.size()) fail("one value expected, then found more");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw Failure("not JSON at byte " + std::to_string(at_) + ": " + reason);
  }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  char peek() {
    skip_space();
    if (at_ == text_.size()) fail("the text ends too early");
    return text_[at_];
  }
  void expect(char c) {
    if (peek() != c) fail(std::string("'") + c + "' expected");
    ++at_;
  }
  bool accept(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Json value(int depth) {
    if (depth > kMaxDepth) fail("nested too deeply");
    switch (peek()) {
      case '{': return object(depth);
      case '[': return array(depth);
      case '"': return string();
      default: break;
    }
    if (accept("true")) return true;
    if (accept("false")) return false;
    if (accept("null")) return nullptr;
    return number();
  }

  Json object(int depth) {
    Json::Object members;
    expect('{');
    if (peek() == '}') return ++at_, members;
    do {
      if (peek() != '"') fail("a member name expected");
      std::string key = string();
      expect(':');
      members.emplace_back(std::move(key), value(depth + 1));
    } while (peek() == ',' && ++at_);
    expect('}');
    return members;
  }

  Json array(int depth) {
    Json::Array elements;
    expect('[');
    if (peek() == ']') return ++at_, elements;
    do {
      elements.push_back(value(depth + 1));
    } while (peek() == ',' && ++at_);
    expect(']');
    return elements;
  }

  bool accept_digits() {
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ > start;
  }

  /// The characters of a number at this place, by JSON's grammar: no sign "+", no zeros in front, digits around the point.
  std::string_view number_word() {
    const std::size_t start = at_;
    accept("-");
    bool is_good = accept("0") || accept_digits();
    if (accept(".")) is_good = accept_digits() && is_good;
    if (accept("e") || accept("E")) {
      if (!accept("+")) accept("-");
      is_good = accept_digits() && is_good;
    }
    if (!is_good) {
      at_ = start;
      fail("a value expected");
    }
    return text_.substr(start, at_ - start);
  }

  Json number() {
    const std::size_t start = at_;
    const std::string_view word = number_word();
    const auto fits = [&](auto& value) {
      const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
      return result.ec == std::errc{} && result.ptr == word.data() + word.size();
    };
    std::int64_t whole = 0;
    if (fits(whole)) return whole;
    std::uint64_t large = 0;
    if (fits(large)) return large;
    double real = 0;
    if (fits(real)) return real;
    at_ = start;
    fail("a number that is too large or too small");
  }

  std::uint32_t hex4() {
    std::uint32_t code = 0;
    if (at_ + 4 > text_.size()) fail("four hexadecimal digits expected");
    const auto result = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, code, 16);
    if (result.ptr != text_.data() + at_ + 4) fail("four hexadecimal digits expected");
    at_ += 4;
    return code;
  }

  /// After "\\u". A pair of surrogates is one character; half a pair is none, and what follows it stands for itself.
  std::uint32_t code_point() {
    constexpr std::uint32_t kReplacement = 0xFFFD;
    const std::uint32_t code = hex4();
    if (code < 0xD800 || code >= 0xE000) return code;
    const std::size_t after = at_;
    if (code >= 0xDC00 || !accept("\\u")) return kReplacement;
    const std::uint32_t low = hex4();
    if (low >= 0xDC00 && low < 0xE000) return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    at_ = after;
    return kReplacement;
  }

  void escape(std::string& text) {
    if (at_ == text_.size()) fail("the text ends inside a string");
    const char c = text_[at_++];
    const std::size_t simple = std::string_view("\"\\/bfnrt").find(c);
    if (simple != std::string_view::npos) {
      text += "\"\\/\b\f\n\r\t"[simple];
      return;
    }
    if (c != 'u') fail("unknown escape");
    append_utf8(text, code_point());
  }

  std::string string() {
    expect('"');
    std::string text;
    while (true) {
      if (at_ == text_.size()) fail("the text ends inside a string");
      const char c = text_[at_++];
      if (c == '"') return text;
      if (c == '\\') {
        escape(text);
      } else if (static_cast<unsigned char>(c) < 0x20) {
        fail("a control character inside a string");
      } else {
        text += c;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Length of the whole UTF-8 character at the front, or 0.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t n = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (n == 0 || n > text.size()) return 0;
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) >= 0xA0) || (lead == 0xF0 && byte(1) < 0x90) ||
      (lead == 0xF4 && byte(1) >= 0x90)) {
    return 0;
  }
  return n;
}

void write_string(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const std::size_t n = character_length(text);
    const char c = text[0];
    if (n == 0) {
      out += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[c & 15];
    } else {
      out += text.substr(0, n);
    }
    text.remove_prefix(n == 0 ? 1 : n);
  }
  out += '"';
}

template <class Number>
void write_number(std::string& out, Number value) {
  std::array<char, 32> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  out.append(text.data(), result.ptr);
}

[[noreturn]] void wrong_kind(const std::string& what, const char* wanted) {
  throw Failure(what + " must be " + wanted);
}

}  // namespace

Json::Json(std::uint64_t value) {
  if (value <= static_cast<std::uint64_t>(INT64_MAX)) {
    value_ = static_cast<std::int64_t>(value);
  } else {
    value_ = value;
  }
}

Json Json::parse(std::string_view text) { return Reader(text).document(); }

std::string Json::dump() const {
  struct Writer {
    std::string& out;
    void operator()(std::monostate) const { out += "null"; }
    void operator()(bool value) const { out += value ? "true" : "false"; }
    void operator()(std::int64_t value) const { write_number(out, value); }
    void operator()(std::uint64_t value) const { write_number(out, value); }
    void operator()(double value) const {
      if (std::isfinite(value)) {
        write_number(out, value);
      } else {
        out += "null";
      }
    }
    void operator()(const std::string& value) const { write_string(out, value); }
    void operator()(const Array& values) const {
      out += '[';
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) out += ", ";
        std::visit(*this, values[i].value_);
      }
      out += ']';
    }
    void operator()(const Object& members) const {
      out += '{';
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (i > 0) out += ", ";
        write_string(out, members[i].first);
        out += ": ";
        std::visit(*this, members[i].second.value_);
      }
      out += '}';
    }
  };
  std::string out;
  std::visit(Writer{out}, value_);
  return out;
}

const Json& Json::operator[](std::string_view key) const {
  static const Json null;
  if (const auto* members = std::get_if<Object>(&value_)) {
    for (const auto& [name, value] : *members) {
      if (name == key) return value;
    }
  }
  return null;
}

Json& Json::set(std::string key, Json value) {
  if (!is_object()) value_ = Object{};
  auto& members = std::get<Object>(value_);
  for (auto& [name, old] : members) {
    if (name == key) {
      old = std::move(value);
      return *this;
    }
  }
  members.emplace_back(std::move(key), std::move(value));
  return *this;
}

const std::string& Json::as_text(const std::string& what) const {
  if (const auto* text = std::get_if<std::string>(&value_)) return *text;
  wrong_kind(what, "a string");
}
std::int64_t Json::as_whole(const std::string& what) const {
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) return *whole;
  constexpr double kExact = 9007199254740992.0;  // 2^53: up to here a double holds every whole number
  const auto* real = std::get_if<double>(&value_);
  if (real != nullptr && std::abs(*real) <= kExact && *real == std::trunc(*real)) {
    return static_cast<std::int64_t>(*real);
  }
  wrong_kind(what, "a whole number");
}
std::uint64_t Json::as_unsigned(const std::string& what) const {
  if (const auto* large = std::get_if<std::uint64_t>(&value_)) return *large;
  const std::int64_t whole = as_whole(what);
  if (whole < 0) wrong_kind(what, "0 or more");
  return static_cast<std::uint64_t>(whole);
}
double Json::as_number(const std::string& what) const {
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*whole);
  if (const auto* large = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*large);
  if (const auto* real = std::get_if<double>(&value_)) return *real;
  wrong_kind(what, "a number");
}
bool Json::as_bool(const std::string& what) const {
  if (const auto* value = std::get_if<bool>(&value_)) return *value;
  wrong_kind(what, "true or false");
}
const Json::Array& Json::as_array(const std::string& what) const {
  if (const auto* values = std::get_if<Array>(&value_)) return *values;
  wrong_kind(what, "an array");
}

namespace {
constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
}

std::string base64_encode(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j <= bytes.size() ? kBase64[bits >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

std::string base64_decode(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int n_bits = 0;
  if (text.size() % 4 == 0) {  // padding belongs to whole groups only
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  }
  if (text.size() % 4 == 1) throw Failure("not base64: the text ends inside a byte");
  for (const char c : text) {
    const std::size_t value = kBase64.find(c);
    if (value == std::string_view::npos) throw Failure(std::string("not base64: '") + c + "'");
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    n_bits += 6;
    if (n_bits >= 8) {
      n_bits -= 8;
      bytes += static_cast<char>(bits >> n_bits & 0xFF);
    }
  }
  return bytes;
}

}  // namespace cli
