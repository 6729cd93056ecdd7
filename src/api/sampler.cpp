// SPDX-License-Identifier: MIT
// loquat::Sampler: a sampling::Chain behind a pointer.
#include <loquat/sampler.hpp>

#include <utility>

#include "base/error.hpp"
#include "base/ref.hpp"
#include "sampling/chain.hpp"

namespace loquat::inline LOQUAT_ABI {

namespace detail {

class SamplerState {
 public:
  SamplerState(sampling::Chain&& stages, Allocator& memory) noexcept : chain(std::move(stages)), allocator(&memory) {}

  sampling::Chain chain;
  Allocator* allocator;
};

namespace {

void destroy(SamplerState* state) noexcept {
  if (state != nullptr) Box<SamplerState>(state, *state->allocator, MemoryTag::session).reset();
}

}  // namespace
}  // namespace detail

Result<Sampler> Sampler::create(const SamplerOptions& options, const Host& host) noexcept {
  Allocator& allocator = host.allocator != nullptr ? *host.allocator : default_allocator();
  LOQUAT_ASSIGN_OR_RETURN(auto chain, sampling::Chain::create(options, allocator));
  auto state = make_box<detail::SamplerState>(allocator, MemoryTag::session, std::move(chain), allocator);
  if (!state) return out_of_memory(sizeof(detail::SamplerState), "a sampler");
  return Sampler(state.detach());
}

Sampler::Sampler(Sampler&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
Sampler& Sampler::operator=(Sampler&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
Sampler::~Sampler() {
  detail::destroy(state_);
}

Result<Token> Sampler::sample(std::span<const float> logits) noexcept {
  return state_->chain.sample(logits);
}
Status Sampler::accept(Token token) noexcept {
  return state_->chain.accept(token);
}
void Sampler::reset() noexcept {
  state_->chain.reset();
}
std::uint64_t Sampler::seed() const noexcept {
  return state_->chain.seed();
}
float Sampler::last_log_probability() const noexcept {
  return state_->chain.last_log_probability();
}

}  // namespace loquat::inline LOQUAT_ABI
