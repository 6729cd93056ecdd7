// SPDX-License-Identifier: MIT
#ifndef LOQUAT_TOKENIZER_HPP
#define LOQUAT_TOKENIZER_HPP

#include <loquat/array.hpp>
#include <loquat/config.hpp>
#include <loquat/fwd.hpp>
#include <loquat/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// Text to token ids and back.
//
//   loquat::Tokenizer tokenizer = model->tokenizer();
//   auto ids = tokenizer.encode("Hello");                       // Result<Array<Token>>
//   auto text = tokenizer.decode(*ids);                         // Result<String>

namespace loquat::inline LOQUAT_ABI {

namespace detail {
class TokenizerState;
class StreamDecoderState;
}  // namespace detail

/// What texts of control tokens (`<|im_end|>`) in the input mean. User-defined added tokens match either way (K5).
enum class Special : std::uint8_t {
  plain,   ///< ordinary text: no control id can come out
  tokens,  ///< the control tokens they name
};

struct EncodeOptions {
  Special special = Special::plain;
  bool add_bos = false;  ///< put the begin-of-sequence id in front, exactly once; needs a vocabulary that has one
  bool add_eos = false;
  bool normalize = true;  ///< apply NFC where the published tokenizer does, to text that is UTF-8; off: byte-lossless (K7)
};

struct DecodeOptions {
  bool show_special = false;        ///< texts of control tokens appear in the output
  bool keep_leading_space = false;  ///< SentencePiece: keep the dummy space in front of the first word
};

enum class TokenKind : std::uint8_t { normal, unknown, control, user_defined, unused, byte };

/// Ids with a role, -1 where the model has none.
struct SpecialTokens {
  Token bos = -1;
  Token eos = -1;
  Token unknown = -1;
  Token separator = -1;
  Token padding = -1;
  bool add_bos = false;  ///< the file asks for bos in front of a sequence
  bool add_eos = false;
};

/// The vocabulary and rules of one model. Copies share them; valid without the model.
///
/// Threads   all members from any number of threads at once
class LOQUAT_API Tokenizer {
 public:
  Tokenizer() noexcept = default;
  Tokenizer(const Tokenizer& other) noexcept;
  Tokenizer(Tokenizer&& other) noexcept;
  Tokenizer& operator=(Tokenizer other) noexcept;
  ~Tokenizer();

  /// Accepts any bytes (K2): bytes that are not UTF-8 become byte tokens; a byte without a token vanishes.
  ///
  /// Errors    out_of_memory; invalid_argument: add_bos without a bos token
  /// Cost      O(text); 1 MB of one letter in well under a second, constant stack
  Result<Array<Token>> encode(std::string_view text, const EncodeOptions& options = {}) const noexcept;
  /// The number of ids that encode() gives.
  Result<std::size_t> count(std::string_view text, const EncodeOptions& options = {}) const noexcept;
  /// The bytes of all pieces joined. Not validated: use StreamDecoder for text that must be whole UTF-8.
  ///
  /// Errors    invalid_argument: an id outside the vocabulary, with its index
  Result<String> decode(std::span<const Token> tokens, const DecodeOptions& options = {}) const noexcept;

  std::size_t vocabulary_size() const noexcept;
  /// The vocabulary's own spelling of an id (byte-level alphabet, U+2581 for spaces), or empty if out of range.
  std::string_view token_text(Token token) const noexcept;
  TokenKind token_kind(Token token) const noexcept;
  /// The id with exactly this spelling, lowest on duplicates, or -1.
  Token find(std::string_view token_text) const noexcept;
  const SpecialTokens& special_tokens() const noexcept;
  /// Ids that end a generation: declared ones plus known end-of-turn tokens, ascending (K9).
  std::span<const Token> end_of_generation() const noexcept;
  bool is_end_of_generation(Token token) const noexcept;
  /// `tokenizer.ggml.model` and `tokenizer.ggml.pre` as used; pre is "default" where the file has none.
  std::string_view model_kind() const noexcept;
  std::string_view pre_tokenizer() const noexcept;

  explicit operator bool() const noexcept { return state_ != nullptr; }

 private:
  friend class detail::TokenizerState;
  friend class StreamDecoder;
  explicit Tokenizer(detail::TokenizerState* state) noexcept : state_(state) {}
  detail::TokenizerState* state_ = nullptr;
};

/// Turns ids into text as they come: whole UTF-8 only, incomplete tails held back, broken bytes as U+FFFD (S1).
/// The pieces concatenate to the decoding of all ids (S4).
///
/// Threads   one at a time
class LOQUAT_API StreamDecoder {
 public:
  /// Errors    out_of_memory
  static Result<StreamDecoder> create(const Tokenizer& tokenizer, const DecodeOptions& options = {}) noexcept;
  StreamDecoder(StreamDecoder&& other) noexcept;
  StreamDecoder& operator=(StreamDecoder&& other) noexcept;
  ~StreamDecoder();

  /// Text that is complete after this id; may be empty; valid until the next call.
  ///
  /// Errors    invalid_argument: id outside the vocabulary, state unchanged; out_of_memory
  Result<std::string_view> push(Token token) noexcept;
  /// What was held back, broken bytes replaced. The decoder is then as new.
  Result<std::string_view> flush() noexcept;

 private:
  explicit StreamDecoder(detail::StreamDecoderState* state) noexcept : state_(state) {}
  detail::StreamDecoderState* state_;
};

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_TOKENIZER_HPP
