// SPDX-License-Identifier: MIT
#include "sampling/generator.hpp"

#include <cstdint>

#include "support/catch.hpp"

using namespace loquat::sampling;

TEST_CASE("SplitMix64 gives its published numbers (D3)") {
  std::uint64_t state = 1234567;
  CHECK(split_mix_64(state) == 6457827717110365317u);
  CHECK(split_mix_64(state) == 3203168211198807973u);
  CHECK(split_mix_64(state) == 9817491932198370423u);
  CHECK(split_mix_64(state) == 4593380528125082431u);
  CHECK(split_mix_64(state) == 16408922859458223821u);
}

TEST_CASE("xoshiro256** seeded through SplitMix64 starts with its recorded numbers (D3)") {
  struct Row {
    std::uint64_t seed;
    std::uint64_t outputs[4];
  };
  // From an independent implementation that gives the published 11520, 0, 1509978240 for the state 1, 2,
  // 3, 4.
  const Row rows[] = {
      {0, {11091344671253066420u, 13793997310169335082u, 1900383378846508768u, 7684712102626143532u}},
      {7, {12923355070828475994u, 5142052590334782674u, 15488392906492639638u, 18098058644649177664u}},
      {~std::uint64_t{0}, {10328197420357168392u, 14156678507024973869u, 9357971779955476126u, 13791585006304312367u}},
  };
  for (const Row& row : rows) {
    Generator generator(row.seed);
    for (std::uint64_t output : row.outputs) CHECK(generator.next() == output);
  }
}

TEST_CASE("fractions are below one and use the upper bits") {
  Generator generator(7);
  CHECK(generator.next_fraction() == static_cast<double>(12923355070828475994u >> 11) / 9007199254740992.0);
  for (int i = 0; i < 10000; ++i) {
    const double fraction = generator.next_fraction();
    REQUIRE(fraction >= 0);
    REQUIRE(fraction < 1);
  }
}
