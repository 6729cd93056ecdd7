// SPDX-License-Identifier: MIT
// The chain of stages: options and state of one sampler. sampler.hpp documents the order.
#ifndef LOQUAT_SAMPLING_CHAIN_HPP
#define LOQUAT_SAMPLING_CHAIN_HPP

#include <loquat/array.hpp>
#include <loquat/result.hpp>
#include <loquat/sampler.hpp>

#include <cstdint>
#include <span>

#include "sampling/candidates.hpp"
#include "sampling/generator.hpp"
#include "sampling/logits.hpp"
#include "sampling/penalties.hpp"

namespace loquat::inline LOQUAT_ABI::sampling {

/// As loquat::Sampler, by value.
class Chain {
 public:
  /// Errors    invalid_argument, naming the option; out_of_memory; io: no random seed to be had
  static Result<Chain> create(const SamplerOptions& options, Allocator& allocator) noexcept;

  /// Room for a vocabulary, so that sample() does not allocate.
  ///
  /// Errors    out_of_memory
  Status reserve(std::size_t vocabulary_size) noexcept;
  /// Errors    bad_logits; invalid_argument: a biased id outside the vocabulary; out_of_memory; as before
  /// then
  Result<Token> sample(std::span<const float> logits) noexcept;
  /// Errors    invalid_argument: a negative id
  Status accept(Token token) noexcept;
  void reset() noexcept;
  std::uint64_t seed() const noexcept { return seed_; }
  float last_log_probability() const noexcept;

 private:
  Chain(const SamplerOptions& options, std::uint64_t seed, Allocator& allocator) noexcept;
  Status check_vocabulary(std::size_t vocabulary_size) const noexcept;
  Token choose() noexcept;

  SamplerOptions options_;  ///< its logit_bias is biases_
  std::uint64_t seed_;
  Array<LogitBias> biases_;
  Penalties penalties_;
  Generator generator_;
  Logits logits_;  ///< of the last call, the model's own between calls
  Candidates candidates_;
  Token last_token_ = -1;
};

}  // namespace loquat::inline LOQUAT_ABI::sampling

#endif  // LOQUAT_SAMPLING_CHAIN_HPP
