// SPDX-License-Identifier: MIT
// Rotary position embedding: (a, b) -> (fma(-b, sin, a*cos), fma(a, sin, b*cos)).
//
// Layout "neighbours" keeps pairs in place: with the vector x = (a0 b0 a1 b1 ...), x' = (b0 a0 b1 a1 ...), c = (c0 c0 c1
// c1 ...) and s = (-s0 s0 -s1 s1 ...) the turn is fma(x', s, x*c); the product b * -s has the bits of -b * s.
#ifndef LOQUAT_KERNELS_GENERIC_ROPE_HPP
#define LOQUAT_KERNELS_GENERIC_ROPE_HPP

#include <cstddef>

#include "kernels/kernels.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::generic {

template <class V>
void turn_halves(float* head, std::size_t n_pairs, const float* cos, const float* sin) noexcept {
  using F32 = typename V::F32;
  const auto turn_first = [](F32 a, F32 b, F32 c, F32 s) noexcept { return V::fma(V::negate(b), s, a * c); };
  const auto turn_second = [](F32 a, F32 b, F32 c, F32 s) noexcept { return V::fma(a, s, b * c); };
  std::size_t i = 0;
  for (; i + V::kLanes <= n_pairs; i += V::kLanes) {
    const F32 a = V::load(head + i), b = V::load(head + n_pairs + i), c = V::load(cos + i), s = V::load(sin + i);
    V::store(head + i, turn_first(a, b, c, s));
    V::store(head + n_pairs + i, turn_second(a, b, c, s));
  }
  if (i == n_pairs) return;
  const std::size_t rest = n_pairs - i;
  const F32 a = V::load_first(head + i, rest), b = V::load_first(head + n_pairs + i, rest);
  const F32 c = V::load_first(cos + i, rest), s = V::load_first(sin + i, rest);
  V::store_first(head + i, turn_first(a, b, c, s), rest);
  V::store_first(head + n_pairs + i, turn_second(a, b, c, s), rest);
}

template <class V>
void turn_neighbours(float* head, std::size_t n_pairs, const float* cos, const float* sin) noexcept {
  using F32 = typename V::F32;
  constexpr std::size_t kPairs = V::kLanes / 2;
  const auto turn = [](F32 x, F32 c, F32 s) noexcept {
    return V::fma(V::swap_neighbours(x), V::negate_even(V::double_low_half(s)), x * V::double_low_half(c));
  };
  for (std::size_t i = 0; i < n_pairs; i += kPairs) {
    const std::size_t rest = n_pairs - i < kPairs ? n_pairs - i : kPairs;
    const F32 x = V::load_first(head + 2 * i, 2 * rest);
    V::store_first(head + 2 * i, turn(x, V::load_first(cos + i, rest), V::load_first(sin + i, rest)), 2 * rest);
  }
}

template <class Simd>
void rope(float* heads, std::size_t n_heads, std::size_t head_width, std::size_t rotary, RopeLayout layout,
          const float* cos, const float* sin) noexcept {
  using V = typename Simd::Wide;
  const auto turn = layout == RopeLayout::halves ? turn_halves<V> : turn_neighbours<V>;
  for (std::size_t head = 0; head < n_heads; ++head) turn(heads + head * head_width, rotary / 2, cos, sin);
}

}  // namespace loquat::inline LOQUAT_ABI::kernels::generic

#endif  // LOQUAT_KERNELS_GENERIC_ROPE_HPP
