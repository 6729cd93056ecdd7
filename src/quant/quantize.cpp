// SPDX-License-Identifier: MIT
// Rows of blocks to floats and back. How a format's bytes are taken apart is in its own file; here is what the parts mean.
#include "quant/quantize.hpp"

#include <cstring>

#include "base/assert.hpp"
#include "base/bytes.hpp"
#include "base/half.hpp"
#include "quant/block_types.hpp"
#include "quant/weight_math.hpp"

namespace loquat::inline LOQUAT_ABI {
namespace {

template <class Block>
void dequantize_blocks(const std::byte* row, float* values, std::size_t n) noexcept {
  for (std::size_t at = 0; at < n; at += Block::kValues, row += sizeof(Block)) {
    const Block block = load<Block>(row);
    for (std::size_t part = 0; part < Block::kValues / kWeightBlock; ++part) {
      to_values<Block::kForm>(unpack(block, part), values + at + part * kWeightBlock);
    }
  }
}

template <class Block>
void quantize_blocks(const float* values, std::byte* row, std::size_t n) noexcept {
  for (std::size_t at = 0; at < n; at += Block::kValues, row += sizeof(Block)) {
    Block block;
    quantize(values + at, block);
    store(row, block);
  }
}

}  // namespace

void dequantize_row(TensorType type, const void* row, float* values, std::size_t n) noexcept {
  const auto* bytes = static_cast<const std::byte*>(row);
  switch (type) {
    case TensorType::f32:
      if (n != 0) std::memcpy(values, row, n * sizeof(float));
      return;
    case TensorType::f16:
      for (std::size_t i = 0; i < n; ++i) values[i] = half_to_float(load<std::uint16_t>(bytes + 2 * i));
      return;
    case TensorType::bf16:
      for (std::size_t i = 0; i < n; ++i) values[i] = bfloat_to_float(load<std::uint16_t>(bytes + 2 * i));
      return;
    default:
      break;
  }
  [[maybe_unused]] const bool is_known =
      visit_block_type(type, [&]<class Block>(BlockTag<Block>) { dequantize_blocks<Block>(bytes, values, n); });
  LOQUAT_ASSERT(is_known);
}

void quantize_row(TensorType type, const float* values, void* row, std::size_t n) noexcept {
  auto* bytes = static_cast<std::byte*>(row);
  switch (type) {
    case TensorType::f32:
      if (n != 0) std::memcpy(row, values, n * sizeof(float));
      return;
    case TensorType::f16:
      for (std::size_t i = 0; i < n; ++i) store(bytes + 2 * i, float_to_half(values[i]));
      return;
    case TensorType::bf16:
      for (std::size_t i = 0; i < n; ++i) store(bytes + 2 * i, float_to_bfloat(values[i]));
      return;
    default:
      break;
  }
  [[maybe_unused]] const bool is_known =
      visit_block_type(type, [&]<class Block>(BlockTag<Block>) { quantize_blocks<Block>(values, bytes, n); });
  LOQUAT_ASSERT(is_known);
}

bool has_quantizer(TensorType type) noexcept {
  return tensor_type_info(type).is_computable;
}

}  // namespace loquat::inline LOQUAT_ABI
