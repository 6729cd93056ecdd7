// SPDX-License-Identifier: MIT
// What loquat::Tokenizer shares: a vocabulary, the rules to use it, and one of the models. Immutable after building.
#ifndef LOQUAT_TEXT_TOKENIZER_STATE_HPP
#define LOQUAT_TEXT_TOKENIZER_STATE_HPP

#include <loquat/tokenizer.hpp>

#include "base/ref.hpp"
#include "text/byte_pair.hpp"
#include "text/pre_tokenizer.hpp"
#include "text/sentence_piece.hpp"
#include "text/special_matcher.hpp"
#include "text/token_table.hpp"
#include "text/vocabulary.hpp"

namespace loquat::inline LOQUAT_ABI::detail {

class TokenizerState final : public RefCounted {
 public:
  static constexpr MemoryTag kTag = MemoryTag::tokenizer;
  enum class Kind : std::uint8_t { byte_pair, sentence_piece };

  explicit TokenizerState(Allocator& allocator) noexcept
      : allocator_(&allocator),
        model(allocator, kTag),
        pre(allocator, kTag),
        table(allocator),
        specials(allocator),
        byte_pair(allocator),
        sentence_piece(allocator),
        ends(allocator, kTag) {}
  Allocator& allocator() const noexcept { return *allocator_; }

  static Tokenizer make_handle(Ref<TokenizerState> state) noexcept { return Tokenizer(state.detach()); }
  /// Requires  the handle is not empty
  static TokenizerState& of(const Tokenizer& tokenizer) noexcept { return *tokenizer.state_; }

  /// Appends the bytes that a token stands for, without regard to its kind being shown or not. False: out of memory.
  [[nodiscard]] bool append_bytes(Token token, String& out) const noexcept;
  /// True for control and unknown tokens, whose text is shown only on demand.
  bool is_hidden(Token token) const noexcept {
    return table.kind(token) == TokenKind::control || table.kind(token) == TokenKind::unknown;
  }
  /// Where text goes on behind a special token that ends at `end`: further on, if the token swallows white space.
  std::size_t resume_after(Token token, std::string_view text, std::size_t end) const noexcept;
  std::size_t memory() const noexcept;

 private:
  Allocator* allocator_;

 public:
  String model;
  String pre;
  Kind kind = Kind::byte_pair;
  text::TokenTable table;
  text::SpecialMatcher specials;
  text::BytePairModel byte_pair;                 ///< Kind::byte_pair
  text::SentencePieceModel sentence_piece;       ///< Kind::sentence_piece
  const text::PreTokenizerRule* rule = nullptr;  ///< Kind::byte_pair
  bool add_space_prefix = false;                 ///< SentencePiece: text is read as if a space stood in front of it
  bool strips_after_control = false;             ///< VocabularySource
  SpecialTokens special;
  Array<Token> ends;
};

}  // namespace loquat::inline LOQUAT_ABI::detail

#endif  // LOQUAT_TEXT_TOKENIZER_STATE_HPP
