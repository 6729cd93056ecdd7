// SPDX-License-Identifier: MIT
// Penalties on tokens that were there before: repetition, presence, frequency.
#ifndef LOQUAT_SAMPLING_PENALTIES_HPP
#define LOQUAT_SAMPLING_PENALTIES_HPP

#include <loquat/array.hpp>
#include <loquat/sampler.hpp>

#include <cstddef>
#include <cstdint>

#include "sampling/logits.hpp"

namespace loquat::inline LOQUAT_ABI::sampling {

/// The last n tokens of prompt and answer (promise Z4), and what they cost.
class Penalties {
 public:
  Penalties(const SamplerOptions& options, Allocator& allocator) noexcept;

  /// Off at neutral values; then nothing is remembered and nothing allocated.
  bool is_on() const noexcept { return is_on_; }
  /// Room for all that will be remembered. False when memory ran out.
  [[nodiscard]] bool reserve_history() noexcept { return !is_on_ || history_.reserve(last_n_); }
  /// Room to count a vocabulary. False when memory ran out.
  [[nodiscard]] bool reserve_counts(std::size_t vocabulary_size) noexcept;

  /// Requires  reserve_history() succeeded
  void remember(Token token) noexcept;
  void forget() noexcept;
  /// For each remembered token that occurs n times: a positive logit is divided by the repetition penalty, a
  /// negative one multiplied; then `presence + n * frequency` is taken off. Ids outside the vocabulary cost
  /// nothing.
  ///
  /// Requires  reserve_counts() succeeded
  /// Cost      O(remembered tokens)
  void apply(Logits& logits) noexcept;

 private:
  float penalized(float logit, std::uint32_t count) const noexcept;

  float repetition_;
  float presence_;
  float frequency_;
  std::uint32_t last_n_;
  bool is_on_;
  std::size_t oldest_ = 0;       ///< where the next token goes once history_ is full
  Array<Token> history_;         ///< ring of at most last_n_
  Array<std::uint32_t> counts_;  ///< [V], all zero between calls
};

}  // namespace loquat::inline LOQUAT_ABI::sampling

#endif  // LOQUAT_SAMPLING_PENALTIES_HPP
