// SPDX-License-Identifier: MIT
// Elementary functions on vectors: the steps of generic/exp_constants.hpp and of the reference level, lane by lane.
#ifndef LOQUAT_KERNELS_GENERIC_MATH_HPP
#define LOQUAT_KERNELS_GENERIC_MATH_HPP

#include "kernels/generic/exp_constants.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::generic {

/// Below 0.96 ulp; 0 below -103.97, infinity above 88.72. V::min and V::max return their second operand where one is NaN.
template <class V>
typename V::F32 exp(typename V::F32 x) noexcept {
  using namespace exp_constants;
  using F32 = typename V::F32;
  x = V::max(V::splat(kLowest), V::min(V::splat(kHighest), x));
  const F32 shifted = V::fma(x, V::splat(kLog2E), V::splat(kRounder));
  const F32 n = shifted - V::splat(kRounder);
  const F32 r = V::fma(n, V::splat(kMinusLn2Low), V::fma(n, V::splat(kMinusLn2High), x));
  F32 p = V::fma(V::splat(kC6), r, V::splat(kC5));
  p = V::fma(p, r, V::splat(kC4));
  p = V::fma(p, r, V::splat(kC3));
  p = V::fma(p, r, V::splat(kC2));
  p = V::fma(p, r, V::splat(1.0f));
  p = V::fma(p, r, V::splat(1.0f));
  return V::scale_by_power(p, shifted);
}

/// x / (1 + exp(-x))
template <class V>
typename V::F32 silu(typename V::F32 x) noexcept {
  return x / (V::splat(1.0f) + exp<V>(V::negate(x)));
}

}  // namespace loquat::inline LOQUAT_ABI::kernels::generic

#endif  // LOQUAT_KERNELS_GENERIC_MATH_HPP
