// SPDX-License-Identifier: MIT
// Attention of a tile of queries, for all heads that share a key/value head, block by block of 64 positions.
//
// A row is one query in one head; row r is query r / heads_per_kv_head of the tile. Rows go through a block in groups of
// up to 6, each in three steps on the register tile of outer_tile.hpp:
//
//   scores   s [row][64] = q [row][d] * K [d][64]                       lanes = positions, K lies transposed in the page
//   weights  largest score, exp, sum in eight lanes
//   values   out [row][d] = out * correction + p [row][j] * V [j][d]    lanes = d
//
// With many rows a block's K and V are made floats once per tile, in scratch (2 * 64 * head_width * 4 bytes: 32 KB at
// width 64, the first-level cache); with few (decode) the halves are converted on their way into registers, so that the
// cache is read once, at half the bytes.
//
// What is not visible never counts. Scores of a vector's invisible lanes are replaced (never multiplied) by -infinity,
// whose exp is exactly +0; values of invisible positions are not touched at all, since even 0 * v could turn -0 to +0.
// So a page may hold anything, NaN included, beyond the last position.
#ifndef LOQUAT_KERNELS_GENERIC_ATTENTION_HPP
#define LOQUAT_KERNELS_GENERIC_ATTENTION_HPP

#include <cstddef>
#include <limits>

#include "kernels/generic/math.hpp"
#include "kernels/generic/outer_tile.hpp"
#include "kernels/kernels.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::generic {

/// Scratch of one call, in floats: K and V of a block, scores of a group of rows, state of every row. Vectors of state
/// are read in eights, so there is room behind the last row. A template, so that its symbols stay the level's own.
template <class Simd>
struct AttentionScratch {
  static constexpr std::size_t kMostGroupRows = 8;

  float* keys;     ///< [head_width][64]
  float* values;   ///< [64][head_width]
  float* scores;   ///< [kMostGroupRows][64]
  float* largest;  ///< [rows]
  float* sum;      ///< [rows]

  static std::size_t bytes(std::size_t head_width, std::size_t rows) noexcept {
    const std::size_t floats = 2 * kPagePositions * head_width + kMostGroupRows * kPagePositions + 2 * (rows + 16);
    return floats * sizeof(float);
  }
  AttentionScratch(std::byte* scratch, std::size_t head_width, std::size_t rows) noexcept
      : keys(reinterpret_cast<float*>(scratch)),
        values(keys + kPagePositions * head_width),
        scores(values + kPagePositions * head_width),
        largest(scores + kMostGroupRows * kPagePositions),
        sum(largest + rows + 16) {}
};

template <class Simd>
class AttentionTile {
 public:
  AttentionTile(const Attention& attention, std::size_t kv_head, std::size_t begin, std::size_t end,
                std::byte* scratch) noexcept
      : attention_(attention),
        width_(attention.head_width),
        heads_per_kv_head_(attention.heads / attention.kv_heads),
        kv_head_(kv_head),
        begin_(begin),
        rows_((end - begin) * heads_per_kv_head_),
        scratch_(scratch, width_, rows_) {}

  void run() noexcept {
    clear();
    const std::size_t n_visible = attention_.first_position + begin_ + (rows_ - 1) / heads_per_kv_head_ + 1;
    for (std::size_t from = 0; from < n_visible; from += kPagePositions) {
      const std::byte* page = attention_.pages[from / kPagePositions];
      const std::size_t kv_bytes = kv_head_ * width_ * kPagePositions * (attention_.is_f32_cache ? 4 : 2);
      const std::byte* keys = page + attention_.k_offset + kv_bytes;
      const std::byte* values = page + attention_.v_offset + kv_bytes;
      if (attention_.is_f32_cache) {
        attend_block<FloatElement>(keys, values, from);
      } else if (rows_ > 2 * V::kTileRows) {
        convert(keys, values, least(n_visible - from, kPagePositions));
        attend_block<FloatElement>(bytes_of(scratch_.keys), bytes_of(scratch_.values), from);
      } else {
        attend_block<HalfElement>(keys, values, from);
      }
    }
    divide();
  }

 private:
  using V = typename Simd::Wide;
  using Eight = typename Simd::Eight;
  using F32 = typename V::F32;
  static_assert(V::kTileRows <= AttentionScratch<Simd>::kMostGroupRows);

