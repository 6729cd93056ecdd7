// SPDX-License-Identifier: MIT
// Attention one query and one head at a time, in the steps of the contract in kernels/kernels.hpp. Only
// visible positions are read: what a page holds beyond them may be anything.
#include <limits>

#include "kernels/reference/math.hpp"
#include "kernels/reference/parts.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::reference {

namespace {

/// What is carried from block to block: the largest score, the sum of weights, and `out`, not yet divided.
struct Softmax {
  float largest = -std::numeric_limits<float>::infinity();
  float sum = 0;
};

TensorType cache_type(const Attention& attention) noexcept {
  return attention.is_f32_cache ? TensorType::f32 : TensorType::f16;
}

float score(const float* q, const std::byte* keys, std::size_t position, const Attention& attention) noexcept {
  float dot = 0;
  for (std::size_t d = 0; d < attention.head_width; ++d) {
    dot = fma(q[d], float_at(cache_type(attention), keys, d * kPagePositions + position), dot);
  }
  return attention.scale * dot;
}

void attend_block(const Attention& attention, const float* q, const std::byte* keys, const std::byte* values,
                  std::size_t visible, Softmax& softmax, float* out) noexcept {
  float weight[kPagePositions];
  float largest = softmax.largest;
  for (std::size_t j = 0; j < visible; ++j) {
    weight[j] = score(q, keys, j, attention);
    largest = largest > weight[j] ? largest : weight[j];
  }
  const float correction = exp(softmax.largest - largest);
  float lane[8] = {};
  for (std::size_t j = 0; j < visible; ++j) {
    weight[j] = exp(weight[j] - largest);
    lane[j % 8] = lane[j % 8] + weight[j];
  }
  softmax.sum = fma(softmax.sum, correction, fold8(lane));
  softmax.largest = largest;
  for (std::size_t d = 0; d < attention.head_width; ++d) {
    float sum = out[d] * correction;
    for (std::size_t j = 0; j < visible; ++j) {
      sum = fma(weight[j], float_at(cache_type(attention), values, j * attention.head_width + d), sum);
    }
    out[d] = sum;
  }
}

void attend_row(const Attention& attention, std::size_t query, std::size_t head, std::size_t kv_head) noexcept {
  const std::size_t width = attention.head_width;
  const std::size_t kv_bytes = kv_head * width * kPagePositions * (attention.is_f32_cache ? 4 : 2);
  const float* q = attention.q + query * attention.q_stride + head * width;
  float* out = attention.out + query * attention.out_stride + head * width;
  for (std::size_t d = 0; d < width; ++d) out[d] = 0;
  Softmax softmax;
  const std::size_t n_visible = attention.first_position + query + 1;
  for (std::size_t begin = 0; begin < n_visible; begin += kPagePositions) {
    const std::byte* page = attention.pages[begin / kPagePositions];
    const std::size_t rest = n_visible - begin;
    attend_block(attention, q, page + attention.k_offset + kv_bytes, page + attention.v_offset + kv_bytes,
                 rest < kPagePositions ? rest : kPagePositions, softmax, out);
  }
  for (std::size_t d = 0; d < width; ++d) out[d] = out[d] / softmax.sum;
}

}  // namespace

std::size_t attention_scratch_bytes(std::size_t, std::size_t) noexcept {
  return 0;
}

void attend(const Attention& attention, std::size_t kv_head, std::size_t tile, std::byte*) noexcept {
  const std::size_t heads_per_kv_head = attention.heads / attention.kv_heads;
  const std::size_t begin = tile * kAttentionTile;
  const std::size_t end = attention.n - begin < kAttentionTile ? attention.n : begin + kAttentionTile;
  for (std::size_t query = begin; query < end; ++query) {
    for (std::size_t i = 0; i < heads_per_kv_head; ++i) {
      attend_row(attention, query, kv_head * heads_per_kv_head + i, kv_head);
    }
  }
}

}  // namespace loquat::inline LOQUAT_ABI::kernels::reference
