// SPDX-License-Identifier: MIT
// The heart of all quantized products: one block of 32 k of R vectors of rows with C columns, and the two places from
// which its weights can come. Over a level's vocabulary S; included by one unit a level.
//
// A source of weights W has
//   kBits, kOffset, kHasMin, kHasHalves   as a format (panel_formats.hpp), for the codes that it hands out
//   code(step)                            the codes of step 0..7
//   scale(), min(), half_scale(half)      floats, one a row
//
// S::Dot<kBits, kOffset> sums products of codes exactly; its bounds are explained in each level's vocabulary.
#ifndef LOQUAT_KERNELS_GENERIC_MULTIPLY_BLOCK_HPP
#define LOQUAT_KERNELS_GENERIC_MULTIPLY_BLOCK_HPP

#include "kernels/generic/compiler.hpp"
#include "kernels/generic/panel_formats.hpp"
#include "kernels/generic/quantized_input.hpp"

namespace loquat::inline LOQUAT_ABI::kernels {
namespace {

/// Weights in a packed panel, unpacked in registers.
template <class S, class F>
struct PackedBlock {
  static constexpr int kBits = F::kBits, kOffset = F::kOffset;
  static constexpr bool kHasMin = F::kHasMin, kHasHalves = F::kHasHalves;
  const uint8_t* header;  ///< of the group
  const uint8_t* block;
  size_t index;  ///< of the block in its group
  size_t part;

  LOQUAT_KERNEL_INLINE typename S::Bytes code(size_t step) const noexcept {
    return S::template prepare_packed<F>(F::code(block, part, step));
  }
  LOQUAT_KERNEL_INLINE typename S::Float scale() const noexcept { return F::scale(header, index, part); }
  LOQUAT_KERNEL_INLINE typename S::Float min() const noexcept { return F::min(header, index, part); }
  LOQUAT_KERNEL_INLINE typename S::Float half_scale(size_t half) const noexcept {
    return F::half_scale(header, index, half, part);
  }
};

/// Weights unpacked to scratch: codes 8 x 64 bytes as the level's Dot wants them, then rows of 16 floats: scale, and min
/// or two half scales.
template <class S, class F>
struct UnpackedBlock {
  static constexpr int kBits = F::kBits, kOffset = S::template record_offset<F>();
  static constexpr bool kHasMin = F::kHasMin, kHasHalves = F::kHasHalves;
  static constexpr size_t kScale = kSteps * kPanelVector;
  static constexpr size_t kMin = kScale + kPanelVector;  ///< or the first half scale
  static constexpr size_t kBytes = kMin + (kHasMin ? 1 : 0) * kPanelVector + (kHasHalves ? 2 : 0) * kPanelVector;
  const uint8_t* record;  ///< plus part_bytes(): rows of codes and of floats are both 64 bytes

