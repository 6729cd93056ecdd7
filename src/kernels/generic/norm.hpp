// SPDX-License-Identifier: MIT
// Root-mean-square norm. The sum runs in eight lanes at every level (sum8), so it is bound by the latency of one chain
// of fma: n / 8 * 4 cycles, 0.1 us for 576 values; the scaling pass uses the level's whole width.
#ifndef LOQUAT_KERNELS_GENERIC_NORM_HPP
#define LOQUAT_KERNELS_GENERIC_NORM_HPP

#include <loquat/config.hpp>

#include <cstddef>

namespace loquat::inline LOQUAT_ABI::kernels::generic {

/// sum8 of x*x.
template <class Simd>
float sum_of_squares(const float* x, std::size_t n) noexcept {
  using Eight = typename Simd::Eight;
  auto sum = Eight::splat(0.0f);
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const auto value = Eight::load(x + i);
    sum = Eight::fma(value, value, sum);
  }
  if (i < n) {
    const auto value = Eight::load_first(x + i, n - i);
    sum = Eight::fma(value, value, sum);
  }
  return Eight::fold(sum);
}

template <class Simd>
void rms_norm(const float* x, const float* w, float epsilon, float* y, std::size_t n) noexcept {
  using V = typename Simd::Wide;
  const float mean = sum_of_squares<Simd>(x, n) / static_cast<float>(n);
  const auto r = V::splat(1.0f) / V::sqrt(V::splat(mean + epsilon));
  std::size_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) {
    const auto scaled = V::load(x + i) * r;
    V::store(y + i, w != nullptr ? scaled * V::load(w + i) : scaled);
  }
  if (i < n) {
    const auto scaled = V::load_first(x + i, n - i) * r;
    V::store_first(y + i, w != nullptr ? scaled * V::load_first(w + i, n - i) : scaled, n - i);
  }
}

}  // namespace loquat::inline LOQUAT_ABI::kernels::generic

#endif  // LOQUAT_KERNELS_GENERIC_NORM_HPP
