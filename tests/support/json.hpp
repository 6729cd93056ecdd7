// SPDX-License-Identifier: MIT
// Reads the JSON of reference data: whole documents into a tree, no writing, no mercy for wrong ones.
#ifndef LOQUAT_TESTS_SUPPORT_JSON_HPP
#define LOQUAT_TESTS_SUPPORT_JSON_HPP

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace loquat_test {

struct Json {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  bool boolean = false;
  double number = 0;
  std::string string;
  std::vector<Json> array;
  std::map<std::string, Json> object;

  bool has(const std::string& key) const { return object.count(key) != 0; }
  /// Throws std::out_of_range where there is none.
  const Json& operator[](const std::string& key) const { return object.at(key); }
  const Json& operator[](std::size_t index) const { return array.at(index); }
  std::size_t size() const { return array.size(); }
  template <class T>
  T as() const {
    return static_cast<T>(number);
  }
  template <class T>
  std::vector<T> numbers() const {
    std::vector<T> values;
    for (const Json& element : array) values.push_back(element.as<T>());
    return values;
  }
};

/// Throws std::runtime_error with the byte offset on anything that is not one JSON document.
Json parse_json(std::string_view text);

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SUPPORT_JSON_HPP
