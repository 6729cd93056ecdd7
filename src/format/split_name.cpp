// SPDX-License-Identifier: MIT
#include "format/split_name.hpp"

#include <cstddef>

namespace loquat::inline LOQUAT_ABI::gguf {

namespace {

constexpr std::size_t kDigits = 5;
constexpr std::string_view kMiddle = "-of-";
constexpr std::string_view kEnd = ".gguf";
constexpr std::size_t kSuffixBytes = 1 + kDigits + kMiddle.size() + kDigits + kEnd.size();

bool parse_digits(std::string_view text, std::uint32_t& value) noexcept {
  value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + static_cast<std::uint32_t>(c - '0');
  }
  return true;
}

bool append_digits(std::uint32_t value, String& text) noexcept {
  char digits[kDigits];
  for (std::size_t i = kDigits; i-- > 0; value /= 10) digits[i] = static_cast<char>('0' + value % 10);
  return text.append({digits, kDigits});
}

}  // namespace

bool parse_split_name(std::string_view path, SplitName& name) noexcept {
  if (path.size() < kSuffixBytes) return false;
  const std::string_view suffix = path.substr(path.size() - kSuffixBytes);
  name.prefix = path.substr(0, path.size() - kSuffixBytes);
  return suffix[0] == '-' && parse_digits(suffix.substr(1, kDigits), name.number) &&
         suffix.substr(1 + kDigits, kMiddle.size()) == kMiddle &&
         parse_digits(suffix.substr(1 + kDigits + kMiddle.size(), kDigits), name.count) && suffix.ends_with(kEnd);
}

bool make_split_name(std::string_view prefix, std::uint32_t number, std::uint32_t count, String& path) noexcept {
  return path.append(prefix) && path.push_back('-') && append_digits(number, path) && path.append(kMiddle) &&
         append_digits(count, path) && path.append(kEnd);
}

}  // namespace loquat::inline LOQUAT_ABI::gguf
