// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdlib>

#include "sampling/support.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

/// Counts, and refuses from the n-th allocation on.
class CountingAllocator final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment, MemoryTag tag) noexcept override {
    if (allowed == 0) return nullptr;
    --allowed;
    ++calls;
    held += bytes;
    return default_allocator().allocate(bytes, alignment, tag);
  }
  void deallocate(void* block, std::size_t bytes, std::size_t alignment, MemoryTag tag) noexcept override {
    held -= bytes;
    default_allocator().deallocate(block, bytes, alignment, tag);
  }
  std::size_t allowed = 1000;
  std::size_t calls = 0;
  std::size_t held = 0;
};

SamplerOptions everything_on() {
  static const LogitBias bias[] = {{1, 1}};
  SamplerOptions options{.top_k = 0, .top_p = 0.9f, .min_p = 0.01f, .typical_p = 0.9f, .repetition_penalty = 1.1f};
  options.logit_bias = bias;
  return options;
}

std::vector<float> some_logits() {
  std::vector<float> logits;
  for (int i = 0; i < 2000; ++i) logits.push_back(std::sin(static_cast<float>(i)));
  return logits;
}

/// True when memory was enough.
bool create_and_draw(CountingAllocator& allocator) {
  auto sampler = Sampler::create(everything_on(), {.allocator = &allocator});
  if (!sampler) {
    CHECK(sampler.code() == ErrorCode::out_of_memory);
    return false;
  }
  const auto token = sampler->sample(some_logits());
  if (token) return true;
  CHECK(token.code() == ErrorCode::out_of_memory);
  allocator.allowed = 1000;
  CHECK(sampler->sample(some_logits()));
  return false;
}

}  // namespace

TEST_CASE("nothing is allocated after the first draw (M4)") {
  CountingAllocator allocator;
  auto sampler = Sampler::create(everything_on(), {.allocator = &allocator});
  REQUIRE(sampler);
  REQUIRE(sampler->sample(some_logits()));
  const std::size_t calls = allocator.calls;
  for (int i = 0; i < 200; ++i) REQUIRE(sampler->sample(some_logits()));
  CHECK(allocator.calls == calls);
}

TEST_CASE("running out of memory at any point is an error, and all memory is given back (M3)") {
  CountingAllocator allocator;
  bool is_done = false;
  for (std::size_t n = 0; !is_done; ++n) {
    REQUIRE(n < 20);
    allocator.allowed = n;
    is_done = create_and_draw(allocator);
    CHECK(allocator.held == 0);
  }
  CHECK(allocator.calls > 5);
}
