// SPDX-License-Identifier: MIT
// Merges by rank over the byte alphabet.
#include "text/byte_pair.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "text/byte_alphabet.hpp"
#include "text/nfc.hpp"

namespace loquat::inline LOQUAT_ABI::text {

namespace {

/// Appends the vocabulary's spelling of bytes. False when memory ran out.
bool append_spelling(std::string_view bytes, String& spelling) noexcept {
  for (const char c : bytes) {
    char letter[4];
    const std::uint32_t n = utf8::encode(kByteAlphabet.letter_of[static_cast<unsigned char>(c)], letter);
    if (!spelling.append({letter, n})) return false;
  }
  return true;
}

}  // namespace

Status BytePairModel::build(const TokenTable& table, std::span<const std::string_view> merges) noexcept {
  for (std::size_t byte = 0; byte < byte_tokens_.size(); ++byte) {
    char letter[4];
    byte_tokens_[byte] = table.find_normal({letter, utf8::encode(kByteAlphabet.letter_of[byte], letter)});
  }
  if (!merges_.reserve(merges.size())) return out_of_memory(merges.size() * 32, "the merges of the vocabulary");
  String joined(*allocator_, MemoryTag::tokenizer);
  for (std::size_t i = 0; i < merges.size(); ++i) {
    const std::size_t space = merges[i].find(' ', 1);
    if (merges[i].empty() || space == std::string_view::npos || space + 1 == merges[i].size()) {
      return make_error(ErrorCode::malformed,
                        "merge {} must be two spellings with a space between (tokenizer.ggml.merges)", i)
          .with_name("tokenizer.ggml.merges")
          .with_offset(i);
    }
    const std::string_view left = merges[i].substr(0, space);
    const std::string_view right = merges[i].substr(space + 1);
    if (!joined.assign(left) || !joined.append(right))
      return out_of_memory(merges[i].size(), "a merge of the vocabulary");
    const Token parts[3] = {table.find_normal(left), table.find_normal(right), table.find_normal(joined)};
    if (std::any_of(std::begin(parts), std::end(parts), [](Token token) { return token < 0; })) {
      ++unusable_merges_;
    } else if (!merges_.insert(pair_of(parts[0], parts[1]), {static_cast<std::uint32_t>(i), parts[2]})) {
      return out_of_memory(merges.size() * 32, "the merges of the vocabulary");
    }
  }
  return {};
}

std::size_t BytePairModel::bytes_without_token() const noexcept {
  return static_cast<std::size_t>(std::count(byte_tokens_.begin(), byte_tokens_.end(), -1));
}

bool BytePairModel::encode(const TokenTable& table, const PreTokenizerRule& rule, std::string_view text, bool normalize,
                           EncodeScratch& scratch, Array<Token>& ids) const noexcept {
  if (normalize && rule.normalizes && needs_nfc(text)) {
    if (!normalize_nfc(text, scratch.normalized)) return false;
    text = scratch.normalized;
  }
  PreTokenizer pieces(rule, text);
  for (std::string_view piece; pieces.next(piece);) {
    if (rule.whole_words && piece.size() <= table.longest_bytes()) {
      scratch.spelling.clear();
      if (!append_spelling(piece, scratch.spelling)) return false;
      const Token word = table.find_normal(scratch.spelling);
      if (word >= 0) {
        if (!ids.push_back(word)) return false;
        continue;
      }
    }
    if (!encode_piece(piece, scratch, ids)) return false;
  }
  return true;
}

bool BytePairModel::encode_piece(std::string_view piece, EncodeScratch& scratch, Array<Token>& ids) const noexcept {
  scratch.queue.clear();
  for (std::uint32_t i = 0; i < piece.size(); ++i) {
    const Token token = byte_tokens_[static_cast<unsigned char>(piece[i])];
    if (token < 0) {
      ++scratch.bytes_without_token;
    } else if (!scratch.queue.push(i, i + 1, token)) {
      return false;
    }
  }
  const auto join = [this](const Symbol& left, const Symbol& right) {
    const Merge* merge = merges_.find(pair_of(left.token, right.token));
    return merge == nullptr ? Joined{} : Joined{merge->token, merge->rank};
  };
  return scratch.queue.run(join) &&
         scratch.queue.for_each([&ids](const Symbol& symbol) { return ids.push_back(symbol.token); });
}

}  // namespace loquat::inline LOQUAT_ABI::text
