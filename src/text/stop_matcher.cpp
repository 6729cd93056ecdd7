// SPDX-License-Identifier: MIT
// Aho-Corasick over bytes. The state after a byte is the longest suffix of the text that begins a stop string, so its
// depth is exactly what must be held back.
#include "text/stop_matcher.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace loquat::inline LOQUAT_ABI::text {

namespace {
constexpr std::size_t kBytes = 256;
constexpr std::uint32_t kNone = ~std::uint32_t{0};
}  // namespace

StopMatcher::StopMatcher(Allocator& allocator) noexcept
    : goto_(allocator), depth_(allocator), match_(allocator), held_(allocator), out_(allocator) {}

Status StopMatcher::set(std::span<const std::string_view> stops) noexcept {
  std::size_t nodes = 1;
  for (std::size_t i = 0; i < stops.size(); ++i) {
    if (stops[i].empty())
      return make_error(ErrorCode::invalid_argument, "stop strings must not be empty, number {} is", i)
          .with_name("stop")
          .with_offset(i);
    nodes += stops[i].size();
  }
  // Built aside, so that a failure leaves the matcher as it was.
  StopMatcher built(goto_.allocator());
  if (!built.build(stops, nodes))
    return out_of_memory(nodes * (kBytes + 2) * sizeof(std::uint32_t), "the stop strings");
  *this = std::move(built);
  return {};
}

bool StopMatcher::build(std::span<const std::string_view> stops, std::size_t most_nodes) noexcept {
  // Room for an ordinary piece behind the longest stop string, so that matching allocates only for a longer one (M4).
  constexpr std::size_t kPieceBytes = 1024;
  if (!out_.reserve(most_nodes + kPieceBytes) || !held_.reserve(most_nodes + kPieceBytes)) return false;
  if (stops.empty()) return true;
  if (!goto_.reserve(most_nodes * kBytes) || !depth_.reserve(most_nodes) || !match_.reserve(most_nodes)) return false;
  if (!add_node(0)) return false;
  for (const std::string_view stop : stops) {
    std::uint32_t node = 0;
    for (const char c : stop) {
      const std::size_t edge = node * kBytes + static_cast<unsigned char>(c);
      if (goto_[edge] == kNone) {
        const auto added = static_cast<std::uint32_t>(depth_.size());
        if (!add_node(depth_[node] + 1)) return false;
        goto_[edge] = added;
      }
      node = goto_[edge];
    }
    match_[node] = depth_[node];
  }
  return link();
}

bool StopMatcher::add_node(std::uint32_t depth) noexcept {
  if (!goto_.resize(goto_.size() + kBytes)) return false;
  std::fill(goto_.end() - kBytes, goto_.end(), kNone);
  return depth_.push_back(depth) && match_.push_back(0);
}

/// Breadth first: where no stop string goes on, a node goes where its longest proper suffix goes.
bool StopMatcher::link() noexcept {
  Array<std::uint32_t> suffix(goto_.allocator());
  Array<std::uint32_t> queue(goto_.allocator());
  if (!suffix.resize(depth_.size()) || !queue.reserve(depth_.size()) || !queue.push_back(0)) return false;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t node = queue[i];
    for (std::size_t byte = 0; byte < kBytes; ++byte) {
      std::uint32_t& next = goto_[node * kBytes + byte];
      const std::uint32_t fallback = node == 0 ? 0 : goto_[suffix[node] * kBytes + byte];
      if (next == kNone) {
        next = fallback;
        continue;
      }
      suffix[next] = fallback;
      match_[next] = std::max(match_[next], match_[fallback]);
      if (!queue.push_back(next)) return false;
    }
  }
  return true;
}

Result<StopMatcher::Output> StopMatcher::push(std::string_view text) noexcept {
  if (is_stopped_) return Output{{}, true};
  out_.clear();
  const Error no_memory = out_of_memory(text.size() + held_.size(), "text before a stop string");
  if (!out_.reserve(held_.size() + text.size()) || !held_.reserve(held_.size() + text.size())) return no_memory;
  if (!out_.append({held_.data(), held_.size()})) return no_memory;
  for (const char c : text) {
    if (!out_.push_back(c)) return no_memory;
    if (goto_.empty()) continue;
    state_ = goto_[state_ * kBytes + static_cast<unsigned char>(c)];
    if (match_[state_] == 0) continue;
    is_stopped_ = true;
    out_.truncate(out_.size() - match_[state_]);
    held_.clear();
    return Output{{out_.data(), out_.size()}, true};
  }
  const std::size_t n_held = goto_.empty() ? 0 : depth_[state_];
  if (!held_.copy_from(std::span<const char>(out_.end() - n_held, n_held))) return no_memory;
  out_.truncate(out_.size() - n_held);
  return Output{{out_.data(), out_.size()}, false};
}

StopMatcher::Output StopMatcher::flush() noexcept {
  std::swap(out_, held_);
  held_.clear();
  state_ = 0;
  if (is_stopped_) out_.clear();
  return {{out_.data(), out_.size()}, is_stopped_};
}

void StopMatcher::reset() noexcept {
  held_.clear();
  state_ = 0;
  is_stopped_ = false;
}

}  // namespace loquat::inline LOQUAT_ABI::text
