// SPDX-License-Identifier: MIT
// Argument reduction and Taylor/minimax series in double, no libm, no contraction (see the compile options): the same
// bits on every IEEE machine. Coefficients are the series' own fractions, so the bounds can be checked by hand.
#include "base/math.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace loquat::inline LOQUAT_ABI {

namespace {

constexpr double kLn2High = 0x1.62e42fee00000p-1;  // 32 leading bits: n * high is exact for |n| < 2^20
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

double scale_by_power(double x, int exponent) noexcept {  // exponent in -1074..1024, in two exact steps
  const int half = exponent / 2;
  const auto power = [](int e) { return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52); };
  return x * power(half) * power(exponent - half);
}

}  // namespace

double exact_exp(double x) noexcept {
  if (x != x) return x;
  if (x > 709.782712893384) return std::numeric_limits<double>::infinity();
  if (x < -745.2) return 0.0;
  const double scaled = x * 1.4426950408889634;
  const auto n = static_cast<int>(scaled + (scaled < 0 ? -0.5 : 0.5));
  const double r = (x - n * kLn2High) - n * kLn2Low;  // |r| <= 0.3466
  double sum = 1.0;
  for (int i = 13; i >= 1; --i) sum = 1.0 + sum * r / i;  // next term: 0.3466^14 / 14! < 2^-57
  return scale_by_power(sum, n);
}

double exact_log(double x) noexcept {
  if (x != x || x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (x == std::numeric_limits<double>::infinity()) return x;
  int exponent = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    exponent = -54;
  }
  std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0xFFFFFFFFFFFFFull) | 0x3FF0000000000000ull);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  const double t = (m - 1) / (m + 1);  // |t| <= 0.1716
  const double t2 = t * t;
  double sum = 0;
  for (int i = 21; i >= 3; i -= 2) sum = (sum + 1.0 / i) * t2;  // next term: 0.1716^22 / 23 < 2^-60
  const double log_m = 2 * t + 2 * t * sum;
  return exponent * kLn2High + (exponent * kLn2Low + log_m);
}

double exact_pow(double base, double exponent) noexcept {
  return exact_exp(exponent * exact_log(base));
}

SinCos exact_sincos(double x) noexcept {
  // pi/2 in three parts of 33, 33 and 53 bits: n * part is exact for n < 2^20, nearly so up to 2^30.
  constexpr double kHalfPi1 = 0x1.921fb54400000p+0;
  constexpr double kHalfPi2 = 0x1.0b4611a600000p-34;
  constexpr double kHalfPi3 = 0x1.3198a2e037073p-69;
  if (!(x < 0x1p31 && x > -0x1p31)) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan};
  }
  const double scaled = x * 0.6366197723675814;
  const auto n = static_cast<std::int64_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
  const auto count = static_cast<double>(n);
  const double r = ((x - count * kHalfPi1) - count * kHalfPi2) - count * kHalfPi3;  // |r| <= 0.786
  const double r2 = r * r;
  double sin_sum = 1.0;
  for (int i = 17; i >= 3; i -= 2) sin_sum = 1.0 - sin_sum * r2 / (i * (i - 1));
  double cos_sum = 1.0;
  for (int i = 16; i >= 2; i -= 2) cos_sum = 1.0 - cos_sum * r2 / (i * (i - 1));
  const double s = r * sin_sum;
  const double c = cos_sum;
  switch (n & 3) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    default:
      return {-c, s};
  }
}

}  // namespace loquat::inline LOQUAT_ABI