  static std::size_t least(std::size_t a, std::size_t b) noexcept { return a < b ? a : b; }
  static const std::byte* bytes_of(const float* x) noexcept { return reinterpret_cast<const std::byte*>(x); }

  std::size_t query_of(std::size_t row) const noexcept { return begin_ + row / heads_per_kv_head_; }
  std::size_t head_offset(std::size_t row) const noexcept {
    return (kv_head_ * heads_per_kv_head_ + row % heads_per_kv_head_) * width_;
  }
  const float* query(std::size_t row) const noexcept {
    return attention_.q + query_of(row) * attention_.q_stride + head_offset(row);
  }
  float* out(std::size_t row) const noexcept {
    return attention_.out + query_of(row) * attention_.out_stride + head_offset(row);
  }
  /// Positions of the block from `from` on that a row sees.
  std::size_t visible(std::size_t row, std::size_t from) const noexcept {
    const std::size_t n_visible = attention_.first_position + query_of(row) + 1;
    return n_visible <= from ? 0 : least(n_visible - from, kPagePositions);
  }

  void clear() noexcept {
    for (std::size_t row = 0; row < rows_; ++row) {
      scratch_.largest[row] = -std::numeric_limits<float>::infinity();
      scratch_.sum[row] = 0;
      for (std::size_t d = 0; d < width_; d += 8) Eight::store(out(row) + d, Eight::splat(0.0f));
    }
  }

  void divide() noexcept {
    for (std::size_t row = 0; row < rows_; ++row) {
      const auto sum = Eight::splat(scratch_.sum[row]);
      float* o = out(row);
      for (std::size_t d = 0; d < width_; d += 8) Eight::store(o + d, Eight::load(o + d) / sum);
    }
  }

  /// Floats of the block's first `count` positions, and of what shares a group of 16 with them.
  void convert(const std::byte* keys, const std::byte* values, std::size_t count) noexcept {
    const std::size_t columns = (count + kGroup - 1) / kGroup * kGroup;
    for (std::size_t d = 0; d < width_; ++d) {
      const std::size_t row = d * kPagePositions;
      for (std::size_t j = 0; j < columns; j += V::kLanes) {
        V::store(scratch_.keys + row + j, V::load_half(keys + (row + j) * 2));
      }
    }
    for (std::size_t i = 0; i < count * width_; i += 8) {
      Eight::store(scratch_.values + i, Eight::load_half(values + i * 2));
    }
  }

  template <class Element>
  void attend_block(const std::byte* keys, const std::byte* values, std::size_t from) noexcept {
    std::size_t row = 0;
    while (row < rows_ && visible(row, from) == 0) row += heads_per_kv_head_;
    for (; row < rows_; row += V::kTileRows) {
      with_rows<V::kTileRows>(rows_ - row, [&](auto rows) noexcept {
        Group<decltype(rows)::value> group(*this, row, from);
        group.template find_scores<Element>(keys);
        group.find_weights();
        group.template add_values<Element>(values);
      });
    }
  }

  /// kRows rows in one block.
  template <std::size_t kRows>
  struct Group {
    static constexpr std::size_t kGroups = groups_for_rows<V>(kRows);

    const AttentionTile& tile;
    std::size_t first_row;
    const float* q[kRows];
    float* out[kRows];
    float* score[kRows];
    std::size_t count[kRows];  ///< visible positions, ascending
    float correction[8] = {};

    Group(const AttentionTile& owner, std::size_t row, std::size_t from) noexcept : tile(owner), first_row(row) {
      for (std::size_t r = 0; r < kRows; ++r) {
        q[r] = tile.query(row + r);
        out[r] = tile.out(row + r);
        score[r] = tile.scratch_.scores + r * kPagePositions;
        count[r] = tile.visible(row + r, from);
      }
    }

    template <class Element>
    void find_scores(const std::byte* keys) noexcept {
      constexpr std::size_t kGroupBytes = kGroup * Element::kBytes;
      for (std::size_t j = 0; j < count[kRows - 1]; j += kGroups * kGroup) {
        const Panel panel{keys + j * Element::kBytes, kPagePositions * Element::kBytes, kGroupBytes};
        float* to[kRows];
        for (std::size_t r = 0; r < kRows; ++r) to[r] = score[r] + j;
        OuterTile<V, kRows, kGroups> scores;
        scores.clear();
        scores.template accumulate<Element>(q, panel, 0, tile.width_);
        scores.store(to);
      }
    }

