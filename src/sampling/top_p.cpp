// SPDX-License-Identifier: MIT
#include "sampling/stages.hpp"

namespace loquat::inline LOQUAT_ABI::sampling {

namespace {

void keep_sorted_mass(Candidates& candidates, double mass) noexcept {
  std::size_t kept = 0;
  double sum = 0;
  do sum += candidates.items[kept++].weight;
  while (sum < mass && kept < candidates.items.size());
  candidates.items.truncate(kept);
}

}  // namespace

void keep_top_p(Candidates& candidates, float p) noexcept {
  if (p >= 1) return;
  const double mass = static_cast<double>(p) * softmax(candidates);
  if (candidates.is_sorted) return keep_sorted_mass(candidates, mass);
  keep_mass(candidates, mass, is_better);
  candidates.is_sorted = true;
}

}  // namespace loquat::inline LOQUAT_ABI::sampling
