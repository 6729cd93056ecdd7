// SPDX-License-Identifier: MIT
// Attention: every level gives the bits of the reference (D2), whatever the chunk (D1) and whatever lies beyond the
// visible positions; the reference is within a bound of double precision.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "base/half.hpp"
#include "base/math.hpp"
#include "kernels/kernels.hpp"
#include "support/compare.hpp"
#include "support/data.hpp"
#include "support/guard_buffer.hpp"
#include "support/levels.hpp"

using namespace loquat;
using kernels::Attention;
using kernels::KernelTable;
using kernels::kPagePositions;
using loquat_test::Data;
using loquat_test::expect_same_bits;
using loquat_test::for_each_level;
using loquat_test::GuardedCopy;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Shape {
  std::size_t kv_heads = 2, heads_per_kv_head = 3, head_width = 64;
  std::size_t first_position = 0, n = 1;
  bool is_f32_cache = false;

  std::size_t heads() const { return kv_heads * heads_per_kv_head; }
  std::size_t positions() const { return first_position + n; }
  std::size_t element_bytes() const { return is_f32_cache ? 4 : 2; }
  std::size_t head_bytes() const { return head_width * kPagePositions * element_bytes(); }
};

/// Queries and a cache whose every byte beyond the last position is 0xFF (NaN in both element types).
class Problem {
 public:
  Problem(Data& data, const Shape& shape, float deviation = 1) : shape_(shape) {
    const std::size_t n_pages = (shape.positions() + kPagePositions - 1) / kPagePositions;
    pages_.assign(n_pages, std::vector<std::byte>(2 * shape.kv_heads * shape.head_bytes(), std::byte{0xFF}));
    q_ = data.normals(shape.n * shape.heads() * shape.head_width, deviation);
    for (std::size_t position = 0; position < shape.positions(); ++position) {
      for (std::size_t head = 0; head < shape.kv_heads; ++head) {
        for (std::size_t d = 0; d < shape.head_width; ++d) {
          set_key(position, head, d, data.uniform(-2, 2));
          set_value(position, head, d, data.uniform(-2, 2));
        }
      }
    }
  }

  void set_key(std::size_t position, std::size_t head, std::size_t d, float value) {
    set(position, head * shape_.head_bytes(), d * kPagePositions + position % kPagePositions, value);
  }
  void set_value(std::size_t position, std::size_t head, std::size_t d, float value) {
    set(position, (shape_.kv_heads + head) * shape_.head_bytes(), position % kPagePositions * shape_.head_width + d,
        value);
  }
  float key(std::size_t position, std::size_t head, std::size_t d) const {
    return get(position, head * shape_.head_bytes(), d * kPagePositions + position % kPagePositions);
  }
  float value(std::size_t position, std::size_t head, std::size_t d) const {
    return get(position, (shape_.kv_heads + head) * shape_.head_bytes(),
               position % kPagePositions * shape_.head_width + d);
  }
  const std::vector<float>& q() const { return q_; }
  std::vector<float>& q() { return q_; }
  const Shape& shape() const { return shape_; }

