// SPDX-License-Identifier: MIT
// How each packed type gives its codes and scales: the only part of a product that differs between types. The bytes are
// drawn in quant/panel_layout.hpp. A vector covers 16 / S::kParts rows; `part` says which of a panel.
//
// A format F has
//   kLayout                                 the panel's sizes
//   kBits, kOffset, kHasMin, kHasHalves     width and offset of its codes; a min; two scales in a block
//   codes(block, part, half, w [4])         the unsigned codes of the 4 steps of a half block
//   scale(header, i, part)                  d (Q6_K) or the whole block scale of block i of the group
//   min(header, i, part)                    where kHasMin: what multiplies scaled_sum, by fma with its sign
//   half_scale(header, i, half, part)       where kHasHalves
#ifndef LOQUAT_KERNELS_GENERIC_PANEL_FORMATS_HPP
#define LOQUAT_KERNELS_GENERIC_PANEL_FORMATS_HPP

#include <loquat/config.hpp>

#include <stddef.h>
#include <stdint.h>

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

/// Nibbles of steps 4 * half .. 4 * half + 3.
template <class S>
inline void unpack_nibbles(const uint8_t* low, size_t part, size_t half, typename S::Bytes* w) noexcept {
  const typename S::Bytes mask = S::splat_byte(15);
  for (size_t i = 0; i < 2; ++i) {
    const typename S::Bytes pair = S::load_bytes(low + (half * 2 + i) * kPanelVector + part_bytes<S>(part));
    w[i * 2] = S::and_bytes(pair, mask);
    w[i * 2 + 1] = S::and_bytes(S::template shift_right<4>(pair), mask);
  }
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
  static void codes(const uint8_t* block, size_t part, size_t half, typename S::Bytes* w) noexcept {
    unpack_nibbles<S>(block, part, half, w);
  }
  static typename S::Float scale(const uint8_t* header, size_t i, size_t part) noexcept {
    return pair_scale<S>(header, i, part);
  }
};

template <class S>
struct FormatQ4_1 {
  static constexpr PanelLayout kLayout = kPanelQ4_1;
  static constexpr int kBits = 4, kOffset = 0;
  static constexpr bool kHasMin = true, kHasHalves = false;
  static void codes(const uint8_t* block, size_t part, size_t half, typename S::Bytes* w) noexcept {
    unpack_nibbles<S>(block, part, half, w);
  }
  static typename S::Float scale(const uint8_t* header, size_t, size_t part) noexcept {
    return S::load_half(header + part_halves<S>(part));
  }
  static typename S::Float min(const uint8_t* header, size_t, size_t part) noexcept {
    return S::load_half(header + kHeaderQ4_1Min + part_halves<S>(part));
  }
};

template <class S>
struct FormatQ5_0 {
  static constexpr PanelLayout kLayout = kPanelQ5_0;
  static constexpr int kBits = 5, kOffset = 16;
  static constexpr bool kHasMin = false, kHasHalves = false;
  static void codes(const uint8_t* block, size_t part, size_t half, typename S::Bytes* w) noexcept {
    unpack_nibbles<S>(block + kLayout.high_bytes, part, half, w);
    typename S::Bytes high = S::load_bytes(block + part_bytes<S>(part));
    if (half == 1) high = S::template shift_right<4>(high);
    const typename S::Bytes bit = S::splat_byte(16);
    w[0] = S::or_bytes(w[0], S::and_bytes(S::template shift_left<4>(high), bit));
    w[1] = S::or_bytes(w[1], S::and_bytes(S::template shift_left<3>(high), bit));
    w[2] = S::or_bytes(w[2], S::and_bytes(S::template shift_left<2>(high), bit));
    w[3] = S::or_bytes(w[3], S::and_bytes(S::template shift_left<1>(high), bit));
  }
  static typename S::Float scale(const uint8_t* header, size_t i, size_t part) noexcept {
    return pair_scale<S>(header, i, part);
  }
};

template <class S>
struct FormatQ8_0 {
  static constexpr PanelLayout kLayout = kPanelQ8_0;
  static constexpr int kBits = 8, kOffset = 128;
  static constexpr bool kHasMin = false, kHasHalves = false;
  static void codes(const uint8_t* block, size_t part, size_t half, typename S::Bytes* w) noexcept {
    for (size_t i = 0; i < 4; ++i) {
      w[i] = S::load_bytes(block + (half * 4 + i) * kPanelVector + part_bytes<S>(part));
    }
  }
  static typename S::Float scale(const uint8_t* header, size_t i, size_t part) noexcept {
    return pair_scale<S>(header, i, part);
  }
};

// Products of d (11 bits) with 6-bit scales and mins are exact in f32.
template <class S>
struct FormatQ4_K {
  static constexpr PanelLayout kLayout = kPanelQ4_K;
  static constexpr int kBits = 4, kOffset = 0;
  static constexpr bool kHasMin = true, kHasHalves = false;
  static void codes(const uint8_t* block, size_t part, size_t half, typename S::Bytes* w) noexcept {
    unpack_nibbles<S>(block, part, half, w);
  }
  static typename S::Float scale(const uint8_t* header, size_t i, size_t part) noexcept {
    return S::mul(S::load_half(header + part_halves<S>(part)),
                  S::load_u8(header + kHeaderSubScales + i * kPanelLanes + part * S::kLanes));
  }
  static typename S::Float min(const uint8_t* header, size_t i, size_t part) noexcept {
    return S::negate(S::mul(S::load_half(header + kHeaderQ4_KMin + part_halves<S>(part)),
                            S::load_u8(header + kHeaderQ4_KSubMins + i * kPanelLanes + part * S::kLanes)));
  }
};

template <class S>
struct FormatQ6_K {
  static constexpr PanelLayout kLayout = kPanelQ6_K;
  static constexpr int kBits = 6, kOffset = 32;
  static constexpr bool kHasMin = false, kHasHalves = true;
  static void codes(const uint8_t* block, size_t part, size_t half, typename S::Bytes* w) noexcept {
    unpack_nibbles<S>(block + kLayout.high_bytes, part, half, w);
    const typename S::Bytes high = S::load_bytes(block + half * kPanelVector + part_bytes<S>(part));
    const typename S::Bytes bits = S::splat_byte(48);
    w[0] = S::or_bytes(w[0], S::and_bytes(S::template shift_left<4>(high), bits));
    w[1] = S::or_bytes(w[1], S::and_bytes(S::template shift_left<2>(high), bits));
    w[2] = S::or_bytes(w[2], S::and_bytes(high, bits));
    w[3] = S::or_bytes(w[3], S::and_bytes(S::template shift_right<2>(high), bits));
  }
  static typename S::Float scale(const uint8_t* header, size_t, size_t part) noexcept {
    return S::load_half(header + part_halves<S>(part));
  }
  static typename S::Float half_scale(const uint8_t* header, size_t i, size_t half, size_t part) noexcept {
    return S::load_i8(header + kHeaderSubScales + (i * 2 + half) * kPanelLanes + part * S::kLanes);
  }
};

}  // namespace
}  // namespace loquat::inline LOQUAT_ABI::kernels

#endif  // LOQUAT_KERNELS_GENERIC_PANEL_FORMATS_HPP
