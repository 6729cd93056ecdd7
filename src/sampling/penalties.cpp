// SPDX-License-Identifier: MIT
#include "sampling/penalties.hpp"

#include <utility>

namespace loquat::inline LOQUAT_ABI::sampling {

Penalties::Penalties(const SamplerOptions& options, Allocator& allocator) noexcept
    : repetition_(options.repetition_penalty),
      presence_(options.presence_penalty),
      frequency_(options.frequency_penalty),
      last_n_(options.penalty_last_n),
      is_on_(last_n_ > 0 && (repetition_ != 1 || presence_ != 0 || frequency_ != 0)),
      history_(allocator, MemoryTag::session),
      counts_(allocator, MemoryTag::scratch) {}

bool Penalties::reserve_counts(std::size_t vocabulary_size) noexcept {
  if (!is_on_ || counts_.size() >= vocabulary_size) return true;
  return counts_.reserve(vocabulary_size) && counts_.resize(vocabulary_size);
}

void Penalties::remember(Token token) noexcept {
  if (!is_on_) return;
  if (history_.size() < last_n_) {
    static_cast<void>(history_.push_back(token));
    return;
  }
  history_[oldest_] = token;
  oldest_ = (oldest_ + 1) % last_n_;
}

void Penalties::forget() noexcept {
  history_.clear();
  oldest_ = 0;
}

float Penalties::penalized(float logit, std::uint32_t count) const noexcept {
  const float repeated = logit > 0 ? logit / repetition_ : logit * repetition_;
  return repeated - (presence_ + static_cast<float>(count) * frequency_);
}

void Penalties::apply(Logits& logits) noexcept {
  if (!is_on_) return;
  for (const Token token : history_) {
    if (static_cast<std::size_t>(token) < logits.size()) ++counts_[static_cast<std::size_t>(token)];
  }
  for (const Token token : history_) {  // the first occurrence takes the whole count and leaves zero
    if (static_cast<std::size_t>(token) >= logits.size()) continue;
    const std::uint32_t count = std::exchange(counts_[static_cast<std::size_t>(token)], 0u);
    if (count > 0) logits.change(token, penalized(logits[token], count));
  }
}

}  // namespace loquat::inline LOQUAT_ABI::sampling