    /// Scales and masks the scores of a row; the largest of them and of `known`.
    float scale_row(std::size_t r, float known) noexcept {
      const F32 scale = V::splat(tile.attention_.scale);
      const F32 hidden = V::splat(-std::numeric_limits<float>::infinity());
      F32 largest = V::splat(known);
      for (std::size_t j = 0; j < count[r]; j += V::kLanes) {
        F32 s = scale * V::load(score[r] + j);
        if (j + V::kLanes > count[r]) s = V::keep_first(s, count[r] - j, hidden);
        V::store(score[r] + j, s);
        largest = V::max(largest, s);
      }
      return V::largest(largest);
    }

    /// Replaces the scores of a row by exp(score - largest); their sum8.
    float exp_row(std::size_t r, float largest) noexcept {
      const F32 shift = V::splat(largest);
      auto sum = Eight::splat(0.0f);
      for (std::size_t j = 0; j < count[r]; j += V::kLanes) {
        const F32 p = exp<V>(V::load(score[r] + j) - shift);
        V::store(score[r] + j, p);
        sum = V::add_eights(sum, p);
      }
      return Eight::fold(sum);
    }

    void find_weights() noexcept {
      float* known = tile.scratch_.largest + first_row;
      float* total = tile.scratch_.sum + first_row;
      float largest[8] = {};
      for (std::size_t r = 0; r < kRows; ++r) largest[r] = scale_row(r, known[r]);
      const auto factor = exp<Eight>(Eight::load(known) - Eight::load(largest));
      float added[8] = {};
      for (std::size_t r = 0; r < kRows; ++r) added[r] = exp_row(r, largest[r]);
      Eight::store(correction, factor);
      Eight::store_first(known, Eight::load(largest), kRows);
      Eight::store_first(total, Eight::fma(Eight::load(total), factor, Eight::load(added)), kRows);
    }

    /// Columns [column, ...) of out: first the positions that all rows see together, then the rest row by row.
    template <class Lanes, class Element, std::size_t kWide, std::size_t kPerGroup>
    void add_value_columns(const std::byte* values, std::size_t column) noexcept {
      const Panel panel{values + column * Element::kBytes, tile.width_ * Element::kBytes, kGroup * Element::kBytes};
      float* to[kRows];
      for (std::size_t r = 0; r < kRows; ++r) to[r] = out[r] + column;
      const std::size_t common = count[0];
      OuterTile<Lanes, kRows, kWide, kPerGroup> sums;
      sums.load(to);
      sums.scale(correction);
      sums.template accumulate<Element>(score, panel, 0, common);
      sums.store(to);
      for (std::size_t r = 0; r < kRows; ++r) {
        if (count[r] == common) continue;
        OuterTile<Lanes, 1, kWide, kPerGroup> rest;
        rest.load(to + r);
        rest.template accumulate<Element>(score + r, panel, common, count[r]);
        rest.store(to + r);
      }
    }

    template <class Element>
    void add_values(const std::byte* values) noexcept {
      constexpr std::size_t kStep = kGroups * kGroup;
      constexpr std::size_t kPerGroup = kGroup / V::kLanes;
      std::size_t column = 0;
      for (; column + kStep <= tile.width_; column += kStep) {
        add_value_columns<V, Element, kGroups, kPerGroup>(values, column);
      }
      for (; column + kGroup <= tile.width_; column += kGroup) {
        add_value_columns<V, Element, 1, kPerGroup>(values, column);
      }
      if (column < tile.width_) add_value_columns<Eight, Element, 1, 1>(values, column);
    }
  };

  const Attention& attention_;
  std::size_t width_;
  std::size_t heads_per_kv_head_;
  std::size_t kv_head_;
  std::size_t begin_;  ///< first query
  std::size_t rows_;
  AttentionScratch<Simd> scratch_;
};

template <class Simd>
void attend(const Attention& attention, std::size_t kv_head, std::size_t begin, std::size_t end,
            std::byte* scratch) noexcept {
  AttentionTile<Simd>(attention, kv_head, begin, end, scratch).run();
}

}  // namespace loquat::inline LOQUAT_ABI::kernels::generic

#endif  // LOQUAT_KERNELS_GENERIC_ATTENTION_HPP
