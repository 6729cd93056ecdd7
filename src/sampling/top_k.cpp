// SPDX-License-Identifier: MIT
// A heap of the k best so far, worst on top. Logits come in no particular order, so after the first few
// thousand nearly every one loses its only comparison: the pass runs at the speed of memory.
#include <algorithm>

#include "sampling/stages.hpp"

namespace loquat::inline LOQUAT_ABI::sampling {

namespace {

void take_all(std::span<const float> logits, Candidates& candidates) noexcept {
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (is_finite(logits[i])) static_cast<void>(candidates.items.push_back({static_cast<Token>(i), logits[i], 0}));
  }
  candidates.is_sorted = false;
}

}  // namespace

void choose_top_k(std::span<const float> logits, std::uint32_t k, Candidates& candidates) noexcept {
  Array<Candidate>& items = candidates.items;
  items.clear();
  if (k == 0) return take_all(logits, candidates);

  std::size_t i = 0;
  for (; i < logits.size() && items.size() < k; ++i) {
    if (is_finite(logits[i])) static_cast<void>(items.push_back({static_cast<Token>(i), logits[i], 0}));
  }
  std::make_heap(items.begin(), items.end(), is_better);  // "largest" by is_better is the worst
  for (; i < logits.size(); ++i) {
    if (!(logits[i] > items[0].logit) || !is_finite(logits[i])) continue;  // a tie keeps the lower id
    std::pop_heap(items.begin(), items.end(), is_better);
    items.back() = {static_cast<Token>(i), logits[i], 0};
    std::push_heap(items.begin(), items.end(), is_better);
  }
  std::sort(items.begin(), items.end(), is_better);
  candidates.is_sorted = true;
}

}  // namespace loquat::inline LOQUAT_ABI::sampling
