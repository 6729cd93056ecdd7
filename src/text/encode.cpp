// SPDX-License-Identifier: MIT
// From text to ids: special tokens cut the text, the model encodes what lies between.
#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "text/tokenizer_state.hpp"
#include "text/unicode.hpp"
#include "text/vocabulary.hpp"

namespace loquat::inline LOQUAT_ABI::text {

namespace {

using detail::TokenizerState;

/// Positions are 32-bit while merging, and a space may become three bytes.
constexpr std::size_t kMostTextBytes = std::numeric_limits<std::uint32_t>::max() / 3 - 3;

Status check_options(const TokenizerState& state, std::string_view text, const EncodeOptions& options) noexcept {
  if (options.add_bos && state.special.bos < 0) {
    return make_error(ErrorCode::invalid_argument, "add_bos needs a begin-of-sequence token, the vocabulary has none")
        .with_name("add_bos");
  }
  if (options.add_eos && state.special.eos < 0) {
    return make_error(ErrorCode::invalid_argument, "add_eos needs an end-of-sequence token, the vocabulary has none")
        .with_name("add_eos");
  }
  if (text.size() > kMostTextBytes) {
    return make_error(ErrorCode::invalid_argument, "text must be at most {} bytes, it has {}", kMostTextBytes,
                      text.size());
  }
  return {};
}

bool encode_plain(const TokenizerState& state, std::string_view text, const EncodeOptions& options,
                  EncodeScratch& scratch, Array<Token>& ids) noexcept {
  if (state.kind == TokenizerState::Kind::sentence_piece) {
    return state.sentence_piece.encode(state.table, text, state.add_space_prefix, scratch, ids);
  }
  return state.byte_pair.encode(state.table, *state.rule, text, options.normalize, scratch, ids);
}

}  // namespace

}  // namespace loquat::inline LOQUAT_ABI::text

namespace loquat::inline LOQUAT_ABI::detail {

std::size_t TokenizerState::resume_after(Token token, std::string_view text, std::size_t end) const noexcept {
  // Published for Phi-3: all control tokens but these three.
  const std::string_view spelling = table.spelling(token);
  const bool keeps = spelling == "<s>" || spelling == "<unk>" || spelling == "<|endoftext|>";
  if (!strips_after_control || table.kind(token) != TokenKind::control || keeps) return end;
  while (end < text.size()) {
    const utf8::CodePoint next = utf8::decode(text, end);
    if (!text::is_white_space(next.value)) break;
    end += next.bytes;
  }
  return end;
}

}  // namespace loquat::inline LOQUAT_ABI::detail

namespace loquat::inline LOQUAT_ABI::text {

Status encode_into(const Tokenizer& tokenizer, std::string_view text, std::span<const Segment> content,
                   const EncodeOptions& options, Array<Token>& ids, EncodeReport* report) noexcept {
  const TokenizerState& state = TokenizerState::of(tokenizer);
  LOQUAT_RETURN_IF_ERROR(check_options(state, text, options));
  EncodeScratch scratch(state.allocator());
  const Error no_memory = out_of_memory(text.size(), "the ids of a text");
  for (std::size_t at = 0; at < text.size();) {
    const SpecialMatch match = state.specials.next(text, at, options.special == Special::tokens, content);
    if (!encode_plain(state, text.substr(at, match.begin - at), options, scratch, ids)) return no_memory;
    if (match.token >= 0 && !ids.push_back(match.token)) return no_memory;
    at = match.token < 0 ? match.end : state.resume_after(match.token, text, match.end);
  }
  if (options.add_eos && (ids.empty() || ids.back() != state.special.eos) && !ids.push_back(state.special.eos))
    return no_memory;
  if (report != nullptr) *report = {scratch.bytes_without_token, scratch.queue.work()};
  return {};
}

Result<Array<Token>> encode_segments(const Tokenizer& tokenizer, std::string_view text,
                                     std::span<const Segment> content, const EncodeOptions& options) noexcept {
  if (!tokenizer) return make_error(ErrorCode::invalid_argument, "encoding needs a tokenizer, this one is empty");
  const TokenizerState& state = TokenizerState::of(tokenizer);
  Array<Token> ids(state.allocator(), MemoryTag::text);
  if (options.add_bos && state.special.bos >= 0 && !ids.push_back(state.special.bos))
    return out_of_memory(sizeof(Token), "the ids of a text");
  LOQUAT_RETURN_IF_ERROR(encode_into(tokenizer, text, content, options, ids));
  // Text that brings its own begin-of-sequence token (a template does) does not get a second one (promise K4).
  if (options.add_bos && ids.size() > 1 && ids[1] == ids[0]) {
    std::copy(ids.begin() + 1, ids.end(), ids.begin());
    ids.pop_back();
  }
  return ids;
}

}  // namespace loquat::inline LOQUAT_ABI::text
