// SPDX-License-Identifier: MIT
#include <cmath>

#include "sampling/support.hpp"
#include "support/fail_nth_allocator.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

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
bool create_and_draw(FailNthAllocator& allocator) {
  auto sampler = Sampler::create(everything_on(), {.allocator = &allocator});
  if (!sampler) {
    CHECK(sampler.code() == ErrorCode::out_of_memory);
    return false;
  }
  const auto token = sampler->sample(some_logits());
  if (token) return true;
  CHECK(token.code() == ErrorCode::out_of_memory);
  allocator.fail_nth(FailNthAllocator::kNever);
  CHECK(sampler->sample(some_logits()));
  return false;
}

}  // namespace

TEST_CASE("nothing is allocated after the first draw (M4)") {
  FailNthAllocator allocator;
  auto sampler = Sampler::create(everything_on(), {.allocator = &allocator});
  REQUIRE(sampler);
  REQUIRE(sampler->sample(some_logits()));
  const std::size_t calls = allocator.n_allocations();
  for (int i = 0; i < 200; ++i) REQUIRE(sampler->sample(some_logits()));
  CHECK(allocator.n_allocations() == calls);
}

TEST_CASE("running out of memory at any point is an error, and all memory is given back (M3)") {
  FailNthAllocator allocator;
  bool is_done = false;
  for (std::size_t n = 0; !is_done; ++n) {
    REQUIRE(n < 20);
    allocator.fail_from(n + 1);
    is_done = create_and_draw(allocator);
    CHECK(allocator.live_bytes() == 0);
  }
  CHECK(allocator.n_allocations() > 5);
}
