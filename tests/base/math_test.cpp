// SPDX-License-Identifier: MIT
#include "base/math.hpp"

#include <cmath>

#include "support/catch.hpp"

using namespace loquat;

namespace {
double relative_error(double got, double want) { return std::abs(got - want) / std::abs(want); }
}  // namespace

TEST_CASE("exp and log stay within their bounds of libm") {
  double worst_exp = 0;
  double worst_log = 0;
  for (int i = -70000; i <= 70000; ++i) {
    const double x = i * 0.01;
    worst_exp = std::max(worst_exp, relative_error(exact_exp(x), std::exp(x)));
    if (i != 0) {
      const double y = std::abs(x) * 1.37;
      worst_log = std::max(worst_log, std::abs(exact_log(y) - std::log(y)) / std::max(1.0, std::abs(std::log(y))));
    }
  }
  CHECK(worst_exp < 0x1p-50);
  CHECK(worst_log < 0x1p-50);
  CHECK(exact_exp(-800) == 0);
  CHECK(std::isinf(exact_exp(710)));
  CHECK(std::isinf(exact_log(0)));
  CHECK(std::isnan(exact_log(-1)));
  CHECK(std::isnan(exact_exp(std::nan(""))));
}

TEST_CASE("pow gives rotary frequencies within its bound") {
  for (double base : {10000.0, 100000.0, 500000.0, 1e6, 1e7}) {
    for (int i = 0; i < 128; ++i) CHECK(relative_error(exact_pow(base, -i / 128.0), std::pow(base, -i / 128.0)) < 0x1p-44);
  }
}

TEST_CASE("sine and cosine stay within their bound up to a million radians") {
  double worst = 0;
  for (int i = -200000; i <= 200000; ++i) {
    const double x = i * 5.000123;
    const SinCos got = exact_sincos(x);
    worst = std::max({worst, std::abs(got.sin - std::sin(x)), std::abs(got.cos - std::cos(x))});
  }
  CHECK(worst < 0x1p-48);
}
