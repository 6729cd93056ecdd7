// SPDX-License-Identifier: MIT
#include "support/compare.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <sstream>

#include "support/catch.hpp"

namespace loquat_test {

namespace {

std::string describe_lengths(std::size_t got, std::size_t want) {
  return got == want ? std::string() : "lengths differ: got " + std::to_string(got) + ", want " + std::to_string(want);
}

double distance(float got, float want) {
  if (std::isnan(got) && std::isnan(want)) return 0;
  if (got == want) return 0;
  const double d = std::abs(static_cast<double>(got) - static_cast<double>(want));
  return std::isnan(d) ? INFINITY : d;
}

}  // namespace

std::string describe_distance(std::span<const float> got, std::span<const float> want,
                              const std::function<double(std::size_t)>& bound) {
  if (got.size() != want.size()) return describe_lengths(got.size(), want.size());
  std::size_t n_outside = 0;
  std::size_t worst = 0;
  double worst_excess = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double excess = distance(got[i], want[i]) - bound(i);
    if (excess <= 0) continue;
    if (n_outside++ == 0 || excess > worst_excess) {
      worst = i;
      worst_excess = excess;
    }
  }
  if (n_outside == 0) return {};
  std::ostringstream text;
  text.precision(9);
  text << n_outside << " of " << got.size() << " outside the bound; worst at " << worst << ": got " << got[worst]
       << ", want " << want[worst] << ", distance " << distance(got[worst], want[worst]) << ", bound " << bound(worst);
  return text.str();
}

std::string describe_bit_difference(std::span<const float> got, std::span<const float> want) {
  if (got.size() != want.size()) return describe_lengths(got.size(), want.size());
  std::size_t n_different = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(got[i]) == std::bit_cast<std::uint32_t>(want[i])) continue;
    if (n_different++ == 0) first = i;
  }
  if (n_different == 0) return {};
  std::ostringstream text;
  text << n_different << " of " << got.size() << " differ; first at " << first << ": got " << std::hexfloat
       << got[first] << ", want " << want[first];
  return text.str();
}

void expect_close(std::span<const float> got, std::span<const float> want, double bound) {
  expect_close(got, want, [bound](std::size_t) { return bound; });
}

void expect_close(std::span<const float> got, std::span<const float> want,
                  const std::function<double(std::size_t)>& bound) {
  const std::string difference = describe_distance(got, want, bound);
  INFO(difference);
  CHECK(difference.empty());
}

void expect_same_bits(std::span<const float> got, std::span<const float> want) {
  const std::string difference = describe_bit_difference(got, want);
  INFO(difference);
  CHECK(difference.empty());
}

}  // namespace loquat_test
