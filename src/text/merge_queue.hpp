// SPDX-License-Identifier: MIT
// The merge loop that byte-pair encoding and SentencePiece share: of all neighbours that may join, the best pair joins
// first, the leftmost on ties, until none may. Symbols are a linked list; pairs wait in a queue while they come in
// order (a run of one letter stays there for good: O(n)), else in a heap: O(n log n) whatever the text.
#ifndef LOQUAT_TEXT_MERGE_QUEUE_HPP
#define LOQUAT_TEXT_MERGE_QUEUE_HPP

#include <loquat/array.hpp>
#include <loquat/fwd.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>

namespace loquat::inline LOQUAT_ABI::text {

struct Symbol {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t begin = 0;  ///< bytes of the text that it stands for
  std::uint32_t end = 0;
  Token token = -1;  ///< -1: no token of the vocabulary
  std::uint32_t previous = kNone;
  std::uint32_t next = kNone;
};

/// What two neighbours become. Lower priorities join first.
struct Joined {
  Token token = -1;  ///< -1: they do not join
  std::uint32_t priority = 0;
};

class MergeQueue {
 public:
  explicit MergeQueue(Allocator& allocator) noexcept : symbols_(allocator), ordered_(allocator), heap_(allocator) {}

  void clear() noexcept { symbols_.clear(); }
  [[nodiscard]] bool push(std::uint32_t begin, std::uint32_t end, Token token) noexcept {
    const auto index = static_cast<std::uint32_t>(symbols_.size());
    if (!symbols_.push_back({begin, end, token, index == 0 ? Symbol::kNone : index - 1, Symbol::kNone})) return false;
    if (index > 0) symbols_[index - 1].next = index;
    return true;
  }

  /// Joins until nothing joins. `join(left, right)` gives a Joined. False when memory ran out.
  template <class Join>
  [[nodiscard]] bool run(const Join& join) noexcept {
    heap_.clear();
    ordered_.clear();
    front_ = 0;
    for (std::uint32_t i = 0; i + 1 < symbols_.size(); ++i) {
      const Joined joined = look_up(i, join);
      if (joined.token >= 0 && !ordered_.push_back(key_of(joined.priority, i))) return false;
    }
    std::sort(ordered_.begin(), ordered_.end());
    while (front_ < ordered_.size() || !heap_.empty()) {
      if (!join_at(pop(), join)) return false;
    }
    return true;
  }

  /// Calls take(symbol) for what is left, in order; stops and answers false when it does.
  template <class Take>
  [[nodiscard]] bool for_each(const Take& take) const noexcept {
    for (std::uint32_t i = symbols_.empty() ? Symbol::kNone : 0; i != Symbol::kNone; i = symbols_[i].next) {
      if (!take(symbols_[i])) return false;
    }
    return true;
  }

  /// Pairs looked up so far: what the time is proportional to, for tests of growth (promise K3).
  std::uint64_t work() const noexcept { return work_; }

 private:
  // A pair waits as (priority, index of its left symbol). It is stale when the symbols have changed since;
  // then looking the pair up again gives another priority, or none.
  static std::uint64_t key_of(std::uint32_t priority, std::uint32_t left) noexcept {
    return (std::uint64_t{priority} << 32) | left;
  }

  template <class Join>
  Joined look_up(std::uint32_t left, const Join& join) noexcept {
    const Symbol& symbol = symbols_[left];
    if (symbol.begin == symbol.end || symbol.next == Symbol::kNone) return {};
    ++work_;
    return join(symbol, symbols_[symbol.next]);
  }

  /// The best pair that waits.
  ///
  /// Requires  one does
  std::uint64_t pop() noexcept {
    const bool takes_heap = !heap_.empty() && (front_ == ordered_.size() || heap_[0] < ordered_[front_]);
    if (!takes_heap) return ordered_[front_++];
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const std::uint64_t key = heap_.back();
    heap_.pop_back();
    return key;
  }

  template <class Join>
  bool join_at(std::uint64_t key, const Join& join) noexcept {
    const auto left = static_cast<std::uint32_t>(key);
    const Joined joined = look_up(left, join);
    if (joined.token < 0 || key_of(joined.priority, left) != key) return true;
    Symbol& symbol = symbols_[left];
    Symbol& gone = symbols_[symbol.next];
    symbol.end = gone.end;
    symbol.token = joined.token;
    symbol.next = gone.next;
    gone.begin = gone.end;
    if (symbol.next != Symbol::kNone) symbols_[symbol.next].previous = left;
    if (symbol.previous != Symbol::kNone && !push_pair(symbol.previous, join)) return false;
    return push_pair(left, join);
  }

  template <class Join>
  bool push_pair(std::uint32_t left, const Join& join) noexcept {
    const Joined joined = look_up(left, join);
    if (joined.token < 0) return true;
    const std::uint64_t key = key_of(joined.priority, left);
    if (front_ < ordered_.size() && key >= ordered_.back()) return ordered_.push_back(key);
    if (!heap_.push_back(key)) return false;
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    return true;
  }

  Array<Symbol> symbols_;
  Array<std::uint64_t> ordered_;  ///< ascending from front_ on
  std::size_t front_ = 0;
  Array<std::uint64_t> heap_;  ///< the rest, lowest first
  std::uint64_t work_ = 0;
};

}  // namespace loquat::inline LOQUAT_ABI::text

#endif  // LOQUAT_TEXT_MERGE_QUEUE_HPP
