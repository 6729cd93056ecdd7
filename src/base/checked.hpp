// SPDX-License-Identifier: MIT
// Arithmetic on numbers that come from files: the answer, or false. Nothing here wraps.
#ifndef LOQUAT_BASE_CHECKED_HPP
#define LOQUAT_BASE_CHECKED_HPP

#include <loquat/config.hpp>

#include <cstdint>
#include <limits>

namespace loquat::inline LOQUAT_ABI {

[[nodiscard]] constexpr bool checked_add(std::uint64_t a, std::uint64_t b, std::uint64_t& sum) noexcept {
  if (b > std::numeric_limits<std::uint64_t>::max() - a) return false;
  sum = a + b;
  return true;
}

[[nodiscard]] constexpr bool checked_multiply(std::uint64_t a, std::uint64_t b, std::uint64_t& product) noexcept {
  if (a != 0 && b > std::numeric_limits<std::uint64_t>::max() / a) return false;
  product = a * b;
  return true;
}

/// Requires  alignment is a power of two
[[nodiscard]] constexpr bool checked_align(std::uint64_t value, std::uint64_t alignment,
                                           std::uint64_t& aligned) noexcept {
  std::uint64_t sum = 0;
  if (!checked_add(value, alignment - 1, sum)) return false;
  aligned = sum & ~(alignment - 1);
  return true;
}

/// For sizes already proven small.
constexpr std::size_t align_up(std::size_t value, std::size_t alignment) noexcept {
  return (value + alignment - 1) / alignment * alignment;
}
constexpr std::size_t divide_up(std::size_t value, std::size_t divisor) noexcept {
  return (value + divisor - 1) / divisor;
}

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_BASE_CHECKED_HPP
