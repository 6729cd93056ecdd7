// SPDX-License-Identifier: MIT
// Rows of floats at level "baseline": the algorithms of kernels/generic in this level's vocabulary.
#include "kernels/baseline/parts.hpp"
#include "kernels/baseline/simd.hpp"
#include "kernels/generic/activation.hpp"
#include "kernels/generic/convert.hpp"
#include "kernels/generic/norm.hpp"
#include "kernels/generic/rope.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::baseline {

void rms_norm(const float* x, const float* w, float epsilon, float* y, std::size_t n) noexcept {
  generic::rms_norm<Simd>(x, w, epsilon, y, n);
}
void add(float* y, const float* x, std::size_t n) noexcept {
  generic::add<Simd>(y, x, n);
}
void silu_multiply(float* gate, const float* up, std::size_t n) noexcept {
  generic::silu_multiply<Simd>(gate, up, n);
}
void rope(float* heads, std::size_t n_heads, std::size_t head_width, std::size_t rotary, RopeLayout layout,
          const float* cos, const float* sin) noexcept {
  generic::rope<Simd>(heads, n_heads, head_width, rotary, layout, cos, sin);
}
void to_half(const float* x, std::uint16_t* y, std::size_t n) noexcept {
  generic::to_half<Simd>(x, y, n);
}
void to_float(const std::uint16_t* x, float* y, std::size_t n) noexcept {
  generic::to_float<Simd>(x, y, n);
}

}  // namespace loquat::inline LOQUAT_ABI::kernels::baseline
