// SPDX-License-Identifier: MIT
// From generated ids to delivered text: whole UTF-8, stop strings removed, everything also kept for the reply.
#ifndef LOQUAT_RUNTIME_TEXT_STREAM_HPP
#define LOQUAT_RUNTIME_TEXT_STREAM_HPP

#include <loquat/array.hpp>
#include <loquat/result.hpp>
#include <loquat/tokenizer.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "text/stop_matcher.hpp"

namespace loquat::inline LOQUAT_ABI::runtime {

/// Text of one generation.
class TextStream {
 public:
  explicit TextStream(Allocator& allocator) noexcept;

  /// Starts anew. Stop strings are copied; those that spell a control token also stop at its id (its text may be hidden).
  ///
  /// Errors    invalid_argument: an empty stop string; out_of_memory
  Status start(const Tokenizer& tokenizer, std::span<const std::string_view> stops, bool show_special,
               std::size_t expected_tokens) noexcept;
  /// Adds a token's text.
  Status push(Token token) noexcept;
  /// Delivers what was held back, when generation ends otherwise than by a stop string.
  Status flush() noexcept;

  /// A stop string has been found; no byte of it is in text().
  bool is_stopped() const noexcept { return is_stopped_; }
  /// All text of the generation.
  String& text() noexcept { return text_; }
  /// Bytes that the tokens hold beyond text(): a stop string and what followed it (promise S5).
  std::size_t withheld_bytes() const noexcept { return decoded_bytes_ - text_.size(); }
  /// Text that take_new() has not given yet.
  std::string_view take_new() noexcept;

 private:
  Status deliver(std::string_view text) noexcept;
  bool is_stop_token(Token token) const noexcept;

  Allocator* allocator_;
  std::optional<StreamDecoder> decoder_;
  text::StopMatcher matcher_;
  Array<Token> stop_tokens_;
  String text_;
  std::size_t taken_ = 0;
  std::size_t decoded_bytes_ = 0;
  bool is_stopped_ = false;
};

}  // namespace loquat::inline LOQUAT_ABI::runtime

#endif  // LOQUAT_RUNTIME_TEXT_STREAM_HPP
