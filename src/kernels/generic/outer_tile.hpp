// SPDX-License-Identifier: MIT
// The one register tile under all float products: C[r][x] += A[r][i] * B[i][x] over ascending i, lanes along x.
//
//   weights    A = activations [column][k]    B = a packed panel [k][16 rows]      depth k
//   scores     A = queries [row][d]           B = keys [d][64 positions]           depth head width
//   values     A = softmax weights [row][j]   B = values [j][head width]           depth visible positions
//
// Every output has one accumulator and one fma a step, so there is no horizontal sum and the bits do not depend on the
// tile's shape. B lies in groups of 16 values: next to each other, or a panel apart. With 16 registers of 8 lanes,
// 6 rows x 16 values are 12 accumulators, two of B and one of A; with 32 of 16 lanes 6 rows x 64 values are 24, 4 and 1.
// Twelve independent sums hide the 4 cycles of an fma at two a cycle.
#ifndef LOQUAT_KERNELS_GENERIC_OUTER_TILE_HPP
#define LOQUAT_KERNELS_GENERIC_OUTER_TILE_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <type_traits>

#include "kernels/generic/compiler.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::generic {

inline constexpr std::size_t kGroup = 16;

/// How values of B lie in memory, and how a vector of them becomes floats.
struct FloatElement {
  static constexpr std::size_t kBytes = 4;
  template <class V>
  static typename V::F32 load(const std::byte* from) noexcept {
    return V::load(reinterpret_cast<const float*>(from));
  }
};
struct HalfElement {
  static constexpr std::size_t kBytes = 2;
  template <class V>
  static typename V::F32 load(const std::byte* from) noexcept {
    return V::load_half(from);
  }
};
struct BfloatElement {
  static constexpr std::size_t kBytes = 2;
  template <class V>
  static typename V::F32 load(const std::byte* from) noexcept {
    return V::load_bfloat(from);
  }
};

/// B of an outer tile.
struct Panel {
  const std::byte* data;
  std::size_t step_bytes;   ///< from B[i] to B[i + 1]
  std::size_t group_bytes;  ///< from one group of 16 values to the next
};

template <class V, std::size_t kRows, std::size_t kGroups, std::size_t kPerGroup = kGroup / V::kLanes>
struct OuterTile {
  using F32 = typename V::F32;
  static constexpr std::size_t kVectors = kGroups * kPerGroup;

  F32 sum[kRows][kVectors];

  LOQUAT_KERNEL_INLINE void clear() noexcept {
    LOQUAT_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      LOQUAT_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = V::splat(0.0f);
    }
  }
  /// Rows of C are contiguous: c [kRows] points at the first value of each.
  LOQUAT_KERNEL_INLINE void load(float* const* c) noexcept {
    LOQUAT_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      LOQUAT_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = V::load(c[r] + v * V::kLanes);
    }
  }
  LOQUAT_KERNEL_INLINE void scale(const float* factors) noexcept {
    LOQUAT_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      LOQUAT_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = sum[r][v] * V::splat(factors[r]);
    }
  }
  LOQUAT_KERNEL_INLINE void store(float* const* c) const noexcept {
    LOQUAT_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) {
      LOQUAT_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) V::store(c[r] + v * V::kLanes, sum[r][v]);
    }
  }

  /// Steps [begin, end): adds a[r][i] * B[i].
  template <class Element>
  LOQUAT_KERNEL_INLINE void accumulate(const float* const* a, const Panel& b, std::size_t begin,
                                       std::size_t end) noexcept {
    const float* row[kRows];
    LOQUAT_UNROLL
    for (std::size_t r = 0; r < kRows; ++r) row[r] = a[r];
    const std::byte* from = b.data + begin * b.step_bytes;
    for (std::size_t i = begin; i < end; ++i, from += b.step_bytes) {
      F32 value[kVectors];
      LOQUAT_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t lane_bytes = v % kPerGroup * V::kLanes * Element::kBytes;
        value[v] = Element::template load<V>(from + v / kPerGroup * b.group_bytes + lane_bytes);
      }
      LOQUAT_UNROLL
      for (std::size_t r = 0; r < kRows; ++r) {
        const F32 factor = V::splat(row[r][i]);
        LOQUAT_UNROLL
        for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = V::fma(factor, value[v], sum[r][v]);
      }
    }
  }
};

/// Groups that go with a number of rows: as many as the level's accumulators allow, a divisor of 4.
template <class V>
constexpr std::size_t groups_for_rows(std::size_t rows) noexcept {
  constexpr std::size_t kPerGroup = kGroup / V::kLanes;
  if (rows * 4 * kPerGroup <= V::kAccumulators) return 4;
  return rows * 2 * kPerGroup <= V::kAccumulators ? 2 : 1;
}

/// Calls action(std::integral_constant<rows>) for rows in 1..kMost.
template <std::size_t kMost, class Action>
void with_rows(std::size_t rows, const Action& action) noexcept {
  if constexpr (kMost > 1) {
    if (rows < kMost) return with_rows<kMost - 1>(rows, action);
  }
  action(std::integral_constant<std::size_t, kMost>());
}

}  // namespace loquat::inline LOQUAT_ABI::kernels::generic

#endif  // LOQUAT_KERNELS_GENERIC_OUTER_TILE_HPP
