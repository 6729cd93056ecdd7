// SPDX-License-Identifier: MIT
// The random generator, specified to the bit: std:: distributions differ from library to library (promise
// D3).
#ifndef LOQUAT_SAMPLING_GENERATOR_HPP
#define LOQUAT_SAMPLING_GENERATOR_HPP

#include <loquat/config.hpp>

#include <cstdint>

namespace loquat::inline LOQUAT_ABI::sampling {

/// One step of SplitMix64: spreads a seed over the generator's state.
///
/// Source    Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014
std::uint64_t split_mix_64(std::uint64_t& state) noexcept;

/// xoshiro256**: 256 bits of state, period 2^256 - 1.
///
/// Source    Blackman, Vigna: Scrambled Linear Pseudorandom Number Generators, 2018
class Generator {
 public:
  /// The state is the first four outputs of SplitMix64 from `seed`.
  explicit Generator(std::uint64_t seed) noexcept;

  std::uint64_t next() noexcept;
  /// The upper 53 bits of next() as a fraction in [0, 1).
  double next_fraction() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_[4];
};

}  // namespace loquat::inline LOQUAT_ABI::sampling

#endif  // LOQUAT_SAMPLING_GENERATOR_HPP
