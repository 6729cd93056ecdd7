// SPDX-License-Identifier: MIT
// The table of level "baseline".
#include "kernels/baseline/parts.hpp"
#include "kernels/table_check.hpp"
#include "quant/canonical.hpp"

namespace loquat::inline LOQUAT_ABI::kernels::baseline {

namespace {

/// Float types may have any k, quantized ones only whole blocks.
std::size_t any_multiply_scratch_bytes(std::size_t k, std::size_t n) noexcept {
  const std::size_t blocks = (k + kActivationBlock - 1) / kActivationBlock;
  const std::size_t quantized = multiply_scratch_bytes(blocks * kActivationBlock, n);
  const std::size_t floats = multiply_float_scratch_bytes(k, n);
  return quantized > floats ? quantized : floats;
}

void multiply(const Product& product, std::size_t tile, std::byte* scratch) noexcept {
  const auto half = is_float_type(product.weights.type) ? multiply_float : multiply_quantized;
  half(product, tile, scratch);
}

}  // namespace

constexpr KernelTable table = {
    .level = Level::baseline,
    .input_bytes = input_bytes,
    .input_tile = kInputTile,
    .quantize_input = quantize_input,
    .multiply_scratch_bytes = any_multiply_scratch_bytes,
    .multiply = multiply,
    .rms_norm = rms_norm,
    .add = add,
    .silu_multiply = silu_multiply,
    .rope = rope,
    .to_half = to_half,
    .to_float = to_float,
    .attention_tile = kAttentionTile,
    .attention_scratch_bytes = attention_scratch_bytes,
    .attend = attend,
};
static_assert(is_complete<table>());

}  // namespace loquat::inline LOQUAT_ABI::kernels::baseline
