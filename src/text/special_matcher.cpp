// SPDX-License-Identifier: MIT
// The trie of special tokens.
#include "text/special_matcher.hpp"

#include "base/error.hpp"
#include "text/sentence_piece.hpp"

namespace loquat::inline LOQUAT_ABI::text {

SpecialMatcher::SpecialMatcher(Allocator& allocator) noexcept
    : nodes_(allocator, MemoryTag::tokenizer), edges_(allocator, MemoryTag::tokenizer) {}

Status SpecialMatcher::build(const TokenTable& table, bool marks_are_spaces) noexcept {
  marks_are_spaces_ = marks_are_spaces;
  if (!nodes_.resize(1)) return out_of_memory(sizeof(Node), "the special tokens");
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Token token = static_cast<Token>(i);
    const TokenKind kind = table.kind(token);
    const bool is_control = kind == TokenKind::control || kind == TokenKind::unknown;
    if (!is_control && kind != TokenKind::user_defined) continue;
    if (!insert(table.spelling(token), token, is_control))
      return out_of_memory(nodes_.capacity_bytes() * 2, "the special tokens");
  }
  if (marks_are_spaces_ && first_bytes_[' ']) first_bytes_.set(static_cast<unsigned char>(kSpaceMark[0]));
  return {};
}

bool SpecialMatcher::insert(std::string_view spelling, Token token, bool is_control) noexcept {
  if (spelling.empty()) return true;
  std::uint32_t node = kRoot;
  for (std::size_t at = 0; at < spelling.size();) {
    const bool is_mark = marks_are_spaces_ && !is_control && spelling.substr(at).starts_with(kSpaceMark);
    const std::uint64_t edge = edge_of(node, is_mark ? ' ' : spelling[at]);
    at += is_mark ? kSpaceMark.size() : 1;
    if (node == kRoot) first_bytes_.set(edge & 0xFF);
    if (const std::uint32_t* known = edges_.find(edge)) {
      node = *known;
      continue;
    }
    const auto added = static_cast<std::uint32_t>(nodes_.size());
    if (!nodes_.push_back({}) || !edges_.insert(edge, added)) return false;
    node = added;
  }
  Token& slot = is_control ? nodes_[node].control : nodes_[node].user_defined;
  if (slot < 0) slot = token;
  return true;
}

/// Follows one letter of the text; gives its end, or `at` where no spelling goes on so.
std::size_t SpecialMatcher::step(std::string_view text, std::size_t at, std::uint32_t& node) const noexcept {
  if (const std::uint32_t* next = edges_.find(edge_of(node, text[at]))) {
    node = *next;
    return at + 1;
  }
  if (!marks_are_spaces_ || !text.substr(at).starts_with(kSpaceMark)) return at;
  const std::uint32_t* next = edges_.find(edge_of(node, ' '));
  if (next == nullptr) return at;
  node = *next;
  return at + kSpaceMark.size();
}

SpecialMatch SpecialMatcher::match_at(std::string_view text, std::size_t at, std::size_t control_limit) const noexcept {
  SpecialMatch best{at, at, -1};
  std::uint32_t node = kRoot;
  for (std::size_t end = at; end < text.size();) {
    const std::size_t next = step(text, end, node);
    if (next == end) break;
    end = next;
    if (nodes_[node].user_defined >= 0) {
      best = {at, end, nodes_[node].user_defined};
    } else if (nodes_[node].control >= 0 && end <= control_limit) {
      best = {at, end, nodes_[node].control};
    }
  }
  return best;
}

SpecialMatch SpecialMatcher::next(std::string_view text, std::size_t from, bool with_control,
                                  std::span<const Segment>& content) const noexcept {
  for (std::size_t at = from; at < text.size(); ++at) {
    if (!first_bytes_[static_cast<unsigned char>(text[at])]) continue;
    while (!content.empty() && content.front().end <= at) content = content.subspan(1);
    // A control token must end before the next content begins; inside content there is no room for one.
    const std::size_t limit = !with_control ? 0 : content.empty() ? text.size() : content.front().begin;
    const SpecialMatch match = match_at(text, at, limit);
    if (match.token >= 0) return match;
  }
  return {text.size(), text.size(), -1};
}

}  // namespace loquat::inline LOQUAT_ABI::text
