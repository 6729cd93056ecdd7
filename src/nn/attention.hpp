// SPDX-License-Identifier: MIT
// Causal grouped-query attention over the pages of one sequence, in two steps: put the pass's heads in place (norms,
// rotary, keys and values into their pages), then let every query read all positions up to its own.
#ifndef LOQUAT_NN_ATTENTION_HPP
#define LOQUAT_NN_ATTENTION_HPP

#include <cstddef>

#include "cache/page_layout.hpp"
#include "nn/norm.hpp"
#include "nn/rope.hpp"

namespace loquat::inline LOQUAT_ABI::nn {

/// Queries, keys and values of one layer and pass, and where its keys and values are kept.
struct AttentionHeads {
  float* q = nullptr;  ///< [T, H, d]
  float* k = nullptr;  ///< [T, G, d]
  float* v = nullptr;  ///< [T, G, d]
  std::size_t n_tokens = 0;
  std::size_t first_position = 0;
  std::size_t heads = 0;
  std::size_t kv_heads = 0;
  std::size_t head_width = 0;
  std::byte* const* pages = nullptr;
  std::size_t k_offset = 0;  ///< of this layer in a page
  std::size_t v_offset = 0;
  bool is_f32_cache = false;
};

/// What happens to heads before they meet.
struct HeadPreparation {
  const Rope* rope = nullptr;
  const float* cos = nullptr;  ///< [T, rotary / 2], of rope_angles()
  const float* sin = nullptr;
  const Norm* q_norm = nullptr;  ///< over each head, or null
  const Norm* k_norm = nullptr;
};

/// Scratch that one thread needs.
std::size_t attention_slot_bytes(const kernels::KernelTable& kernels, std::size_t head_width,
                                 std::size_t heads_per_kv_head) noexcept;

/// q, k: norm per head, then rotary; k, v: into the pages. One parallel region.
void prepare_heads(const Context& context, const HeadPreparation& preparation, const AttentionHeads& heads) noexcept;

/// out [T, H*d] = softmax(scale * q k^T) v for every query over the positions up to its own. One parallel region.
///
/// Requires  prepare_heads() of this pass and all earlier positions of this layer
void attend(const Context& context, const AttentionHeads& heads, float scale, float* out) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::nn

#endif  // LOQUAT_NN_ATTENTION_HPP
