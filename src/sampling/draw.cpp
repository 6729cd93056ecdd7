// SPDX-License-Identifier: MIT
#include "sampling/stages.hpp"

namespace loquat::inline LOQUAT_ABI::sampling {

Token draw(Candidates& candidates, Generator& generator) noexcept {
  const double point = generator.next_fraction() * softmax(candidates);
  double sum = 0;
  Token last_possible = candidates.items[0].token;
  for (const Candidate& candidate : candidates.items) {
    if (candidate.weight <= 0) continue;
    last_possible = candidate.token;
    sum += candidate.weight;
    if (point < sum) break;
  }
  return last_possible;
}

}  // namespace loquat::inline LOQUAT_ABI::sampling
