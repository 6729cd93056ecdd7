// SPDX-License-Identifier: MIT
#include "base/math.hpp"
#include "sampling/stages.hpp"

namespace loquat::inline LOQUAT_ABI::sampling {

void keep_typical(Candidates& candidates, float p) noexcept {
  if (p >= 1) return;
  const double sum = softmax(candidates);
  const float largest = largest_logit(candidates);
  // With s = largest - logit and Z the sum of weights, the surprise is s + log Z; log Z cancels in the
  // difference.
  const auto surprise = [largest](const Candidate& candidate) {
    return static_cast<double>(largest) - static_cast<double>(candidate.logit);
  };
  double expected = 0;
  for (const Candidate& candidate : candidates.items) {
    if (candidate.weight > 0) expected += static_cast<double>(candidate.weight) / sum * surprise(candidate);
  }
  const auto distance = [&](const Candidate& candidate) {
    const double difference = surprise(candidate) - expected;
    return difference < 0 ? -difference : difference;
  };
  keep_mass(candidates, static_cast<double>(p) * sum, [&](const Candidate& a, const Candidate& b) {
    const double distance_a = distance(a);
    const double distance_b = distance(b);
    return distance_a < distance_b || (distance_a == distance_b && is_better(a, b));
  });
  candidates.is_sorted = false;
}

}  // namespace loquat::inline LOQUAT_ABI::sampling
