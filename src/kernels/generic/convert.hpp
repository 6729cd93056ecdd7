// SPDX-License-Identifier: MIT
// Rows of halves to floats and back.
#ifndef LOQUAT_KERNELS_GENERIC_CONVERT_HPP
#define LOQUAT_KERNELS_GENERIC_CONVERT_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>

namespace loquat::inline LOQUAT_ABI::kernels::generic {

/// Clamped to the largest half, so that no infinity enters a cache; NaN stays (V::min and V::max let it pass).
template <class Simd>
void to_half(const float* x, std::uint16_t* y, std::size_t n) noexcept {
  using V = typename Simd::Wide;
  const auto lowest = V::splat(-65504.0f);
  const auto highest = V::splat(65504.0f);
  std::size_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) {
    V::store_half(reinterpret_cast<std::byte*>(y + i), V::max(lowest, V::min(highest, V::load(x + i))));
  }
  if (i == n) return;
  std::uint16_t last[V::kLanes];
  const auto value = V::load_first(x + i, n - i);
  V::store_half(reinterpret_cast<std::byte*>(last), V::max(lowest, V::min(highest, value)));
  for (std::size_t j = 0; i < n; ++i, ++j) y[i] = last[j];
}

template <class Simd>
void to_float(const std::uint16_t* x, float* y, std::size_t n) noexcept {
  using V = typename Simd::Wide;
  std::size_t i = 0;
  for (; i + V::kLanes <= n; i += V::kLanes) V::store(y + i, V::load_half(reinterpret_cast<const std::byte*>(x + i)));
  if (i == n) return;
  std::uint16_t last[V::kLanes] = {};
  for (std::size_t j = 0; j < n - i; ++j) last[j] = x[i + j];
  V::store_first(y + i, V::load_half(reinterpret_cast<const std::byte*>(last)), n - i);
}

}  // namespace loquat::inline LOQUAT_ABI::kernels::generic

#endif  // LOQUAT_KERNELS_GENERIC_CONVERT_HPP
