// SPDX-License-Identifier: MIT
#include "nn/attention.hpp"

#include <algorithm>
#include <cstring>

#include "threading/parallel.hpp"

namespace loquat::inline LOQUAT_ABI::nn {

namespace {

using kernels::kPagePositions;

// One head's key and value at a position: K goes into a column of [d, 64], V into a row of [64, d].
template <class Element>
void store_head(std::byte* k_head, std::byte* v_head, std::size_t column, const Element* k, const Element* v,
                std::size_t head_width) noexcept {
  auto* keys = reinterpret_cast<Element*>(k_head) + column;
  for (std::size_t i = 0; i < head_width; ++i) keys[i * kPagePositions] = k[i];
  std::memcpy(reinterpret_cast<Element*>(v_head) + column * head_width, v, head_width * sizeof(Element));
}

// Keys and values [G, d] of token t into the page of its position.
void store_token(const Context& context, const AttentionHeads& heads, std::size_t t, std::byte* scratch) noexcept {
  const std::size_t position = heads.first_position + t;
  const std::size_t column = position % kPagePositions;
  const std::size_t d = heads.head_width;
  const std::size_t head_bytes = d * kPagePositions * (heads.is_f32_cache ? sizeof(float) : sizeof(std::uint16_t));
  std::byte* page = heads.pages[position / kPagePositions];
  for (std::size_t g = 0; g < heads.kv_heads; ++g) {
    const float* k = heads.k + (t * heads.kv_heads + g) * d;
    const float* v = heads.v + (t * heads.kv_heads + g) * d;
    std::byte* k_head = page + heads.k_offset + g * head_bytes;
    std::byte* v_head = page + heads.v_offset + g * head_bytes;
    if (heads.is_f32_cache) {
      store_head(k_head, v_head, column, k, v, d);
    } else {
      auto* halves = reinterpret_cast<std::uint16_t*>(scratch);  // [2, d]
      context.kernels->to_half(k, halves, d);
      context.kernels->to_half(v, halves + d, d);
      store_head(k_head, v_head, column, halves, halves + d, d);
    }
  }
}

void normalize_heads(const Context& context, const Norm& norm, float* heads, std::size_t n, std::size_t d) noexcept {
  for (std::size_t h = 0; h < n; ++h) {
    context.kernels->rms_norm(heads + h * d, norm.weights, norm.epsilon, heads + h * d, d);
  }
}

void prepare_token(const Context& context, const HeadPreparation& preparation, const AttentionHeads& heads,
                   std::size_t t, std::byte* scratch) noexcept {
  const std::size_t d = heads.head_width;
  const Rope& rope = *preparation.rope;
  float* q = heads.q + t * heads.heads * d;
  float* k = heads.k + t * heads.kv_heads * d;
  const float* cos = preparation.cos + t * (rope.rotary / 2);
  const float* sin = preparation.sin + t * (rope.rotary / 2);
  if (preparation.q_norm != nullptr) normalize_heads(context, *preparation.q_norm, q, heads.heads, d);
  if (preparation.k_norm != nullptr) normalize_heads(context, *preparation.k_norm, k, heads.kv_heads, d);
  context.kernels->rope(q, heads.heads, d, rope.rotary, rope.layout, cos, sin);
  context.kernels->rope(k, heads.kv_heads, d, rope.rotary, rope.layout, cos, sin);
  store_token(context, heads, t, scratch);
}

}  // namespace

std::size_t attention_slot_bytes(const kernels::KernelTable& kernels, std::size_t head_width,
                                 std::size_t heads_per_kv_head) noexcept {
  const std::size_t halves_bytes = 2 * head_width * sizeof(std::uint16_t);
  return std::max(halves_bytes, kernels.attention_scratch_bytes(head_width, heads_per_kv_head));
}

void prepare_heads(const Context& context, const HeadPreparation& preparation, const AttentionHeads& heads) noexcept {
  const std::size_t tile_tokens = context.token_tile();
  parallel_tiles(*context.executor, divide_up(heads.n_tokens, tile_tokens), [&](std::size_t tile, std::size_t slot) {
    const std::size_t end = std::min(heads.n_tokens, (tile + 1) * tile_tokens);
    for (std::size_t t = tile * tile_tokens; t < end; ++t) {
      prepare_token(context, preparation, heads, t, context.slot(slot));
    }
  });
}

void attend(const Context& context, const AttentionHeads& heads, float scale, float* out) noexcept {
  const std::size_t width = heads.heads * heads.head_width;
  const kernels::Attention attention{.q = heads.q,
                                     .q_stride = width,
                                     .out = out,
                                     .out_stride = width,
                                     .pages = heads.pages,
                                     .k_offset = heads.k_offset,
                                     .v_offset = heads.v_offset,
                                     .is_f32_cache = heads.is_f32_cache,
                                     .heads = heads.heads,
                                     .kv_heads = heads.kv_heads,
                                     .head_width = heads.head_width,
                                     .first_position = heads.first_position,
                                     .n = heads.n_tokens,
                                     .scale = scale};
  const std::size_t query_tiles = divide_up(heads.n_tokens, context.kernels->attention_tile);
  // Later queries read more positions: the longest tiles go out first, so that none is left for the end.
  parallel_tiles(*context.executor, query_tiles * heads.kv_heads, [&](std::size_t tile, std::size_t slot) {
    const std::size_t query_tile = query_tiles - 1 - tile / heads.kv_heads;
    context.kernels->attend(attention, tile % heads.kv_heads, query_tile, context.slot(slot));
  });
}

}  // namespace loquat::inline LOQUAT_ABI::nn
