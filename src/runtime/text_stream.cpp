// SPDX-License-Identifier: MIT
#include "runtime/text_stream.hpp"

#include "base/error.hpp"

namespace loquat::inline LOQUAT_ABI::runtime {

namespace {
/// Reserved for each token that may come, so that decoding does not allocate for ordinary text (promise M4).
constexpr std::size_t kBytesPerToken = 8;
}  // namespace

TextStream::TextStream(Allocator& allocator) noexcept
    : allocator_(&allocator), matcher_(allocator), stop_tokens_(allocator), text_(allocator) {}

Status TextStream::start(const Tokenizer& tokenizer, std::span<const std::string_view> stops, bool show_special,
                         std::size_t expected_tokens) noexcept {
  LOQUAT_RETURN_IF_ERROR(matcher_.set(stops));
  stop_tokens_.clear();
  for (const std::string_view stop : stops) {
    const Token token = tokenizer.find(stop);
    if (token < 0 || tokenizer.token_kind(token) != TokenKind::control) continue;
    if (!stop_tokens_.push_back(token)) return out_of_memory(sizeof(Token), "stop tokens");
  }
  LOQUAT_ASSIGN_OR_RETURN(decoder_, StreamDecoder::create(tokenizer, {.show_special = show_special}));
  text_ = String(*allocator_);
  if (!text_.reserve(expected_tokens * kBytesPerToken)) {
    return out_of_memory(expected_tokens * kBytesPerToken, "the text of a reply");
  }
  taken_ = 0;
  decoded_bytes_ = 0;
  is_stopped_ = false;
  return {};
}

Status TextStream::push(Token token) noexcept {
  LOQUAT_ASSIGN_OR_RETURN(const std::string_view text, decoder_->push(token));
  LOQUAT_RETURN_IF_ERROR(deliver(text));
  if (!is_stopped_ && is_stop_token(token)) {
    LOQUAT_RETURN_IF_ERROR(flush());
    is_stopped_ = true;
  }
  return {};
}

Status TextStream::flush() noexcept {
  if (is_stopped_) return {};
  LOQUAT_ASSIGN_OR_RETURN(const std::string_view text, decoder_->flush());
  LOQUAT_RETURN_IF_ERROR(deliver(text));
  if (is_stopped_) return {};
  const auto rest = matcher_.flush();
  if (!text_.append(rest.text)) return out_of_memory(rest.text.size(), "the text of a reply");
  return {};
}

Status TextStream::deliver(std::string_view text) noexcept {
  decoded_bytes_ += text.size();
  LOQUAT_ASSIGN_OR_RETURN(const auto output, matcher_.push(text));
  if (!text_.append(output.text)) return out_of_memory(output.text.size(), "the text of a reply");
  is_stopped_ = output.is_stopped;
  return {};
}

std::string_view TextStream::take_new() noexcept {
  const std::string_view text = text_.view().substr(taken_);
  taken_ = text_.size();
  return text;
}

bool TextStream::is_stop_token(Token token) const noexcept {
  for (const Token stop : stop_tokens_) {
    if (stop == token) return true;
  }
  return false;
}

}  // namespace loquat::inline LOQUAT_ABI::runtime
