// SPDX-License-Identifier: MIT
// Short ways to make samplers and logits.
#ifndef LOQUAT_TESTS_SAMPLING_SUPPORT_HPP
#define LOQUAT_TESTS_SAMPLING_SUPPORT_HPP

#include <loquat/sampler.hpp>

#include <limits>
#include <set>
#include <vector>

#include "support/catch.hpp"

namespace loquat_test {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

inline loquat::Sampler make_sampler(const loquat::SamplerOptions& options) {
  auto sampler = loquat::Sampler::create(options);
  REQUIRE(sampler);
  return std::move(*sampler);
}

/// Every filter off: draws come from softmax(logits).
inline loquat::SamplerOptions plain_draw(std::uint64_t seed = 1) {
  loquat::SamplerOptions options;
  options.temperature = 1;
  options.top_k = 0;
  options.top_p = 1;
  options.seed = seed;
  return options;
}

inline std::vector<loquat::Token> draws(loquat::Sampler& sampler, const std::vector<float>& logits, int n) {
  std::vector<loquat::Token> tokens;
  for (int i = 0; i < n; ++i) {
    auto token = sampler.sample(logits);
    REQUIRE(token);
    tokens.push_back(*token);
  }
  return tokens;
}

/// The ids that come up in `n` draws.
inline std::set<loquat::Token> support_of(const loquat::SamplerOptions& options, const std::vector<float>& logits,
                                          int n = 4000) {
  loquat::Sampler sampler = make_sampler(options);
  const auto tokens = draws(sampler, logits, n);
  return {tokens.begin(), tokens.end()};
}

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SAMPLING_SUPPORT_HPP
