// SPDX-License-Identifier: MIT
// Rows of floats by plain loops, word for word the contract of kernels/kernels.hpp.
#include <cmath>

#include "kernels/reference/math.hpp"
#include "kernels/reference/parts.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::reference {

void rms_norm(const float* x, const float* w, float epsilon, float* y, std::size_t n) noexcept {
  float lane[8] = {};
  for (std::size_t i = 0; i < n; ++i) lane[i % 8] = fma(x[i], x[i], lane[i % 8]);
  const float mean = fold8(lane) / static_cast<float>(n);
  const float r = 1.0f / std::sqrt(mean + epsilon);  // both correctly rounded by IEEE 754
  for (std::size_t i = 0; i < n; ++i) {
    const float scaled = x[i] * r;
    y[i] = w != nullptr ? scaled * w[i] : scaled;
  }
}

void add(float* y, const float* x, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) y[i] = y[i] + x[i];
}

void silu_multiply(float* gate, const float* up, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    const float silu = gate[i] / (1.0f + exp(-gate[i]));
    gate[i] = silu * up[i];
  }
}

void rope(float* heads, std::size_t n_heads, std::size_t head_width, std::size_t rotary, RopeLayout layout,
          const float* cos, const float* sin) noexcept {
  const std::size_t n_pairs = rotary / 2;
  for (std::size_t head = 0; head < n_heads; ++head) {
    float* values = heads + head * head_width;
    for (std::size_t i = 0; i < n_pairs; ++i) {
      float& first = layout == RopeLayout::neighbours ? values[2 * i] : values[i];
      float& second = layout == RopeLayout::neighbours ? values[2 * i + 1] : values[i + n_pairs];
      const float a = first;
      const float b = second;
      first = fma(-b, sin[i], a * cos[i]);
      second = fma(a, sin[i], b * cos[i]);
    }
  }
}

void to_half(const float* x, std::uint16_t* y, std::size_t n) noexcept {
  constexpr float kLargest = 65504.0f;
  for (std::size_t i = 0; i < n; ++i) {
    float value = kLargest < x[i] ? kLargest : x[i];  // NaN passes, so that it is seen at the logits
    value = -kLargest > value ? -kLargest : value;
    y[i] = float_to_half(value);
  }
}

void to_float(const std::uint16_t* x, float* y, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) y[i] = half_to_float(x[i]);
}

}  // namespace loquat::inline LOQUAT_ABI::kernels::reference
