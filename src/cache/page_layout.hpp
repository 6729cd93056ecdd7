// SPDX-License-Identifier: MIT
// Where keys and values lie inside a cache page. A page covers kPagePositions positions of all layers of one sequence;
// per layer first K then V, per key/value head K transposed [head_width][64] and V [64][head_width], both f16
// or both f32 (kernels/kernels.hpp, Attention).
#ifndef LOQUAT_CACHE_PAGE_LAYOUT_HPP
#define LOQUAT_CACHE_PAGE_LAYOUT_HPP

#include <loquat/config.hpp>

#include <cstddef>

#include "kernels/kernels.hpp"

namespace loquat::inline LOQUAT_ABI::cache {

struct PageLayout {
  std::size_t layers = 0;
  std::size_t kv_heads = 0;
  std::size_t head_width = 0;
  std::size_t element_bytes = 2;  ///< 2: f16, 4: f32

  /// Bytes of one head's keys (or values) of one layer in one page.
  std::size_t head_bytes() const noexcept { return head_width * kernels::kPagePositions * element_bytes; }
  std::size_t k_offset(std::size_t layer) const noexcept { return layer * 2 * kv_heads * head_bytes(); }
  std::size_t v_offset(std::size_t layer) const noexcept { return k_offset(layer) + kv_heads * head_bytes(); }
  std::size_t page_bytes() const noexcept { return layers * 2 * kv_heads * head_bytes(); }
};

}  // namespace loquat::inline LOQUAT_ABI::cache

#endif  // LOQUAT_CACHE_PAGE_LAYOUT_HPP
