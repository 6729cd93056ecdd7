// SPDX-License-Identifier: MIT
// The tokens of a vocabulary: spelling, kind, and which id a spelling has.
#ifndef LOQUAT_TEXT_TOKEN_TABLE_HPP
#define LOQUAT_TEXT_TOKEN_TABLE_HPP

#include <loquat/array.hpp>
#include <loquat/result.hpp>
#include <loquat/tokenizer.hpp>

#include <span>
#include <string_view>

#include "base/hash_map.hpp"

namespace loquat::inline LOQUAT_ABI::text {

class TokenTable {
 public:
  explicit TokenTable(Allocator& allocator) noexcept;
  /// Errors    malformed: no tokens, too many, or kinds of another length; out_of_memory
  Status build(std::span<const std::string_view> tokens, std::span<const TokenKind> kinds) noexcept;

  std::size_t size() const noexcept { return kinds_.size(); }
  bool has(Token token) const noexcept { return token >= 0 && static_cast<std::size_t>(token) < size(); }
  /// Empty where has() is false.
  std::string_view spelling(Token token) const noexcept {
    return has(token) ? spelling_of(static_cast<std::uint32_t>(token)) : std::string_view{};
  }
  TokenKind kind(Token token) const noexcept {
    return has(token) ? kinds_[static_cast<std::size_t>(token)] : TokenKind::unused;
  }
  /// Lowest id with this spelling, or -1.
  Token find(std::string_view spelling) const noexcept;
  /// Lowest id of kind normal with this spelling, or -1: what merges and whole words may become. Control tokens are
  /// not among them, so that ordinary text can never turn into one (promise K5).
  Token find_normal(std::string_view spelling) const noexcept;
  std::size_t longest_bytes() const noexcept { return longest_bytes_; }
  std::size_t duplicates() const noexcept { return duplicates_; }
  std::size_t memory() const noexcept;

 private:
  std::string_view spelling_of(std::uint32_t i) const noexcept {
    return {bytes_.data() + ends_[i], ends_[i + 1] - ends_[i]};
  }
  Status index_spellings() noexcept;

  Array<char> bytes_;
  Array<std::uint32_t> ends_;  ///< [size + 1] where spellings begin in bytes_
  Array<TokenKind> kinds_;
  TextIndex index_;
  IntegerMap<Token> normal_twins_;  ///< lowest id of a spelling, not normal, to the lowest normal id of the same
  std::size_t longest_bytes_ = 0;
  std::size_t duplicates_ = 0;
};

}  // namespace loquat::inline LOQUAT_ABI::text

#endif  // LOQUAT_TEXT_TOKEN_TABLE_HPP
