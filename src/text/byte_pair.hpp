// SPDX-License-Identifier: MIT
// Byte-level byte-pair encoding (`gpt2`): text is cut by the pre-tokenizer, each piece starts as bytes, and pairs join
// by the rank of their merge.
#ifndef LOQUAT_TEXT_BYTE_PAIR_HPP
#define LOQUAT_TEXT_BYTE_PAIR_HPP

#include <loquat/array.hpp>
#include <loquat/result.hpp>

#include <array>
#include <span>
#include <string_view>

#include "base/hash_map.hpp"
#include "text/merge_queue.hpp"
#include "text/pre_tokenizer.hpp"
#include "text/token_table.hpp"

namespace loquat::inline LOQUAT_ABI::text {

/// What an encoder needs for one text, kept over its pieces.
struct EncodeScratch {
  explicit EncodeScratch(Allocator& allocator) noexcept
      : queue(allocator), normalized(allocator, MemoryTag::text), spelling(allocator, MemoryTag::text) {}
  MergeQueue queue;
  String normalized;
  String spelling;
  std::uint64_t bytes_without_token = 0;  ///< bytes that vanished because the vocabulary cannot express them (K2)
};

class BytePairModel {
 public:
  explicit BytePairModel(Allocator& allocator) noexcept
      : allocator_(&allocator), merges_(allocator, MemoryTag::tokenizer) {}
  /// A merge whose parts or result are not normal tokens can never apply and is left out (unusable_merges counts them).
  ///
  /// Errors    malformed: a merge that is not two spellings with a space between; out_of_memory
  Status build(const TokenTable& table, std::span<const std::string_view> merges) noexcept;

  /// Appends the ids of text without special tokens. False when memory ran out.
  [[nodiscard]] bool encode(const TokenTable& table, const PreTokenizerRule& rule, std::string_view text,
                            bool normalize, EncodeScratch& scratch, Array<Token>& ids) const noexcept;
  std::size_t unusable_merges() const noexcept { return unusable_merges_; }
  std::size_t bytes_without_token() const noexcept;
  std::size_t memory() const noexcept { return merges_.capacity_bytes(); }

 private:
  struct Merge {
    std::uint32_t rank = 0;
    Token token = -1;
  };
  static std::uint64_t pair_of(Token left, Token right) noexcept {
    return (static_cast<std::uint64_t>(left) << 32) | static_cast<std::uint32_t>(right);
  }
  bool encode_piece(std::string_view piece, EncodeScratch& scratch, Array<Token>& ids) const noexcept;

  Allocator* allocator_;
  std::array<Token, 256> byte_tokens_{};  ///< -1: the vocabulary has none
  IntegerMap<Merge> merges_;
  std::size_t unusable_merges_ = 0;
};

}  // namespace loquat::inline LOQUAT_ABI::text

#endif  // LOQUAT_TEXT_BYTE_PAIR_HPP
