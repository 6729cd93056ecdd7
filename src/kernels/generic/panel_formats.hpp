// SPDX-License-Identifier: MIT
// How each packed type gives its codes and scales: the only part of a product that differs between types. The bytes are
// drawn in quant/panel_layout.hpp. A vector covers 16 / S::kParts rows; `part` says which of a panel.
//
// A format F has
//   kLayout                                 the panel's sizes
//   kBits, kOffset, kHasMin, kHasHalves     width and offset of its codes; a min; two scales in a block
//   code(block, part, step)                 the unsigned codes of step 0..7 of a block
//   scale(header, i, part)                  d (Q6_K) or the whole block scale of block i of the group
//   min(header, i, part)                    where kHasMin: what multiplies scaled_sum, by fma with its sign
//   half_scale(header, i, half, part)       where kHasHalves
#ifndef LOQUAT_KERNELS_GENERIC_PANEL_FORMATS_HPP
#define LOQUAT_KERNELS_GENERIC_PANEL_FORMATS_HPP

#include <loquat/config.hpp>

#include <stddef.h>
#include <stdint.h>

#include "kernels/generic/compiler.hpp"
#include "quant/panel_layout.hpp"

namespace loquat::inline LOQUAT_ABI::kernels {
namespace {

/// Bytes of a row's share of a 64-byte vector, of 16 f16 and of 16 bytes, that lie before `part`.
template <class S>
constexpr size_t part_bytes(size_t part) noexcept {
  return part * (kPanelVector / S::kParts);
}
template <class S>
constexpr size_t part_halves(size_t part) noexcept {
  return part * S::kLanes * 2;
}

/// Nibbles of a step. Steps are constants once the loops are unrolled, and the two halves of a vector one load.
template <class S>
LOQUAT_KERNEL_INLINE typename S::Bytes nibbles(const uint8_t* low, size_t part, size_t step) noexcept {
  const typename S::Bytes pair = S::load_bytes(low + step / 2 * kPanelVector + part_bytes<S>(part));
  return S::and_bytes(step % 2 == 0 ? pair : S::shift_right(pair, 4), S::splat_byte(15));
}

/// The bits under `mask` after a shift to the left by `shift`, which may be negative. Shifts are of 16 bits: the mask
/// removes what crosses bytes.
template <class S>
LOQUAT_KERNEL_INLINE typename S::Bytes shifted_bits(typename S::Bytes bits, int shift, uint8_t mask) noexcept {
  if (shift > 0) bits = S::shift_left(bits, shift);
  if (shift < 0) bits = S::shift_right(bits, -shift);
  return S::and_bytes(bits, S::splat_byte(mask));
}

/// One f16 scale a row and block, two blocks a header: Q4_0, Q5_0, Q8_0.
template <class S>
inline typename S::Float pair_scale(const uint8_t* header, size_t i, size_t part) noexcept {
  return S::load_half(header + i * kHeaderRow + part_halves<S>(part));
}

template <class S>
struct FormatQ4_0 {
  static constexpr PanelLayout kLayout = kPanelQ4_0;
  static constexpr int kBits = 4, kOffset = 8;
  static constexpr bool kHasMin = false, kHasHalves = false;
  static LOQUAT_KERNEL_INLINE typename S::Bytes code(const uint8_t* block, size_t part, size_t step) noexcept {
    return nibbles<S>(block, part, step);
  }
  static LOQUAT_KERNEL_INLINE typename S::Float scale(const uint8_t* header, size_t i, size_t part) noexcept {
    return pair_scale<S>(header, i, part);
  }
};

template <class S>
struct FormatQ4_1 {
  static constexpr PanelLayout kLayout = kPanelQ4_1;
  static constexpr int kBits = 4, kOffset = 0;
  static constexpr bool kHasMin = true, kHasHalves = false;
  static LOQUAT_KERNEL_INLINE typename S::Bytes code(const uint8_t* block, size_t part, size_t step) noexcept {
    return nibbles<S>(block, part, step);
  }
  static LOQUAT_KERNEL_INLINE typename S::Float scale(const uint8_t* header, size_t, size_t part) noexcept {
    return S::load_half(header + part_halves<S>(part));
  }
  static LOQUAT_KERNEL_INLINE typename S::Float min(const uint8_t* header, size_t, size_t part) noexcept {
    return S::load_half(header + kHeaderQ4_1Min + part_halves<S>(part));
  }
};

template <class S>
struct FormatQ5_0 {
  static constexpr PanelLayout kLayout = kPanelQ5_0;
  static constexpr int kBits = 5, kOffset = 16;
  static constexpr bool kHasMin = false, kHasHalves = false;
  static LOQUAT_KERNEL_INLINE typename S::Bytes code(const uint8_t* block, size_t part, size_t step) noexcept {
    const typename S::Bytes high = S::load_bytes(block + part_bytes<S>(part));
    const typename S::Bytes bit4 = shifted_bits<S>(high, 4 - static_cast<int>(step), 16);
    return S::or_bytes(nibbles<S>(block + kLayout.high_bytes, part, step), bit4);
  }
  static LOQUAT_KERNEL_INLINE typename S::Float scale(const uint8_t* header, size_t i, size_t part) noexcept {
    return pair_scale<S>(header, i, part);
  }
};

template <class S>
struct FormatQ8_0 {
  static constexpr PanelLayout kLayout = kPanelQ8_0;
  static constexpr int kBits = 8, kOffset = 128;
  static constexpr bool kHasMin = false, kHasHalves = false;
  static LOQUAT_KERNEL_INLINE typename S::Bytes code(const uint8_t* block, size_t part, size_t step) noexcept {
    return S::load_bytes(block + step * kPanelVector + part_bytes<S>(part));
  }
  static LOQUAT_KERNEL_INLINE typename S::Float scale(const uint8_t* header, size_t i, size_t part) noexcept {
    return pair_scale<S>(header, i, part);
  }
};

// Products of d (11 bits) with 6-bit scales and mins are exact in f32.
template <class S>
struct FormatQ4_K {
  static constexpr PanelLayout kLayout = kPanelQ4_K;
  static constexpr int kBits = 4, kOffset = 0;
  static constexpr bool kHasMin = true, kHasHalves = false;
  static LOQUAT_KERNEL_INLINE typename S::Bytes code(const uint8_t* block, size_t part, size_t step) noexcept {
    return nibbles<S>(block, part, step);
  }
  static LOQUAT_KERNEL_INLINE typename S::Float scale(const uint8_t* header, size_t i, size_t part) noexcept {
    return S::mul(S::load_half(header + part_halves<S>(part)),
                  S::load_u8(header + kHeaderSubScales + i * kPanelLanes + part * S::kLanes));
  }
  static LOQUAT_KERNEL_INLINE typename S::Float min(const uint8_t* header, size_t i, size_t part) noexcept {
    return S::negate(S::mul(S::load_half(header + kHeaderQ4_KMin + part_halves<S>(part)),
                            S::load_u8(header + kHeaderQ4_KSubMins + i * kPanelLanes + part * S::kLanes)));
  }
};

template <class S>
struct FormatQ6_K {
  static constexpr PanelLayout kLayout = kPanelQ6_K;
  static constexpr int kBits = 6, kOffset = 32;
  static constexpr bool kHasMin = false, kHasHalves = true;
  static LOQUAT_KERNEL_INLINE typename S::Bytes code(const uint8_t* block, size_t part, size_t step) noexcept {
    const typename S::Bytes high = S::load_bytes(block + step / 4 * kPanelVector + part_bytes<S>(part));
    const typename S::Bytes bits45 = shifted_bits<S>(high, 4 - static_cast<int>(step % 4) * 2, 48);
    return S::or_bytes(nibbles<S>(block + kLayout.high_bytes, part, step), bits45);
  }
  static LOQUAT_KERNEL_INLINE typename S::Float scale(const uint8_t* header, size_t, size_t part) noexcept {
    return S::load_half(header + part_halves<S>(part));
  }
  static LOQUAT_KERNEL_INLINE typename S::Float half_scale(const uint8_t* header, size_t i, size_t half,
                                                           size_t part) noexcept {
    return S::load_i8(header + kHeaderSubScales + (i * 2 + half) * kPanelLanes + part * S::kLanes);
  }
};

}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels

#endif  // LOQUAT_KERNELS_GENERIC_PANEL_FORMATS_HPP
