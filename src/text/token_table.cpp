// SPDX-License-Identifier: MIT
// Building and asking the table of tokens.
#include "text/token_table.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"

namespace loquat::inline LOQUAT_ABI::text {

TokenTable::TokenTable(Allocator& allocator) noexcept
    : bytes_(allocator, MemoryTag::tokenizer),
      ends_(allocator, MemoryTag::tokenizer),
      kinds_(allocator, MemoryTag::tokenizer),
      index_(allocator, MemoryTag::tokenizer),
      normal_twins_(allocator, MemoryTag::tokenizer) {}

Status TokenTable::build(std::span<const std::string_view> tokens, std::span<const TokenKind> kinds) noexcept {
  constexpr std::size_t kMostTokens = std::numeric_limits<Token>::max();
  if (tokens.empty() || tokens.size() > kMostTokens) {
    return make_error(ErrorCode::malformed, "vocabulary must have 1..{} tokens, it has {}", kMostTokens, tokens.size());
  }
  if (kinds.size() != tokens.size()) {
    return make_error(ErrorCode::malformed, "vocabulary must have one kind a token: {} tokens, {} kinds", tokens.size(),
                      kinds.size());
  }
  std::uint64_t total = 0;
  for (const std::string_view token : tokens) total += token.size();
  if (total > std::numeric_limits<std::uint32_t>::max()) {
    return make_error(ErrorCode::malformed,
                      "spellings of the vocabulary must be below 4 GiB together, they have {} bytes", total);
  }
  if (!bytes_.reserve(total) || !ends_.reserve(tokens.size() + 1) || !kinds_.copy_from(kinds)) {
    return out_of_memory(total + tokens.size() * (sizeof(std::uint32_t) + 1), "the spellings of the vocabulary");
  }
  bool is_stored = ends_.push_back(0);
  for (const std::string_view token : tokens) {
    is_stored = is_stored && bytes_.append({token.data(), token.size()}) &&
                ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    longest_bytes_ = std::max(longest_bytes_, token.size());
  }
  if (!is_stored) return out_of_memory(total, "the spellings of the vocabulary");
  return index_spellings();
}

Status TokenTable::index_spellings() noexcept {
  if (!index_.create(size())) return out_of_memory(size() * 16, "the index of the vocabulary");
  const auto text_of = [this](std::uint32_t i) { return spelling_of(i); };
  for (std::uint32_t i = 0; i < size(); ++i) {
    const std::uint32_t first = index_.insert(i, text_of);
    if (first == i) continue;
    ++duplicates_;
    if (kinds_[first] == TokenKind::normal || kinds_[i] != TokenKind::normal) continue;
    if (!normal_twins_.insert(first, static_cast<Token>(i))) return out_of_memory(16, "the index of the vocabulary");
  }
  return {};
}

Token TokenTable::find(std::string_view spelling) const noexcept {
  const std::uint32_t i = index_.find(spelling, [this](std::uint32_t at) { return spelling_of(at); });
  return i == TextIndex::kNone ? -1 : static_cast<Token>(i);
}

Token TokenTable::find_normal(std::string_view spelling) const noexcept {
  if (spelling.size() > longest_bytes_) return -1;
  const Token first = find(spelling);
  if (first < 0 || kind(first) == TokenKind::normal) return first;
  const Token* twin = normal_twins_.find(static_cast<std::uint64_t>(first));
  return twin == nullptr ? -1 : *twin;
}

std::size_t TokenTable::memory() const noexcept {
  return bytes_.capacity_bytes() + ends_.capacity_bytes() + kinds_.capacity_bytes() + index_.capacity_bytes() +
         normal_twins_.capacity_bytes();
}

}  // namespace loquat::inline LOQUAT_ABI::text
