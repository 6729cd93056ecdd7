// SPDX-License-Identifier: MIT
// Temperature 0. Filters cannot matter here: the largest logit is what they all keep, but for `typical`,
// which greedy choice is defined to ignore (promise Z1).
#include <limits>

#include "sampling/stages.hpp"

namespace loquat::inline LOQUAT_ABI::sampling {

Token choose_greedily(std::span<const float> logits) noexcept {
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  Token best = -1;
  float largest = kNone;
  const std::size_t n = logits.size();
  for (std::size_t i = 0; i < n; ++i) {  // one well-predicted branch: a new maximum comes about ln(V) times
    if (logits[i] > largest && is_finite(logits[i])) {
      largest = logits[i];
      best = static_cast<Token>(i);
    }
  }
  return best;
}

}  // namespace loquat::inline LOQUAT_ABI::sampling
