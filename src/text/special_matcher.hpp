// SPDX-License-Identifier: MIT
// Finds the texts of special tokens in a text: leftmost first, the longest where several begin. User-defined tokens
// match anywhere, control tokens only where they are allowed (promises K5, K6).
#ifndef LOQUAT_TEXT_SPECIAL_MATCHER_HPP
#define LOQUAT_TEXT_SPECIAL_MATCHER_HPP

#include <loquat/array.hpp>
#include <loquat/result.hpp>

#include <bitset>
#include <span>
#include <string_view>

#include "base/hash_map.hpp"
#include "text/token_table.hpp"
#include "text/vocabulary.hpp"

namespace loquat::inline LOQUAT_ABI::text {

struct SpecialMatch {
  std::size_t begin = 0;
  std::size_t end = 0;
  Token token = -1;
};

/// A trie of spellings. Immutable after build().
class SpecialMatcher {
 public:
  explicit SpecialMatcher(Allocator& allocator) noexcept;
  /// Takes the tokens that are not plain: user-defined ones, and control and unknown ones. `marks_are_spaces`: U+2581
  /// and a space are the same letter (SentencePiece), in user-defined spellings and where the text meets them.
  ///
  /// Errors    out_of_memory
  Status build(const TokenTable& table, bool marks_are_spaces) noexcept;

  /// The next match at or after `from`, or token -1. A control token matches only outside `content`, and only if
  /// `with_control`. `content` is ascending and disjoint; parts of it that end before `from` are dropped.
  ///
  /// Cost      O(distance to the match * longest spelling)
  SpecialMatch next(std::string_view text, std::size_t from, bool with_control,
                    std::span<const Segment>& content) const noexcept;
  std::size_t memory() const noexcept { return nodes_.capacity_bytes() + edges_.capacity_bytes(); }

 private:
  struct Node {
    Token user_defined = -1;
    Token control = -1;
  };
  static constexpr std::uint32_t kRoot = 0;
  static std::uint64_t edge_of(std::uint32_t node, char byte) noexcept {
    return (std::uint64_t{node} << 8) | static_cast<unsigned char>(byte);
  }
  bool insert(std::string_view spelling, Token token, bool is_control) noexcept;
  std::size_t step(std::string_view text, std::size_t at, std::uint32_t& node) const noexcept;
  SpecialMatch match_at(std::string_view text, std::size_t at, std::size_t control_limit) const noexcept;

  Array<Node> nodes_;
  IntegerMap<std::uint32_t> edges_;
  std::bitset<256> first_bytes_;
  bool marks_are_spaces_ = false;
};

}  // namespace loquat::inline LOQUAT_ABI::text

#endif  // LOQUAT_TEXT_SPECIAL_MATCHER_HPP
