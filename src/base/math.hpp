// SPDX-License-Identifier: MIT
// Scalar mathematics with the same bits on every platform: libm's differ from system to system. Plain double
// arithmetic without contraction; for set-up work and sampling, not for hot loops (kernels have their own).
#ifndef LOQUAT_BASE_MATH_HPP
#define LOQUAT_BASE_MATH_HPP

#include <loquat/config.hpp>

namespace loquat::inline LOQUAT_ABI {

/// e^x. Relative error below 2^-50; 0 below -745, infinity above 709.78, NaN for NaN.
double exact_exp(double x) noexcept;
/// Natural logarithm. Relative error below 2^-50; -infinity at 0, NaN below.
double exact_log(double x) noexcept;
/// base^exponent = exp(exponent * log(base)) for base > 0. Relative error below 2^-44 for results in 1e-30..1e30.
double exact_pow(double base, double exponent) noexcept;

struct SinCos {
  double sin;
  double cos;
};
/// Sine and cosine. Absolute error below 2^-48 for |x| < 2^30 (three-part reduction by pi/2).
SinCos exact_sincos(double x) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_BASE_MATH_HPP
