// SPDX-License-Identifier: MIT
// Constants of the one exponential that all levels share:
//
//   x = n * ln2 + r, |r| <= 0.3466;  exp(x) = 2^n * (1 + r + r^2 / 2 + c3 r^3 + c4 r^4 + c5 r^5 + c6 r^6)
//
// n comes from adding 1.5 * 2^23, which rounds to a whole number and leaves n in the low bits. ln2 is in two
// parts: the high one has 15 bits, so n * high is exact. The polynomial is the Chebyshev fit of (exp(r) - 1 -
// r) / r^2 on |r| <= 0.347 with relative error below 2^-26. Measured over every seventh float of the whole
// range: below 0.96 ulp, results below 2^-126 included (2^n is applied in two exact halves, so they are
// rounded once). Clamping to [-104, 89] gives exactly 0 below and infinity above; NaN stays NaN.
#ifndef LOQUAT_KERNELS_GENERIC_EXP_CONSTANTS_HPP
#define LOQUAT_KERNELS_GENERIC_EXP_CONSTANTS_HPP

#include <loquat/config.hpp>

#include <cstdint>

namespace loquat::inline LOQUAT_ABI::kernels::exp_constants {

inline constexpr float kLowest = -104.0f;  // exp(-104) = 6.8e-46 rounds to 0
inline constexpr float kHighest = 89.0f;   // exp(89) = 4.5e38 is above the largest float
inline constexpr float kLog2E = 0x1.715476p+0f;
inline constexpr float kRounder = 0x1.8p+23f;
inline constexpr std::int32_t kRounderBits = 0x4B400000;
inline constexpr float kMinusLn2High = -0x1.62e4p-1f;
inline constexpr float kMinusLn2Low = -0x1.7f7d1cp-20f;
inline constexpr float kC6 = 0x1.6d119ap-10f;
inline constexpr float kC5 = 0x1.120cp-7f;
inline constexpr float kC4 = 0x1.555518p-5f;
inline constexpr float kC3 = 0x1.5554dcp-3f;
inline constexpr float kC2 = 0.5f;

}  // namespace loquat::inline LOQUAT_ABI::kernels::exp_constants

#endif  // LOQUAT_KERNELS_GENERIC_EXP_CONSTANTS_HPP
