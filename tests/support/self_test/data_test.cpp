// SPDX-License-Identifier: MIT
#include "support/data.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/catch.hpp"

using loquat_test::Data;

TEST_CASE("test data of a seed are the published sequence, and of another seed other ones") {
  Data data(1234567);
  CHECK(data.bits() == 6457827717110365317u);  // splitmix64's well-known first outputs for this seed
  CHECK(data.bits() == 3203168211198807973u);
  CHECK(Data(1).bytes(16) == Data(1).bytes(16));
  CHECK(Data(1).bytes(16) != Data(2).bytes(16));
}

TEST_CASE("test data keep their ranges and reach their ends") {
  LOQUAT_TEST_DATA(data, 5);
  bool has_least = false;
  bool has_most = false;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t value = data.whole(-3, 4);
    REQUIRE((value >= -3 && value <= 4));
    has_least |= value == -3;
    has_most |= value == 4;
  }
  CHECK((has_least && has_most));
  const std::vector<float> uniforms = data.uniforms(1000, -2, 3);
  CHECK(std::ranges::all_of(uniforms, [](float x) { return x >= -2 && x < 3; }));
  const std::vector<float> normals = data.normals(10000, 2);
  const double mean = std::accumulate(normals.begin(), normals.end(), 0.0) / 10000;
  const double variance =
      std::accumulate(normals.begin(), normals.end(), 0.0, [](double sum, float x) { return sum + x * x; }) / 10000;
  CHECK(std::abs(mean) < 0.1);
  CHECK(std::abs(variance - 4) < 0.3);
}
