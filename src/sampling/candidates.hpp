// SPDX-License-Identifier: MIT
// The tokens that are still in the race, and the one order that every stage sorts them by.
#ifndef LOQUAT_SAMPLING_CANDIDATES_HPP
#define LOQUAT_SAMPLING_CANDIDATES_HPP

#include <loquat/array.hpp>
#include <loquat/fwd.hpp>

#include <algorithm>
#include <cstddef>

#include "sampling/exponential.hpp"

namespace loquat::inline LOQUAT_ABI::sampling {

struct Candidate {
  Token token;
  float logit;
  float weight;  ///< e^(logit - largest logit), as of the last softmax()
};

/// Larger logit first, lower id on ties. A total order, so that sorting gives one result with every standard
/// library.
inline bool is_better(const Candidate& a, const Candidate& b) noexcept {
  return a.logit > b.logit || (a.logit == b.logit && a.token < b.token);
}

struct Candidates {
  explicit Candidates(Allocator& allocator) noexcept : items(allocator, MemoryTag::scratch) {}

  Array<Candidate> items;
  bool is_sorted = false;  ///< by is_better; otherwise in any order that does not depend on the library
};

/// Requires  candidates are not empty
inline float largest_logit(const Candidates& candidates) noexcept {
  float largest = candidates.items[0].logit;
  for (const Candidate& candidate : candidates.items) largest = std::max(largest, candidate.logit);
  return largest;
}

/// Sets every weight and returns their sum, at least 1.
///
/// Numeric   weights in f32, the sum in f64 in candidate order
inline double softmax(Candidates& candidates) noexcept {
  const float largest = largest_logit(candidates);
  double sum = 0;
  for (Candidate& candidate : candidates.items) {
    candidate.weight = exponential(candidate.logit - largest);
    sum += candidate.weight;
  }
  return sum;
}

/// Keeps the first candidates in the order `comes_before` whose weights reach `mass`: at least one (promise
/// Z3).
///
/// Cost      O(n) for the heap and O(log n) for each that is kept: few are, where the model is sure
template <class Order>
void keep_mass(Candidates& candidates, double mass, Order comes_before) noexcept {
  Array<Candidate>& items = candidates.items;
  const auto is_later = [&](const Candidate& a, const Candidate& b) { return comes_before(b, a); };
  std::make_heap(items.begin(), items.end(), is_later);
  std::size_t kept = 0;
  double sum = 0;
  do {  // the best of the rest goes to the end of the array; ascending from there afterwards
    std::pop_heap(items.begin(), items.end() - kept, is_later);
    ++kept;
    sum += items[items.size() - kept].weight;
  } while (sum < mass && kept < items.size());
  std::reverse(items.begin(), items.end());
  items.truncate(kept);
}

}  // namespace loquat::inline LOQUAT_ABI::sampling

#endif  // LOQUAT_SAMPLING_CANDIDATES_HPP
