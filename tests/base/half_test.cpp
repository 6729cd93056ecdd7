// SPDX-License-Identifier: MIT
#include "base/half.hpp"

#include <cmath>
#include <limits>

#include "support/catch.hpp"

using namespace loquat;

TEST_CASE("every half survives the way to float and back") {
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    const auto half = static_cast<std::uint16_t>(code);
    const float value = half_to_float(half);
    if (std::isnan(value)) {
      CHECK(std::isnan(half_to_float(float_to_half(value))));
    } else if (float_to_half(value) != half) {
      FAIL("half " << code << " came back as " << float_to_half(value));
    }
  }
}

TEST_CASE("float to half rounds to nearest even at the middle of each gap") {
  for (std::uint16_t half = 0; half < 0x7BFF; ++half) {
    const float low = half_to_float(half);
    const float high = half_to_float(static_cast<std::uint16_t>(half + 1));
    const float middle = low + (high - low) / 2;
    const std::uint16_t even = (half & 1u) == 0 ? half : static_cast<std::uint16_t>(half + 1);
    if (float_to_half(middle) != even) FAIL("middle above " << half);
    if (float_to_half(std::nextafter(middle, low)) != half) FAIL("just below the middle above " << half);
    if (float_to_half(std::nextafter(middle, high)) != half + 1) FAIL("just above the middle above " << half);
  }
  CHECK(float_to_half(65519.0f) == 0x7BFF);
  CHECK(float_to_half(65520.0f) == 0x7C00);
  CHECK(float_to_half(-std::numeric_limits<float>::infinity()) == 0xFC00);
}

TEST_CASE("bfloat rounds to nearest even and keeps NaN") {
  CHECK(bfloat_to_float(float_to_bfloat(1.0f)) == 1.0f);
  CHECK(float_to_bfloat(std::bit_cast<float>(0x3F808000u)) == 0x3F80);
  CHECK(float_to_bfloat(std::bit_cast<float>(0x3F818000u)) == 0x3F82);
  CHECK(std::isnan(bfloat_to_float(float_to_bfloat(std::numeric_limits<float>::quiet_NaN()))));
}
