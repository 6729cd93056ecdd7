// SPDX-License-Identifier: MIT
#include "sampling/support.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {
const std::vector<float> kFlat(1000, 0.0f);
}

TEST_CASE("equal seeds give equal draws, also the edges of the range (Z6, D3)") {
  for (std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    Sampler a = make_sampler(plain_draw(seed));
    Sampler b = make_sampler(plain_draw(seed));
    CHECK(a.seed() == seed);
    CHECK(draws(a, kFlat, 20) == draws(b, kFlat, 20));
  }
}

TEST_CASE("random seeds differ, and the seed in use repeats the draws (Z6)") {
  SamplerOptions options = plain_draw();
  options.seed = Seed::random();
  Sampler a = make_sampler(options);
  Sampler b = make_sampler(options);
  CHECK(a.seed() != b.seed());
  Sampler again = make_sampler(plain_draw(a.seed()));
  CHECK(draws(a, kFlat, 20) == draws(again, kFlat, 20));
}

TEST_CASE("draws of a seed are recorded (D3)") {
  // Flat logits over 1000 ids: the id is the first whose share of the mass lies above the fraction.
  Sampler sampler = make_sampler(plain_draw(7));
  CHECK(draws(sampler, kFlat, 4) == std::vector<Token>{700, 278, 839, 981});
  Sampler zero = make_sampler(plain_draw(0));
  CHECK(draws(zero, kFlat, 4) == std::vector<Token>{601, 747, 103, 416});
}

TEST_CASE("samplers do not share a generator (Z6)") {
  Sampler alone = make_sampler(plain_draw(7));
  Sampler mixed = make_sampler(plain_draw(7));
  Sampler other = make_sampler(plain_draw(8));
  const auto expected = draws(alone, kFlat, 20);
  for (Token token : expected) {
    CHECK(*mixed.sample(kFlat) == token);
    REQUIRE(other.sample(kFlat));
  }
}
