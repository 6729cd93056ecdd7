// SPDX-License-Identifier: MIT
// Attention through the pages against a plain softmax in double, for both kinds of cache and any cut of the tokens.
#include "nn/attention.hpp"

#include <cmath>
#include <memory>
#include <vector>

#include "base/half.hpp"
#include "nn/fixture.hpp"
#include "support/blocks.hpp"
#include "support/catch.hpp"

namespace loquat_test {

namespace {

using loquat::nn::AttentionHeads;

constexpr std::size_t kHeads = 6;
constexpr std::size_t kKvHeads = 2;
constexpr std::size_t kWidth = 16;  // d
constexpr std::size_t kTokens = 150;
constexpr float kScale = 0.25f;

float cached(float value, bool is_f32) { return is_f32 ? value : loquat::half_to_float(loquat::float_to_half(value)); }

/// A sequence of random heads, run through the second of two layers of a cache.
struct Sequence {
  explicit Sequence(bool is_f32)
      : is_f32_cache(is_f32),
        q(normal_values(kTokens * kHeads * kWidth, 1)),
        k(normal_values(kTokens * kKvHeads * kWidth, 2)),
        v(normal_values(kTokens * kKvHeads * kWidth, 3)) {
    layout = {.layers = 2, .kv_heads = kKvHeads, .head_width = kWidth, .element_bytes = is_f32 ? 4u : 2u};
    REQUIRE(loquat::nn::make_rope({.rotary = kWidth}, loquat::kernels::RopeLayout::halves, rope));
  }

  /// out [T, H, d] in passes of `chunk` tokens. No rotation (cos 1, sin 0): the plain form then needs none.
  std::vector<float> run(std::size_t chunk, std::uint32_t threads) const {
    const auto* kernels = loquat::kernels::find_kernels(loquat::Level::automatic);
    ContextFixture fixture(loquat::Level::automatic, threads,
                           loquat::nn::attention_slot_bytes(*kernels, kWidth, kHeads / kKvHeads));
    std::vector<std::unique_ptr<AlignedBytes>> pages;
    std::vector<std::byte*> pointers;
    for (std::size_t i = 0; i < kTokens; i += 64) {
      pages.push_back(std::make_unique<AlignedBytes>(layout.page_bytes()));
      pointers.push_back(pages.back()->data());
    }
    std::vector<float> queries = q;
    std::vector<float> keys = k;
    std::vector<float> values = v;
    std::vector<float> out(q.size());
    const std::vector<float> cos(kTokens * kWidth / 2, 1.0f);
    const std::vector<float> sin(kTokens * kWidth / 2, 0.0f);
    for (std::size_t first = 0; first < kTokens; first += chunk) {
      const AttentionHeads heads{.q = queries.data() + first * kHeads * kWidth,
                                 .k = keys.data() + first * kKvHeads * kWidth,
                                 .v = values.data() + first * kKvHeads * kWidth,
                                 .n_tokens = std::min(chunk, kTokens - first),
                                 .first_position = first,
                                 .heads = kHeads,
                                 .kv_heads = kKvHeads,
                                 .head_width = kWidth,
                                 .pages = pointers.data(),
                                 .k_offset = layout.k_offset(1),
                                 .v_offset = layout.v_offset(1),
                                 .is_f32_cache = is_f32_cache};
      loquat::nn::prepare_heads(fixture.context, {.rope = &rope, .cos = cos.data(), .sin = sin.data()}, heads);
      loquat::nn::attend(fixture.context, heads, kScale, out.data() + first * kHeads * kWidth);
    }
    return out;
  }

  /// One query head by the definition.
  std::vector<double> expected(std::size_t t, std::size_t head) const {
    const std::size_t g = head / (kHeads / kKvHeads);
    std::vector<double> weights(t + 1);
    double sum = 0;
    for (std::size_t s = 0; s <= t; ++s) {
      double dot = 0;
      for (std::size_t i = 0; i < kWidth; ++i) {
        dot += static_cast<double>(q[(t * kHeads + head) * kWidth + i]) *
               static_cast<double>(cached(k[(s * kKvHeads + g) * kWidth + i], is_f32_cache));
      }
      weights[s] = std::exp(static_cast<double>(kScale) * dot);
      sum += weights[s];
    }
    std::vector<double> out(kWidth, 0);
    for (std::size_t s = 0; s <= t; ++s) {
      for (std::size_t i = 0; i < kWidth; ++i) {
        out[i] += weights[s] / sum * static_cast<double>(cached(v[(s * kKvHeads + g) * kWidth + i], is_f32_cache));
      }
    }
    return out;
  }

  bool is_f32_cache;
  std::vector<float> q;
  std::vector<float> k;
  std::vector<float> v;
  loquat::cache::PageLayout layout;
  loquat::nn::Rope rope{loquat::default_allocator()};
};

}  // namespace

TEST_CASE("attention over pages is the softmax over all positions so far, in f16 and f32 caches") {
  for (const bool is_f32 : {false, true}) {
    const Sequence sequence(is_f32);
    const std::vector<float> out = sequence.run(kTokens, 2);
    double worst = 0;
    for (std::size_t t = 0; t < kTokens; ++t) {
      for (std::size_t head = 0; head < kHeads; ++head) {
        const std::vector<double> want = sequence.expected(t, head);
        for (std::size_t i = 0; i < kWidth; ++i) {
          const double error = std::abs(static_cast<double>(out[(t * kHeads + head) * kWidth + i]) - want[i]);
          if (!(error <= worst)) worst = error;
        }
      }
    }
    CHECK(worst < 2e-6);
  }
}

TEST_CASE("attention gives the same bits for any cut of the tokens and any threads (D1)") {
  for (const bool is_f32 : {false, true}) {
    const Sequence sequence(is_f32);
    const std::vector<float> whole = sequence.run(kTokens, 1);
    for (const std::size_t chunk : {1, 3, 17, 63, 64, 65, 100}) {
      for (const std::uint32_t threads : {1u, 2u, 5u}) CHECK(sequence.run(chunk, threads) == whole);
    }
  }
}

}  // namespace loquat_test