  LOQUAT_KERNEL_INLINE typename S::Bytes code(size_t step) const noexcept {
    return S::load_bytes(record + step * kPanelVector);
  }
  LOQUAT_KERNEL_INLINE typename S::Float scale() const noexcept { return S::load(record + kScale); }
  LOQUAT_KERNEL_INLINE typename S::Float min() const noexcept { return S::load(record + kMin); }
  LOQUAT_KERNEL_INLINE typename S::Float half_scale(size_t half) const noexcept {
    return S::load(record + kMin + half * kPanelVector);
  }
};

/// Sums steps [begin, begin + n) of a block: dot [R * C] += codes of R sources x columns of the record x.
template <class S, class W, size_t R, size_t C, class Dot>
LOQUAT_KERNEL_INLINE void sum_steps(const W* w, const uint8_t* x, size_t begin, size_t n, Dot* dot) noexcept {
  LOQUAT_UNROLL for (size_t step = begin; step < begin + n; ++step) {
    typename S::Bytes code[R];
    LOQUAT_UNROLL for (size_t r = 0; r < R; ++r) code[r] = w[r].code(step);
    LOQUAT_UNROLL for (size_t c = 0; c < C; ++c) {
      const uint8_t* four = x + record_codes(C, step, c);
      LOQUAT_UNROLL for (size_t r = 0; r < R; ++r) dot[r * C + c].step(step, code[r], four);
    }
  }
}

/// acc [R * C] += one block, for types with one scale a block.
template <class S, class W, size_t R, size_t C>
LOQUAT_KERNEL_INLINE void multiply_plain_block(const W* w, const uint8_t* x, typename S::Float* acc) noexcept {
  typename S::template Dot<W::kBits, W::kOffset> dot[R * C];
  LOQUAT_UNROLL for (size_t c = 0; c < C; ++c) {
    LOQUAT_UNROLL for (size_t r = 0; r < R; ++r) dot[r * C + c].start(x + record_start(C, c));
  }
  sum_steps<S, W, R, C>(w, x, 0, kSteps, dot);
  LOQUAT_UNROLL for (size_t r = 0; r < R; ++r) {
    const typename S::Float scale = w[r].scale();
    LOQUAT_UNROLL for (size_t c = 0; c < C; ++c) {
      typename S::Float& a = acc[r * C + c];
      const typename S::Float sum = S::to_float(dot[r * C + c].total(x + record_start(C, c)));
      a = S::fma(S::mul(scale, S::splat(x + record_scale(C, c))), sum, a);
    }
    if constexpr (W::kHasMin) {
      const typename S::Float min = w[r].min();
      LOQUAT_UNROLL for (size_t c = 0; c < C; ++c) {
        typename S::Float& a = acc[r * C + c];
        a = S::fma(min, S::splat(x + record_scaled_sum(C, c)), a);
      }
    }
  }
}

/// The same for types with a whole-number scale for each 16 k: |scale * sum| <= 128 * 16 * 32 * 127, and two of these stay
/// below 2^24, so that float arithmetic on them is exact.
template <class S, class W, size_t R, size_t C>
LOQUAT_KERNEL_INLINE void multiply_halves_block(const W* w, const uint8_t* x, typename S::Float* acc) noexcept {
  typename S::Float halves[R * C];
  LOQUAT_UNROLL for (size_t half = 0; half < 2; ++half) {
    typename S::template Dot<W::kBits, W::kOffset> dot[R * C];
    LOQUAT_UNROLL for (size_t c = 0; c < C; ++c) {
      LOQUAT_UNROLL for (size_t r = 0; r < R; ++r) dot[r * C + c].start(x + record_start_half(C, half, c));
    }
    sum_steps<S, W, R, C>(w, x, half * kSteps / 2, kSteps / 2, dot);
    LOQUAT_UNROLL for (size_t r = 0; r < R; ++r) {
      const typename S::Float scale = w[r].half_scale(half);
      LOQUAT_UNROLL for (size_t c = 0; c < C; ++c) {
        const typename S::Float sum = S::to_float(dot[r * C + c].total(x + record_start_half(C, half, c)));
        halves[r * C + c] = half == 0 ? S::mul(scale, sum) : S::fma_exact(scale, sum, halves[r * C + c]);
      }
    }
  }
  LOQUAT_UNROLL for (size_t r = 0; r < R; ++r) {
    const typename S::Float scale = w[r].scale();
    LOQUAT_UNROLL for (size_t c = 0; c < C; ++c) {
      typename S::Float& a = acc[r * C + c];
      a = S::fma(S::mul(scale, S::splat(x + record_scale(C, c))), halves[r * C + c], a);
    }
  }
}

template <class S, class W, size_t R, size_t C>
LOQUAT_KERNEL_INLINE void multiply_block(const W* w, const uint8_t* x, typename S::Float* acc) noexcept {
  if constexpr (W::kHasHalves) {
    multiply_halves_block<S, W, R, C>(w, x, acc);
  } else {
    multiply_plain_block<S, W, R, C>(w, x, acc);
  }
}

}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels

#endif  // LOQUAT_KERNELS_GENERIC_MULTIPLY_BLOCK_HPP
