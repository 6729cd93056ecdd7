// SPDX-License-Identifier: MIT
// Products of floats and attention at level "avx512vnni": the algorithms of kernels/generic in this level's vocabulary.
#include "kernels/avx512vnni/parts.hpp"
#include "kernels/avx512vnni/simd.hpp"
#include "kernels/generic/attention.hpp"
#include "kernels/generic/multiply_float.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::avx512vnni {

std::size_t multiply_float_scratch_bytes(std::size_t, std::size_t n) noexcept {
  return generic::multiply_float_scratch_bytes(n);
}
void multiply_float(const Product& product, std::size_t tile, std::byte* scratch) noexcept {
  generic::multiply_float<Simd>(product, tile, scratch);
}

std::size_t attention_scratch_bytes(std::size_t head_width, std::size_t heads_per_kv_head) noexcept {
  return generic::AttentionScratch<Simd>::bytes(head_width, kAttentionTile * heads_per_kv_head);
}
void attend(const Attention& attention, std::size_t kv_head, std::size_t tile, std::byte* scratch) noexcept {
  const std::size_t begin = tile * kAttentionTile;
  const std::size_t end = attention.n - begin < kAttentionTile ? attention.n : begin + kAttentionTile;
  generic::attend<Simd>(attention, kv_head, begin, end, scratch);
}

}  // namespace loquat::inline LOQUAT_ABI::kernels::avx512vnni