  /// Output of queries [begin, end) in one call of the level's kernels per tile; rows of q and out are 5 floats apart.
  std::vector<float> attend(Level level, std::size_t begin, std::size_t end) const {
    const KernelTable& table = *kernels::find_kernels(level);
    const std::size_t row = shape_.heads() * shape_.head_width;
    const std::size_t stride = row + 5;
    std::vector<float> q((end - begin) * stride - 5, kNan);
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t d = 0; d < row; ++d) q[(i - begin) * stride + d] = q_[i * row + d];
    }
    const GuardedCopy<float> guarded{std::span<const float>(q)};
    std::vector<float> out((end - begin) * stride, 7.0f);
    std::vector<const std::byte*> pages;
    for (const auto& page : pages_) pages.push_back(page.data());

    Attention attention;
    attention.q = guarded.data();
    attention.q_stride = stride;
    attention.out = out.data();
    attention.out_stride = stride;
    attention.pages = pages.data();
    attention.k_offset = 0;
    attention.v_offset = shape_.kv_heads * shape_.head_bytes();
    attention.is_f32_cache = shape_.is_f32_cache;
    attention.heads = shape_.heads();
    attention.kv_heads = shape_.kv_heads;
    attention.head_width = shape_.head_width;
    attention.first_position = shape_.first_position + begin;
    attention.n = end - begin;
    attention.scale = kScale;
    const std::size_t scratch_bytes = table.attention_scratch_bytes(shape_.head_width, shape_.heads_per_kv_head);
    const loquat_test::GuardBuffer scratch((scratch_bytes + 63) / 64 * 64);
    for (std::size_t head = 0; head < shape_.kv_heads; ++head) {
      for (std::size_t tile = 0; tile * table.attention_tile < attention.n; ++tile) {
        table.attend(attention, head, tile, scratch.data());
      }
    }
    return compact(out, row, stride);
  }
  std::vector<float> attend(Level level) const { return attend(level, 0, shape_.n); }

  static constexpr float kScale = 0.3f;

 private:
  void set(std::size_t position, std::size_t offset, std::size_t index, float value) {
    std::byte* to = pages_[position / kPagePositions].data() + offset + index * shape_.element_bytes();
    const std::uint16_t half = float_to_half(value);
    if (shape_.is_f32_cache) std::memcpy(to, &value, 4);
    if (!shape_.is_f32_cache) std::memcpy(to, &half, 2);
  }
  float get(std::size_t position, std::size_t offset, std::size_t index) const {
    const std::byte* from = pages_[position / kPagePositions].data() + offset + index * shape_.element_bytes();
    float value;
    std::uint16_t half;
    std::memcpy(&value, from, shape_.element_bytes());
    std::memcpy(&half, from, 2);
    return shape_.is_f32_cache ? value : half_to_float(half);
  }
  /// The rows without what lies between them, which must still be 7.
  static std::vector<float> compact(const std::vector<float>& out, std::size_t row, std::size_t stride) {
    std::vector<float> rows;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (i % stride < row) {
        rows.push_back(std::isnan(out[i]) ? kNan : out[i]);
      } else if (out[i] != 7.0f) {
        FAIL("written between rows at " << i);
      }
    }
    return rows;
  }

  Shape shape_;
  std::vector<std::vector<std::byte>> pages_;
  std::vector<float> q_;
};

void expect_levels_agree(const Problem& problem) {
  const std::vector<float> want = problem.attend(Level::reference);
  for_each_level([&](Level level) { expect_same_bits(problem.attend(level), want); });
}

}  // namespace

TEST_CASE(
    "attention has the reference's bits at every level for any heads, width, position and number of queries (D2, Q3)") {
  LOQUAT_TEST_DATA(data, 21);
  bool is_f32_cache = false;
  for (const std::size_t width : {8u, 24u, 64u, 72u}) {
    for (const std::size_t heads_per_kv_head : {1u, 3u, 7u}) {
      for (const std::size_t first : {0u, 62u, 131u}) {
        const std::size_t n = first % 3 == 2 ? 19 : 5;
        for (const std::size_t queries : {std::size_t{1}, n}) {
          CAPTURE(is_f32_cache, width, heads_per_kv_head, first, queries);
          expect_levels_agree(Problem(data, {2, heads_per_kv_head, width, first, queries, is_f32_cache}));
          is_f32_cache = !is_f32_cache;
        }
      }
    }
    is_f32_cache = !is_f32_cache;
  }
}

TEST_CASE("attention over several blocks of a long prompt has the reference's bits, and no trace of stale bytes (D2)") {
  LOQUAT_TEST_DATA(data, 22);
  for (const std::size_t width : {64u, 200u}) {
    const Problem problem(data, {1, 3, width, 0, 150});
    expect_levels_agree(problem);
    for (const float value : problem.attend(best_level())) {
      if (!std::isfinite(value)) FAIL("not finite");
    }
  }
}

