// SPDX-License-Identifier: MIT
// The public handle: forwards to the shared state.
#include <loquat/tokenizer.hpp>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "text/byte_alphabet.hpp"
#include "text/tokenizer_state.hpp"

namespace loquat::inline LOQUAT_ABI {

namespace detail {

namespace {

bool append_alphabet(std::string_view spelling, String& out) noexcept {
  for (std::size_t i = 0; i < spelling.size();) {
    const utf8::CodePoint letter = utf8::decode(spelling, i);
    const std::uint16_t byte = letter.is_valid && letter.value < text::ByteAlphabet::kLetters
                                   ? text::kByteAlphabet.byte_of[letter.value]
                                   : text::ByteAlphabet::kNoByte;
    // What is not a letter of the alphabet stands for itself.
    const bool is_stored = byte == text::ByteAlphabet::kNoByte
                               ? out.append(spelling.substr(i, letter.bytes))
                               : out.push_back(static_cast<char>(static_cast<unsigned char>(byte)));
    if (!is_stored) return false;
    i += letter.bytes;
  }
  return true;
}

bool append_spaced(std::string_view spelling, String& out) noexcept {
  for (std::size_t at = 0; at < spelling.size();) {
    const std::size_t mark = std::min(spelling.find(text::kSpaceMark, at), spelling.size());
    if (!out.append(spelling.substr(at, mark - at))) return false;
    if (mark < spelling.size() && !out.push_back(' ')) return false;
    at = mark + text::kSpaceMark.size();
  }
  return true;
}

}  // namespace

bool TokenizerState::append_bytes(Token token, String& out) const noexcept {
  const std::string_view spelling = table.spelling(token);
  const TokenKind token_kind = table.kind(token);
  if (is_hidden(token)) return out.append(spelling);
  if (kind == Kind::byte_pair)
    return token_kind == TokenKind::user_defined ? out.append(spelling) : append_alphabet(spelling, out);
  const int byte = token_kind == TokenKind::byte ? text::byte_of_spelling(spelling) : -1;
  return byte >= 0 ? out.push_back(static_cast<char>(static_cast<unsigned char>(byte))) : append_spaced(spelling, out);
}

std::size_t TokenizerState::memory() const noexcept {
  return sizeof *this + model.chars().capacity_bytes() + pre.chars().capacity_bytes() + table.memory() +
         specials.memory() + byte_pair.memory() + sentence_piece.memory() + ends.capacity_bytes();
}

}  // namespace detail

Tokenizer::Tokenizer(const Tokenizer& other) noexcept : state_(other.state_) {
  if (state_ != nullptr) state_->retain();
}
Tokenizer::Tokenizer(Tokenizer&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
Tokenizer& Tokenizer::operator=(Tokenizer other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
Tokenizer::~Tokenizer() { release_ref(state_); }

Result<Array<Token>> Tokenizer::encode(std::string_view text, const EncodeOptions& options) const noexcept {
  return text::encode_segments(*this, text, {}, options);
}

Result<std::size_t> Tokenizer::count(std::string_view text, const EncodeOptions& options) const noexcept {
  LOQUAT_ASSIGN_OR_RETURN(const Array<Token> ids, encode(text, options));
  return ids.size();
}

Result<String> Tokenizer::decode(std::span<const Token> tokens, const DecodeOptions& options) const noexcept {
  if (state_ == nullptr)
    return make_error(ErrorCode::invalid_argument, "decoding needs a tokenizer, this one is empty");
  String text(state_->allocator(), MemoryTag::text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!state_->table.has(tokens[i])) {
      return make_error(ErrorCode::invalid_argument, "token must be 0..{}, token {} is {}", vocabulary_size() - 1, i,
                        tokens[i])
          .with_offset(i);
    }
    if (state_->is_hidden(tokens[i]) && !options.show_special) continue;
    if (!state_->append_bytes(tokens[i], text)) return out_of_memory(text.size() * 2, "the text of tokens");
  }
  const bool drops_space = state_->add_space_prefix && !options.keep_leading_space;
  if (drops_space && text.view().starts_with(' ')) {
    Array<char>& chars = text.chars();
    std::copy(chars.begin() + 1, chars.end(), chars.begin());
    chars.pop_back();
  }
  return text;
}

std::size_t Tokenizer::vocabulary_size() const noexcept { return state_ == nullptr ? 0 : state_->table.size(); }
std::string_view Tokenizer::token_text(Token token) const noexcept {
  return state_ == nullptr ? std::string_view{} : state_->table.spelling(token);
}
TokenKind Tokenizer::token_kind(Token token) const noexcept {
  return state_ == nullptr ? TokenKind::unused : state_->table.kind(token);
}
Token Tokenizer::find(std::string_view token_text) const noexcept {
  return state_ == nullptr ? -1 : state_->table.find(token_text);
}

const SpecialTokens& Tokenizer::special_tokens() const noexcept {
  static constexpr SpecialTokens kNone;
  return state_ == nullptr ? kNone : state_->special;
}
std::span<const Token> Tokenizer::end_of_generation() const noexcept {
  return state_ == nullptr ? std::span<const Token>{}
                           : std::span<const Token>(state_->ends.data(), state_->ends.size());
}
bool Tokenizer::is_end_of_generation(Token token) const noexcept {
  const std::span<const Token> ends = end_of_generation();
  return std::binary_search(ends.begin(), ends.end(), token);
}
std::string_view Tokenizer::model_kind() const noexcept {
  return state_ == nullptr ? std::string_view{} : state_->model.view();
}
std::string_view Tokenizer::pre_tokenizer() const noexcept {
  return state_ == nullptr ? std::string_view{} : state_->pre.view();
}

}  // namespace loquat::inline LOQUAT_ABI
