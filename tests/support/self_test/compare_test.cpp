// SPDX-License-Identifier: MIT
#include "support/compare.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"

using loquat_test::describe_bit_difference;
using loquat_test::describe_distance;

namespace {
const auto kBound = [](std::size_t) { return 0.25; };
}

TEST_CASE("a distance within the bound is no finding, one outside names the worst index") {
  const std::vector<float> want = {1, 2, 3, 4};
  CHECK(describe_distance(std::vector<float>{1.25f, 2, 3, 3.75f}, want, kBound).empty());
  const std::string found = describe_distance(std::vector<float>{1.5f, 2, 4, 4}, want, kBound);
  CHECK(found == "2 of 4 outside the bound; worst at 2: got 4, want 3, distance 1, bound 0.25");
}

TEST_CASE("a distance is found for NaN, infinity and lengths") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK_FALSE(describe_distance(std::vector<float>{nan}, std::vector<float>{1}, kBound).empty());
  CHECK_FALSE(describe_distance(std::vector<float>{1}, std::vector<float>{nan}, kBound).empty());
  CHECK(describe_distance(std::vector<float>{nan}, std::vector<float>{nan}, kBound).empty());
  CHECK_FALSE(describe_distance(std::vector<float>{infinity}, std::vector<float>{1e30f}, kBound).empty());
  CHECK_FALSE(describe_distance(std::vector<float>{infinity}, std::vector<float>{-infinity}, kBound).empty());
  CHECK(describe_distance(std::vector<float>{infinity}, std::vector<float>{infinity}, kBound).empty());
  CHECK_FALSE(describe_distance(std::vector<float>{1, 2}, std::vector<float>{1}, kBound).empty());
}

TEST_CASE("a bit difference is found where values compare equal") {
  CHECK(describe_bit_difference(std::vector<float>{1, -0.0f}, std::vector<float>{1, -0.0f}).empty());
  const std::string found = describe_bit_difference(std::vector<float>{1, -0.0f}, std::vector<float>{1, 0.0f});
  CHECK(found == "1 of 2 differ; first at 1: got -0x0p+0, want 0x0p+0");
  CHECK_FALSE(describe_bit_difference(std::vector<float>{1}, std::vector<float>{}).empty());
}
