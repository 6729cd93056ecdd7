// SPDX-License-Identifier: MIT
// Quantized products of level "avx512vnni": the generic algorithm over this level's vocabulary.
#include "kernels/avx512vnni/parts.hpp"
#include "kernels/avx512vnni/quantized_simd.hpp"
#include "kernels/generic/quantized_half.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::avx512vnni {

static_assert(kInputTile == QuantizedSimd::kTileColumns);

std::size_t input_bytes(std::size_t k, std::size_t n) noexcept { return quantized_input_bytes(k, n); }

void quantize_input(const float* x, std::size_t x_stride, const QuantizedInput& input, std::size_t begin,
                    std::size_t end) noexcept {
  quantize_columns<QuantizedSimd>(x, x_stride, input, begin, end);
}

std::size_t multiply_scratch_bytes(std::size_t k, std::size_t n) noexcept {
  return quantized_scratch_bytes<QuantizedSimd>(k, n);
}

void multiply_quantized(const Product& product, std::size_t tile, std::byte* scratch) noexcept {
  multiply_quantized_tile<QuantizedSimd>(product, tile, scratch);
}

}  // namespace loquat::inline LOQUAT_ABI::kernels::avx512vnni
