// SPDX-License-Identifier: MIT
// Comparing rows of numbers: within a bound, or bit for bit. A failure names the worst place.
#ifndef LOQUAT_TESTS_SUPPORT_COMPARE_HPP
#define LOQUAT_TESTS_SUPPORT_COMPARE_HPP

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace loquat_test {

/// Empty when got and want have one length and |got - want| <= bound everywhere; else the worst index, both values and
/// the bound there. A NaN equals nothing but a NaN, an infinity only itself.
std::string describe_distance(std::span<const float> got, std::span<const float> want,
                              const std::function<double(std::size_t)>& bound);
/// Empty when the bits are the same; else the first different index, both values, and how many differ.
std::string describe_bit_difference(std::span<const float> got, std::span<const float> want);

/// Checks (as Catch2's CHECK does) that got is within `bound` of want everywhere.
void expect_close(std::span<const float> got, std::span<const float> want, double bound);
/// The same with a bound for each index.
void expect_close(std::span<const float> got, std::span<const float> want,
                  const std::function<double(std::size_t)>& bound);
/// Checks that got and want are the same bits (promises D1, D2).
void expect_same_bits(std::span<const float> got, std::span<const float> want);

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SUPPORT_COMPARE_HPP
