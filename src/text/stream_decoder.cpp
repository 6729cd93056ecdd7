// SPDX-License-Identifier: MIT
// Ids to whole UTF-8 as they come. Held back: at most the three bytes that may begin a character.
#include <loquat/tokenizer.hpp>

#include <utility>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "text/tokenizer_state.hpp"

namespace loquat::inline LOQUAT_ABI {

class detail::StreamDecoderState {
 public:
  StreamDecoderState(const Tokenizer& handle, const DecodeOptions& decode_options, Allocator& allocator) noexcept
      : tokenizer(handle), options(decode_options), held(allocator, MemoryTag::text), out(allocator, MemoryTag::text) {
    start();
  }

  void start() noexcept {
    held.clear();
    drops_space = TokenizerState::of(tokenizer).add_space_prefix && !options.keep_leading_space;
  }

  /// Moves from held to out what is decided; `is_end`: nothing follows, so everything is. False: out of memory.
  bool release(bool is_end) noexcept {
    out.clear();
    std::string_view bytes = held;
    if (drops_space && !bytes.empty()) {
      drops_space = false;
      if (bytes.front() == ' ') bytes.remove_prefix(1);
    }
    if (!out.reserve(bytes.size() * utf8::kReplacementBytes.size())) return false;
    std::size_t at = 0;
    while (at < bytes.size()) {
      const utf8::CodePoint next = utf8::decode(bytes, at);
      if (next.is_cut_off && !is_end) break;
      if (!out.append(next.is_valid ? bytes.substr(at, next.bytes) : utf8::kReplacementBytes)) return false;
      at += next.bytes;
    }
    char tail[3];  // a character that is cut off has at most three bytes
    const std::string_view rest = bytes.substr(at);
    for (std::size_t i = 0; i < rest.size(); ++i) tail[i] = rest[i];
    return held.assign({tail, rest.size()});
  }

  Tokenizer tokenizer;
  DecodeOptions options;
  String held;
  String out;
  bool drops_space = false;  ///< the next byte may be the dummy space
};

Result<StreamDecoder> StreamDecoder::create(const Tokenizer& tokenizer, const DecodeOptions& options) noexcept {
  using State = detail::StreamDecoderState;
  if (!tokenizer)
    return make_error(ErrorCode::invalid_argument, "a stream decoder needs a tokenizer, this one is empty");
  Allocator& allocator = detail::TokenizerState::of(tokenizer).allocator();
  Box<State> state = make_box<State>(allocator, MemoryTag::text, tokenizer, options, allocator);
  if (!state) return out_of_memory(sizeof(State), "a stream decoder");
  // Room for ordinary pieces, so that decoding allocates only for a longer one (promise M4).
  constexpr std::size_t kPieceBytes = 256;
  if (!state->held.reserve(kPieceBytes) || !state->out.reserve(kPieceBytes * utf8::kReplacementBytes.size())) {
    return out_of_memory(kPieceBytes, "a stream decoder");
  }
  return StreamDecoder(state.detach());
}

StreamDecoder::StreamDecoder(StreamDecoder&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
StreamDecoder& StreamDecoder::operator=(StreamDecoder&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
StreamDecoder::~StreamDecoder() {
  if (state_ == nullptr) return;
  // The tokenizer owns the allocator's address and is part of the state: keep it until the memory is given back.
  const Tokenizer tokenizer = state_->tokenizer;
  Box<detail::StreamDecoderState>(state_, detail::TokenizerState::of(tokenizer).allocator(), MemoryTag::text).reset();
}

Result<std::string_view> StreamDecoder::push(Token token) noexcept {
  const detail::TokenizerState& tokenizer = detail::TokenizerState::of(state_->tokenizer);
  if (!tokenizer.table.has(token)) {
    return make_error(ErrorCode::invalid_argument, "token must be 0..{}, it is {}", tokenizer.table.size() - 1, token);
  }
  if (tokenizer.is_hidden(token) && !state_->options.show_special) return std::string_view{};
  const std::size_t before = state_->held.size();
  const std::size_t room = before + tokenizer.table.spelling(token).size();
  // All memory first: if there is none, the state is as before.
  if (!state_->held.reserve(room) || !state_->out.reserve(room * utf8::kReplacementBytes.size()) ||
      !tokenizer.append_bytes(token, state_->held) || !state_->release(false)) {
    return out_of_memory(room, "the text of a token");
  }
  return state_->out.view();
}

Result<std::string_view> StreamDecoder::flush() noexcept {
  if (!state_->release(true))
    return out_of_memory(state_->held.size() * utf8::kReplacementBytes.size(), "the text of a token");
  state_->start();
  return state_->out.view();
}

}  // namespace loquat::inline LOQUAT_ABI
