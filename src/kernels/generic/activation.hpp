// SPDX-License-Identifier: MIT
// Element-wise steps between the products of a layer.
#ifndef LOQUAT_KERNELS_GENERIC_ACTIVATION_HPP
#define LOQUAT_KERNELS_GENERIC_ACTIVATION_HPP

#include <cstddef>

#include "kernels/generic/math.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::generic {

/// y[i] = step(y[i], x[i]) in the level's whole width, the last few through partial loads.
template <class V, class Step>
void update_each(float* y, const float* x, std::size_t n, const Step& step) noexcept {
  std::size_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) V::store(y + i, step(V::load(y + i), V::load(x + i)));
  if (i < n) {
    const std::size_t rest = n - i;
    V::store_first(y + i, step(V::load_first(y + i, rest), V::load_first(x + i, rest)), rest);
  }
}

template <class Simd>
void add(float* y, const float* x, std::size_t n) noexcept {
  using F32 = typename Simd::Wide::F32;
  update_each<typename Simd::Wide>(y, x, n, [](F32 a, F32 b) noexcept { return a + b; });
}

template <class Simd>
void silu_multiply(float* gate, const float* up, std::size_t n) noexcept {
  using F32 = typename Simd::Wide::F32;
  update_each<typename Simd::Wide>(gate, up, n, [](F32 a, F32 b) noexcept { return silu<typename Simd::Wide>(a) * b; });
}

}  // namespace loquat::inline LOQUAT_ABI::kernels::generic

#endif  // LOQUAT_KERNELS_GENERIC_ACTIVATION_HPP
