// SPDX-License-Identifier: MIT
// Deterministic test data: the same numbers on every machine and with every standard library.
#ifndef LOQUAT_TESTS_SUPPORT_DATA_HPP
#define LOQUAT_TESTS_SUPPORT_DATA_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace loquat_test {

/// A generator (splitmix64). Declare it with LOQUAT_TEST_DATA, so that a failing check prints the seed.
class Data {
 public:
  explicit Data(std::uint64_t seed) : seed_(seed), state_(seed) {}

  std::uint64_t seed() const { return seed_; }
  std::uint64_t bits();
  /// A whole number in [least, most].
  std::int64_t whole(std::int64_t least, std::int64_t most);
  /// A float in [least, most).
  float uniform(float least, float most);
  /// Roughly normal, deviation 1 (sum of 12 uniforms): like weights and activations.
  float normal();

  std::vector<float> uniforms(std::size_t n, float least, float most);
  std::vector<float> normals(std::size_t n, float deviation = 1);
  std::vector<std::byte> bytes(std::size_t n);

 private:
  std::uint64_t seed_;
  std::uint64_t state_;
};

}  // namespace loquat_test

/// LOQUAT_TEST_DATA(data, 42); ... data.normals(256) ... Any failing check in this scope prints the seed.
#define LOQUAT_TEST_DATA(name, seed_value) \
  loquat_test::Data name(seed_value);      \
  INFO("data seed " << name.seed())

#endif  // LOQUAT_TESTS_SUPPORT_DATA_HPP
