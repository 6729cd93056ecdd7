// SPDX-License-Identifier: MIT
// The logits of one position while a token is chosen: a copy of the model's, in which few are changed.
#ifndef LOQUAT_SAMPLING_LOGITS_HPP
#define LOQUAT_SAMPLING_LOGITS_HPP

#include <loquat/array.hpp>
#include <loquat/fwd.hpp>

#include <cstddef>
#include <limits>
#include <span>

namespace loquat::inline LOQUAT_ABI::sampling {

/// False for NaN and both infinities: such a logit is never chosen (promise Z2).
inline bool is_finite(float x) noexcept {
  constexpr float kLargest = std::numeric_limits<float>::max();
  return x >= -kLargest && x <= kLargest;
}

/// Bias and penalties touch a handful of tokens. Keeping what stood there costs less than a second copy, and
/// the model's own distribution can be asked for afterwards.
class Logits {
 public:
  explicit Logits(Allocator& allocator) noexcept
      : values_(allocator, MemoryTag::scratch), changes_(allocator, MemoryTag::scratch) {}

  /// Room for a vocabulary and for `n_changes` changes. False when memory ran out.
  [[nodiscard]] bool reserve(std::size_t vocabulary_size, std::size_t n_changes) noexcept {
    return changes_.reserve(n_changes) && values_.reserve(vocabulary_size);
  }
  /// Takes a copy of `logits`.
  ///
  /// Requires  room for them
  void assign(std::span<const float> logits) noexcept {
    changes_.clear();
    static_cast<void>(values_.copy_from(logits));
  }
  std::span<const float> values() const noexcept { return {values_.data(), values_.size()}; }
  std::size_t size() const noexcept { return values_.size(); }
  float operator[](Token token) const noexcept { return values_[static_cast<std::size_t>(token)]; }

  /// Requires  room for one more change
  void change(Token token, float value) noexcept {
    float& logit = values_[static_cast<std::size_t>(token)];
    static_cast<void>(changes_.push_back({token, logit}));
    logit = value;
  }
  /// Back to the model's own.
  void undo() noexcept {
    for (; !changes_.empty(); changes_.pop_back()) {
      values_[static_cast<std::size_t>(changes_.back().token)] = changes_.back().before;
    }
  }

 private:
  struct Change {
    Token token;
    float before;
  };

  Array<float> values_;
  Array<Change> changes_;
};

}  // namespace loquat::inline LOQUAT_ABI::sampling

#endif  // LOQUAT_SAMPLING_LOGITS_HPP
