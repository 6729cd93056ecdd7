// SPDX-License-Identifier: MIT
// SentencePiece's byte-pair encoding (`llama`): spaces become U+2581, text starts as characters, neighbours join into
// the token with the best score; characters without a token fall back to byte tokens, then to the unknown token.
#ifndef LOQUAT_TEXT_SENTENCE_PIECE_HPP
#define LOQUAT_TEXT_SENTENCE_PIECE_HPP

#include <loquat/array.hpp>
#include <loquat/result.hpp>

#include <array>
#include <span>
#include <string_view>

#include "text/byte_pair.hpp"
#include "text/token_table.hpp"

namespace loquat::inline LOQUAT_ABI::text {

inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  ///< U+2581, how SentencePiece spells a space

/// The byte that `<0xNN>` stands for, or -1.
int byte_of_spelling(std::string_view spelling) noexcept;

class SentencePieceModel {
 public:
  explicit SentencePieceModel(Allocator& allocator) noexcept : priorities_(allocator, MemoryTag::tokenizer) {}
  /// Errors    malformed: scores of another length; out_of_memory
  Status build(const TokenTable& table, std::span<const float> scores, Token unknown) noexcept;

  /// Appends the ids of text without special tokens. `add_prefix`: a space is put in front of it, if there is text.
  /// False when memory ran out.
  [[nodiscard]] bool encode(const TokenTable& table, std::string_view text, bool add_prefix, EncodeScratch& scratch,
                            Array<Token>& ids) const noexcept;
  std::size_t bytes_without_token() const noexcept;
  std::size_t memory() const noexcept { return priorities_.capacity_bytes(); }

 private:
  bool take(std::string_view bytes, Token token, EncodeScratch& scratch, Array<Token>& ids) const noexcept;

  Array<std::uint32_t> priorities_;       ///< [V] scores as integers, the best score lowest
  std::array<Token, 256> byte_tokens_{};  ///< -1: the vocabulary has none
  Token unknown_ = -1;
};

}  // namespace loquat::inline LOQUAT_ABI::text

#endif  // LOQUAT_TEXT_SENTENCE_PIECE_HPP
