// SPDX-License-Identifier: MIT
// The parts of level "avx512vnni": x86-64 with AVX-512 F, CD, BW, VL, DQ and VNNI. Contracts are in
// kernels/kernels.hpp.
#ifndef LOQUAT_KERNELS_AVX512VNNI_PARTS_HPP
#define LOQUAT_KERNELS_AVX512VNNI_PARTS_HPP

#include "kernels/kernels.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::avx512vnni {

extern const KernelTable table;

// -- Quantized products ----------------------------------------------------------------------------------
inline constexpr std::size_t kInputTile = 6;
std::size_t input_bytes(std::size_t k, std::size_t n) noexcept;
void quantize_input(const float* x, std::size_t x_stride, const QuantizedInput& input, std::size_t begin,
                    std::size_t end) noexcept;
std::size_t multiply_scratch_bytes(std::size_t k, std::size_t n) noexcept;
void multiply_quantized(const Product& product, std::size_t tile, std::byte* scratch) noexcept;

// -- Products of floats ----------------------------------------------------------------------------------
std::size_t multiply_float_scratch_bytes(std::size_t k, std::size_t n) noexcept;
void multiply_float(const Product& product, std::size_t tile, std::byte* scratch) noexcept;

// -- Rows of floats --------------------------------------------------------------------------------------
void rms_norm(const float* x, const float* w, float epsilon, float* y, std::size_t n) noexcept;
void add(float* y, const float* x, std::size_t n) noexcept;
void silu_multiply(float* gate, const float* up, std::size_t n) noexcept;
void rope(float* heads, std::size_t n_heads, std::size_t head_width, std::size_t rotary, RopeLayout layout,
          const float* cos, const float* sin) noexcept;
void to_half(const float* x, std::uint16_t* y, std::size_t n) noexcept;
void to_float(const std::uint16_t* x, float* y, std::size_t n) noexcept;

// -- Attention -------------------------------------------------------------------------------------------
inline constexpr std::size_t kAttentionTile = 16;
std::size_t attention_scratch_bytes(std::size_t head_width, std::size_t heads_per_kv_head) noexcept;
void attend(const Attention& attention, std::size_t kv_head, std::size_t tile, std::byte* scratch) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::kernels::avx512vnni

#endif  // LOQUAT_KERNELS_AVX512VNNI_PARTS_HPP
