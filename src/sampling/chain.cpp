// SPDX-License-Identifier: MIT
#include "sampling/chain.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "sampling/options.hpp"
#include "sampling/stages.hpp"
#include "sampling/system_seed.hpp"

namespace loquat::inline LOQUAT_ABI::sampling {

Chain::Chain(const SamplerOptions& options, std::uint64_t seed, Allocator& allocator) noexcept
    : options_(options),
      seed_(seed),
      biases_(allocator, MemoryTag::session),
      penalties_(options, allocator),
      generator_(seed),
      logits_(allocator),
      candidates_(allocator) {
  options_.logit_bias = {};
}

Result<Chain> Chain::create(const SamplerOptions& options, Allocator& allocator) noexcept {
  LOQUAT_RETURN_IF_ERROR(check_options(options));
  std::uint64_t seed = options.seed.value;
  if (options.seed.is_random) {
    LOQUAT_ASSIGN_OR_RETURN(seed, system_seed());
  }
  Chain chain(options, seed, allocator);
  if (!chain.biases_.copy_from(options.logit_bias)) {
    return out_of_memory(options.logit_bias.size_bytes(), "the sampler's logit bias");
  }
  if (!chain.penalties_.reserve_history()) {
    return out_of_memory(options.penalty_last_n * sizeof(Token), "the sampler's penalty history");
  }
  return chain;
}

Status Chain::reserve(std::size_t vocabulary_size) noexcept {
  const bool is_greedy = options_.temperature == 0;
  const std::size_t n_candidates = is_greedy             ? 0
                                   : options_.top_k == 0 ? vocabulary_size
                                                         : std::min<std::size_t>(options_.top_k, vocabulary_size);
  const std::size_t n_changes = biases_.size() + (penalties_.is_on() ? options_.penalty_last_n : 0);
  if (logits_.reserve(vocabulary_size, n_changes) && penalties_.reserve_counts(vocabulary_size) &&
      candidates_.items.reserve(n_candidates)) {
    return {};
  }
  return out_of_memory(vocabulary_size * sizeof(float) + n_candidates * sizeof(Candidate), "the sampler's candidates");
}

Status Chain::check_vocabulary(std::size_t vocabulary_size) const noexcept {
  for (const LogitBias& bias : biases_) {
    if (static_cast<std::size_t>(bias.token) < vocabulary_size) continue;
    return make_error(ErrorCode::invalid_argument, "logit_bias names token {}, the vocabulary has {}", bias.token,
                      vocabulary_size)
        .with_name("logit_bias");
  }
  return {};
}

Token Chain::choose() noexcept {
  if (options_.temperature == 0) return choose_greedily(logits_.values());
  choose_top_k(logits_.values(), options_.top_k, candidates_);
  if (candidates_.items.empty()) return -1;
  keep_typical(candidates_, options_.typical_p);
  keep_top_p(candidates_, options_.top_p);
  keep_min_p(candidates_, options_.min_p);
  apply_temperature(candidates_, options_.temperature);
  return draw(candidates_, generator_);
}

Result<Token> Chain::sample(std::span<const float> logits) noexcept {
  LOQUAT_RETURN_IF_ERROR(check_vocabulary(logits.size()));
  LOQUAT_RETURN_IF_ERROR(reserve(logits.size()));
  logits_.assign(logits);
  apply_logit_bias({biases_.data(), biases_.size()}, logits_);
  penalties_.apply(logits_);
  const Token token = choose();
  logits_.undo();
  if (token < 0) {
    return make_error(ErrorCode::bad_logits, "expected a finite logit to choose from, found none among {}",
                      logits.size());
  }
  last_token_ = token;
  penalties_.remember(token);
  return token;
}

Status Chain::accept(Token token) noexcept {
  if (token < 0) return make_error(ErrorCode::invalid_argument, "expected a token id, 0 or more, got {}", token);
  penalties_.remember(token);
  return {};
}

void Chain::reset() noexcept {
  penalties_.forget();
  generator_ = Generator(seed_);
  last_token_ = -1;
}

float Chain::last_log_probability() const noexcept {
  return last_token_ < 0 ? 0.0f : log_probability(logits_.values(), last_token_);
}

}  // namespace loquat::inline LOQUAT_ABI::sampling