TEST_CASE("attention does not depend on how queries are cut into chunks (D1)") {
  LOQUAT_TEST_DATA(data, 23);
  const Problem problem(data, {2, 3, 64, 40, 100});
  const std::size_t row = problem.shape().heads() * problem.shape().head_width;
  for_each_level([&](Level level) {
    const std::vector<float> whole = problem.attend(level);
    for (const std::size_t chunk : {1u, 3u, 16u, 17u, 64u}) {
      CAPTURE(chunk);
      std::vector<float> pieces;
      for (std::size_t begin = 0; begin < 100; begin += chunk) {
        const std::vector<float> piece = problem.attend(level, begin, std::min<std::size_t>(begin + chunk, 100));
        pieces.insert(pieces.end(), piece.begin(), piece.end());
      }
      REQUIRE(pieces.size() == 100 * row);
      expect_same_bits(pieces, whole);
    }
  });
}

TEST_CASE("attention keeps the reference's bits where scores are huge, alike, or wipe out earlier blocks (Q2)") {
  LOQUAT_TEST_DATA(data, 24);
  for (const float deviation : {0.0f, 1e-30f, 100.0f, 1e6f, 1e30f, 3e37f}) {
    CAPTURE(deviation);
    const Problem problem(data, {2, 2, 64, 70, 70}, deviation);
    expect_levels_agree(problem);
  }
}

TEST_CASE("values of tiny size and either zero keep their bits and signs (Q2)") {
  LOQUAT_TEST_DATA(data, 25);
  Problem problem(data, {1, 3, 32, 0, 140, true}, 30);
  for (std::size_t position = 0; position < 140; ++position) {
    for (std::size_t d = 0; d < 32; ++d) {
      const std::int64_t kind = data.whole(0, 3);
      if (kind == 0) problem.set_value(position, 0, d, -0.0f);
      if (kind == 1) problem.set_value(position, 0, d, -0x1p-149f);
      if (kind == 2) problem.set_value(position, 0, d, data.normal() * 1e-38f);
    }
  }
  expect_levels_agree(problem);
}

TEST_CASE("a NaN in the cache reaches the queries that see it, and no other") {
  LOQUAT_TEST_DATA(data, 26);
  Problem problem(data, {1, 2, 64, 0, 90});
  problem.set_key(70, 0, 5, kNan);
  const std::size_t row = problem.shape().heads() * problem.shape().head_width;
  for_each_level([&](Level level) {
    const std::vector<float> out = problem.attend(level);
    for (std::size_t query = 0; query < 90; ++query) {
      CAPTURE(query);
      CHECK(std::isnan(out[query * row + 3]) == (query >= 70));
    }
  });
  expect_levels_agree(problem);
}

TEST_CASE("attention is close to softmax in double precision") {
  LOQUAT_TEST_DATA(data, 27);
  const Problem problem(data, {2, 2, 64, 100, 30});
  const Shape& shape = problem.shape();
  const std::vector<float> got = problem.attend(best_level());
  double worst = 0;
  for (std::size_t query = 0; query < shape.n; ++query) {
    for (std::size_t head = 0; head < shape.heads(); ++head) {
      const std::size_t kv_head = head / shape.heads_per_kv_head;
      const std::size_t at = (query * shape.heads() + head) * shape.head_width;
      std::vector<double> weight;
      double sum = 0;
      for (std::size_t position = 0; position <= shape.first_position + query; ++position) {
        double dot = 0;
        for (std::size_t d = 0; d < shape.head_width; ++d) {
          dot += static_cast<double>(problem.q()[at + d]) * static_cast<double>(problem.key(position, kv_head, d));
        }
        weight.push_back(exact_exp(dot * static_cast<double>(Problem::kScale)));
        sum += weight.back();
      }
      for (std::size_t d = 0; d < shape.head_width; ++d) {
        double want = 0;
        for (std::size_t j = 0; j < weight.size(); ++j) {
          want += weight[j] / sum * static_cast<double>(problem.value(j, kv_head, d));
        }
        worst = std::max(worst, std::abs(static_cast<double>(got[at + d]) - want));
      }
    }
  }
  // Scores below 12 carry 64 roundings each (4e-5 relative in exp at the very most); values are below 6.
  CHECK(worst < 2e-5);
}
