// SPDX-License-Identifier: MIT
// The stages of the chain, in their order; one file each. Penalties, which have a memory, are in
// penalties.hpp.
//
// Each stage computes probabilities among the candidates that reached it, and leaves at least one (promise
// Z3).
#ifndef LOQUAT_SAMPLING_STAGES_HPP
#define LOQUAT_SAMPLING_STAGES_HPP

#include <loquat/array.hpp>
#include <loquat/sampler.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

#include "sampling/candidates.hpp"
#include "sampling/generator.hpp"
#include "sampling/logits.hpp"

namespace loquat::inline LOQUAT_ABI::sampling {

/// Adds each bias to its token's logit.
///
/// Requires  ids are below the vocabulary's size
void apply_logit_bias(std::span<const LogitBias> biases, Logits& logits) noexcept;

/// The largest finite logit, lowest id on ties; -1 if none is finite.
///
/// Cost      one pass
Token choose_greedily(std::span<const float> logits) noexcept;

/// Fills `candidates` with the `k` best finite logits, sorted; with k = 0, with all finite ones in id order.
///
/// Requires  capacity for min(k, V) candidates, or V
/// Cost      O(V + k log k), one comparison for each logit that is not among the best
void choose_top_k(std::span<const float> logits, std::uint32_t k, Candidates& candidates) noexcept;

/// Keeps the candidates whose surprise -log p is nearest to the expected one (the entropy), up to mass `p`.
///
/// Source    Meister et al.: Locally Typical Sampling, 2022
void keep_typical(Candidates& candidates, float p) noexcept;

/// Keeps the most probable candidates that together reach mass `p` (nucleus).
///
/// Source    Holtzman et al.: The Curious Case of Neural Text Degeneration, 2019
void keep_top_p(Candidates& candidates, float p) noexcept;

/// Keeps the candidates that are at least `p` times as probable as the best one.
///
/// Source    Nguyen et al.: Turning Up the Heat: Min-p Sampling, 2024
void keep_min_p(Candidates& candidates, float p) noexcept;

/// Divides all logits, taken from the largest one, by `temperature`.
void apply_temperature(Candidates& candidates, float temperature) noexcept;

/// Draws one candidate by its probability with one number of the generator.
Token draw(Candidates& candidates, Generator& generator) noexcept;

/// Natural logarithm of softmax(logits)[token] over the finite logits.
///
/// Numeric   f32 exponentials, eight f64 lanes and a fixed tree: absolute error below 2^-20
float log_probability(std::span<const float> logits, Token token) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::sampling

#endif  // LOQUAT_SAMPLING_STAGES_HPP
