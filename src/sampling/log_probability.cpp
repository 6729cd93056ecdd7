// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>

#include "base/math.hpp"
#include "sampling/stages.hpp"

namespace loquat::inline LOQUAT_ABI::sampling {

namespace {

constexpr std::size_t kLanes = 8;

/// Sum of e^(logit - largest) over the finite logits, in virtual lanes so that every vector width gives the
/// same bits.
double sum_of_exponentials(std::span<const float> logits, float largest) noexcept {
  constexpr float kNever = -1000.0f;  // e^kNever counts as 0
  double lanes[kLanes] = {};
  for (std::size_t i = 0; i < logits.size(); i += kLanes) {
    float differences[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const bool is_there = i + lane < logits.size() && is_finite(logits[i + lane]);
      differences[lane] = is_there ? logits[i + lane] - largest : kNever;
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += exponential(differences[lane]);
  }
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

}  // namespace

float log_probability(std::span<const float> logits, Token token) noexcept {
  const Token best = choose_greedily(logits);
  if (best < 0) return -std::numeric_limits<float>::infinity();
  const float largest = logits[static_cast<std::size_t>(best)];
  const double difference = static_cast<double>(logits[static_cast<std::size_t>(token)]) - static_cast<double>(largest);
  return static_cast<float>(difference - exact_log(sum_of_exponentials(logits, largest)));
}

}  // namespace loquat::inline LOQUAT_ABI::sampling
