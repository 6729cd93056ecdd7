// SPDX-License-Identifier: MIT
// JSON for the program's lines: a value type that keeps the order of its members, a strict reader, a writer.
#ifndef LOQUAT_EXAMPLES_CLI_JSON_HPP
#define LOQUAT_EXAMPLES_CLI_JSON_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace cli {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;
  Json(std::nullptr_t) {}                                       // NOLINT: implicit, as all of these
  Json(bool value) : value_(value) {}                           // NOLINT
  Json(std::int64_t value) : value_(value) {}                   // NOLINT
  Json(int value) : value_(std::int64_t{value}) {}              // NOLINT
  Json(std::uint32_t value) : value_(std::int64_t{value}) {}    // NOLINT
  Json(std::uint64_t value);                                    // NOLINT
  Json(double value) : value_(value) {}                         // NOLINT
  Json(std::string value) : value_(std::move(value)) {}         // NOLINT
  Json(std::string_view value) : value_(std::string(value)) {}  // NOLINT
  Json(const char* value) : value_(std::string(value)) {}       // NOLINT
  Json(Array value) : value_(std::move(value)) {}               // NOLINT
  Json(Object value) : value_(std::move(value)) {}              // NOLINT

  /// Throws Failure with the byte and the reason on anything that is not one JSON value. Halves of surrogate pairs
  /// become U+FFFD.
  static Json parse(std::string_view text);
  /// One line, UTF-8 as it is; bytes that are not UTF-8 become U+FFFD.
  std::string dump() const;

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }
  /// The member, or null where there is none (or this is no object).
  const Json& operator[](std::string_view key) const;
  bool has(std::string_view key) const { return !(*this)[key].is_null(); }
  /// Adds or replaces a member; makes this an object.
  Json& set(std::string key, Json value);

  // Typed access. Throw Failure naming `what` where the value is of another kind.
  const std::string& as_text(const std::string& what) const;
  /// 5.0 and 5e0 are whole too.
  std::int64_t as_whole(const std::string& what) const;
  std::uint64_t as_unsigned(const std::string& what) const;
  double as_number(const std::string& what) const;
  bool as_bool(const std::string& what) const;
  const Array& as_array(const std::string& what) const;

 private:
  /// std::uint64_t only for numbers beyond std::int64_t: seeds.
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value_;
};

/// Base64 with padding. decode takes it without padding too, and throws Failure on anything else.
std::string base64_encode(std::string_view bytes);
std::string base64_decode(std::string_view text);

}  // namespace cli

#endif  // LOQUAT_EXAMPLES_CLI_JSON_HPP
