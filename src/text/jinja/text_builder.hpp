// SPDX-License-Identifier: MIT
// Puts text together and keeps, for each byte, whether a user wrote it.
#ifndef LOQUAT_TEXT_JINJA_TEXT_BUILDER_HPP
#define LOQUAT_TEXT_JINJA_TEXT_BUILDER_HPP

#include <cstddef>
#include <string_view>

#include "text/jinja/arena.hpp"
#include "text/jinja/value.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

/// Origins cost a second array only where template text and content are mixed.
class TextBuilder {
 public:
  explicit TextBuilder(Arena& arena, std::size_t limit_bytes) noexcept : arena_(&arena), limit_bytes_(limit_bytes) {}

  /// After a failure (memory, or longer than the limit) nothing is added any more.
  void append(const Text& text) noexcept;
  void append(std::string_view characters, bool is_content = false) noexcept { append(Text(characters, is_content)); }
  void push(char c, bool is_content = false) noexcept { append(std::string_view(&c, 1), is_content); }

  bool has_failed() const noexcept { return has_failed_; }
  bool is_too_long() const noexcept { return is_too_long_; }
  std::size_t size() const noexcept { return chars_.size(); }
  void truncate(std::size_t size) noexcept;
  /// What was built; valid until more is appended.
  Text text() const noexcept;

 private:
  bool start_origins(const Text& text) noexcept;

  Arena* arena_;
  std::size_t limit_bytes_;
  ArenaArray<char> chars_;
  ArenaArray<std::uint8_t> origins_;
  bool has_origins_ = false;
  bool is_content_ = false;  ///< of all so far, while has_origins_ is false
  bool has_failed_ = false;
  bool is_too_long_ = false;
};

}  // namespace loquat::inline LOQUAT_ABI::text::jinja

#endif  // LOQUAT_TEXT_JINJA_TEXT_BUILDER_HPP
