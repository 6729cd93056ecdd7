// SPDX-License-Identifier: MIT
#include "sampling/stages.hpp"

namespace loquat::inline LOQUAT_ABI::sampling {

void apply_temperature(Candidates& candidates, float temperature) noexcept {
  if (temperature == 1) return;
  const float largest = largest_logit(candidates);
  // Differences to the largest are at most 0: even the smallest temperature gives 0 or -infinity, never NaN.
  for (Candidate& candidate : candidates.items) candidate.logit = (candidate.logit - largest) / temperature;
}

}  // namespace loquat::inline LOQUAT_ABI::sampling
