// SPDX-License-Identifier: MIT
#ifndef LOQUAT_SAMPLER_HPP
#define LOQUAT_SAMPLER_HPP

#include <loquat/array.hpp>
#include <loquat/config.hpp>
#include <loquat/fwd.hpp>
#include <loquat/host.hpp>
#include <loquat/result.hpp>

#include <cstdint>
#include <span>

// Chooses a token from logits. The stages run in this order, each off at its neutral value:
//
//   logit bias -> penalties (repetition, presence, frequency) -> top-k -> typical -> top-p -> min-p ->
//   temperature -> draw
//
//   auto sampler = loquat::Sampler::create({.temperature = 0.8f, .top_p = 0.95f, .seed = 7});
//   auto token = sampler->sample(*session.logits());

namespace loquat::inline LOQUAT_ABI {

namespace detail {
class SamplerState;
}

/// A seed, or the wish for a random one. Implicit from whole numbers: `{.seed = 7}`.
struct Seed {
  std::uint64_t value = 0;
  bool is_random = false;

  constexpr Seed() noexcept = default;
  constexpr Seed(std::uint64_t fixed) noexcept : value(fixed) {}  // NOLINT: implicit
  static constexpr Seed random() noexcept {
    Seed seed;
    seed.is_random = true;
    return seed;
  }
};

struct LogitBias {
  Token token;
  float bias;  ///< added to the logit; -infinity forbids the token
};

/// Numbers outside the ranges given here, and NaN, are refused with invalid_argument (promises A5, Z5).
struct SamplerOptions {
  float temperature = 0.8f;                    ///< 0..100; 0: the largest logit, lowest id on ties, whatever the seed
  std::uint32_t top_k = 40;                    ///< 0: off
  float top_p = 0.95f;                         ///< 0..1, 1: off; at least one candidate always survives
  float min_p = 0.0f;                          ///< 0..1, 0: off
  float typical_p = 1.0f;                      ///< 0..1, 1: off
  float repetition_penalty = 1.0f;             ///< 0.01..100, 1: off; divides positive logits, multiplies negative ones
  float presence_penalty = 0.0f;               ///< -100..100, 0: off
  float frequency_penalty = 0.0f;              ///< -100..100, 0: off
  std::uint32_t penalty_last_n = 64;           ///< 0..2^20, 0: off; how many of the last tokens count, the prompt's too
  std::span<const LogitBias> logit_bias = {};  ///< copied by create()
  Seed seed = {};
};

/// A chain of stages and a seeded generator (SplitMix64-seeded xoshiro256**, docs/determinism.md).
/// At temperature 0 the filters (top-k to min-p) do not act; logit bias and penalties do.
///
/// Threads   one at a time
class LOQUAT_API Sampler {
 public:
  /// Errors    invalid_argument, naming the option; out_of_memory; io: the system has no random seed to give
  static Result<Sampler> create(const SamplerOptions& options, const Host& host = {}) noexcept;
  Sampler(Sampler&& other) noexcept;
  Sampler& operator=(Sampler&& other) noexcept;
  ~Sampler();

  /// Draws from `logits` [V] and remembers the token for the penalties. `logits` is not changed.
  ///
  /// Errors    bad_logits: no finite logit (nothing is remembered, the generator does not advance);
  ///           invalid_argument: logit_bias names an id outside the vocabulary; out_of_memory
  /// Cost      O(V) and, where several candidates stay, O(k log k); no allocation after the first call
  Result<Token> sample(std::span<const float> logits) noexcept;
  /// Remembers a token that was not drawn here (the prompt), for the penalties (promise Z4).
  ///
  /// Errors    invalid_argument: a negative id
  Status accept(Token token) noexcept;
  /// Forgets all tokens and starts the generator again from the seed.
  void reset() noexcept;
  /// The seed in use; also where a random one was asked for (promise Z6).
  std::uint64_t seed() const noexcept;
  /// Natural logarithm of the probability that the model itself (no stages) gave to the last drawn token; 0
  /// before the first.
  ///
  /// Cost      one pass over the logits, here and not in sample()
  float last_log_probability() const noexcept;

 private:
  explicit Sampler(detail::SamplerState* state) noexcept : state_(state) {}
  detail::SamplerState* state_;
};

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_SAMPLER_HPP
