// SPDX-License-Identifier: MIT
#include "base/math.hpp"
#include "sampling/stages.hpp"

namespace loquat::inline LOQUAT_ABI::sampling {

void keep_min_p(Candidates& candidates, float p) noexcept {
  if (p <= 0) return;
  // p_i >= p * p_max is logit_i >= logit_max + log p: no exponentials. The best one always passes (log p <=
  // 0).
  const double threshold = static_cast<double>(largest_logit(candidates)) + exact_log(static_cast<double>(p));
  Array<Candidate>& items = candidates.items;
  std::size_t kept = 0;
  for (const Candidate& candidate : items) {
    if (static_cast<double>(candidate.logit) >= threshold) items[kept++] = candidate;
  }
  items.truncate(kept);
}

}  // namespace loquat::inline LOQUAT_ABI::sampling
