// SPDX-License-Identifier: MIT
// Merges by score over characters.
#include "text/sentence_piece.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace loquat::inline LOQUAT_ABI::text {

namespace {

/// Order of floats as order of integers, reversed: a better score is a lower number. NaN is the worst.
std::uint32_t priority_of(float score) noexcept {
  if (std::isnan(score)) return ~std::uint32_t{0};
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(score + 0.0f);  // -0 and 0 are one score
  const std::uint32_t ascending = (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
  return ~ascending;
}

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// Writes spaces as U+2581. False when memory ran out.
bool mark_spaces(std::string_view text, bool add_prefix, String& marked) noexcept {
  marked.clear();
  if (!marked.reserve(text.size() + kSpaceMark.size())) return false;
  if (add_prefix && !marked.append(kSpaceMark)) return false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t space = std::min(text.find(' ', at), text.size());
    if (!marked.append(text.substr(at, space - at))) return false;
    if (space < text.size() && !marked.append(kSpaceMark)) return false;
    at = space + 1;
  }
  return true;
}

}  // namespace

int byte_of_spelling(std::string_view spelling) noexcept {
  if (spelling.size() != 6 || spelling.substr(0, 3) != "<0x" || spelling[5] != '>') return -1;
  const int high = hex_digit(spelling[3]);
  const int low = hex_digit(spelling[4]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

Status SentencePieceModel::build(const TokenTable& table, std::span<const float> scores, Token unknown) noexcept {
  if (scores.size() != table.size()) {
    return make_error(ErrorCode::malformed, "tokenizer.ggml.scores must have one score a token: {} tokens, {} scores",
                      table.size(), scores.size())
        .with_name("tokenizer.ggml.scores");
  }
  if (!priorities_.reserve(scores.size())) return out_of_memory(scores.size() * 4, "the scores of the vocabulary");
  byte_tokens_.fill(-1);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!priorities_.push_back(priority_of(scores[i])))
      return out_of_memory(scores.size() * 4, "the scores of the vocabulary");
    const Token token = static_cast<Token>(i);
    const int byte = table.kind(token) == TokenKind::byte ? byte_of_spelling(table.spelling(token)) : -1;
    if (byte >= 0 && byte_tokens_[static_cast<std::size_t>(byte)] < 0)
      byte_tokens_[static_cast<std::size_t>(byte)] = token;
    if (unknown < 0 && table.kind(token) == TokenKind::unknown) unknown = token;
  }
  unknown_ = unknown;
  return {};
}

std::size_t SentencePieceModel::bytes_without_token() const noexcept {
  return static_cast<std::size_t>(std::count(byte_tokens_.begin(), byte_tokens_.end(), -1));
}

bool SentencePieceModel::encode(const TokenTable& table, std::string_view text, bool add_prefix, EncodeScratch& scratch,
                                Array<Token>& ids) const noexcept {
  if (text.empty()) return true;
  if (!mark_spaces(text, add_prefix, scratch.normalized)) return false;
  const std::string_view marked = scratch.normalized;
  scratch.queue.clear();
  for (std::size_t i = 0; i < marked.size();) {
    const std::size_t end = i + utf8::decode(marked, i).bytes;
    const Token token = table.find_normal(marked.substr(i, end - i));
    if (!scratch.queue.push(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(end), token)) return false;
    i = end;
  }
  const auto join = [&](const Symbol& left, const Symbol& right) {
    const Token token = table.find_normal(marked.substr(left.begin, right.end - left.begin));
    return token < 0 ? Joined{} : Joined{token, priorities_[static_cast<std::size_t>(token)]};
  };
  return scratch.queue.run(join) && scratch.queue.for_each([&](const Symbol& symbol) {
    return take(marked.substr(symbol.begin, symbol.end - symbol.begin), symbol.token, scratch, ids);
  });
}

bool SentencePieceModel::take(std::string_view bytes, Token token, EncodeScratch& scratch,
                              Array<Token>& ids) const noexcept {
  if (token >= 0) return ids.push_back(token);
  const auto token_of = [this](char c) { return byte_tokens_[static_cast<unsigned char>(c)]; };
  if (std::all_of(bytes.begin(), bytes.end(), [&](char c) { return token_of(c) >= 0; })) {
    return std::all_of(bytes.begin(), bytes.end(), [&](char c) { return ids.push_back(token_of(c)); });
  }
  if (unknown_ >= 0) return ids.push_back(unknown_);
  scratch.bytes_without_token += bytes.size();
  return true;
}

}  // namespace loquat::inline LOQUAT_ABI::text
