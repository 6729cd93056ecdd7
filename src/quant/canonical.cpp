// SPDX-License-Identifier: MIT
// The canonical order of operations in plain loops: the oracle of every kernel level, and what multiplies the formats
// that no level has a packed form for.
#include "quant/canonical.hpp"

#include <bit>
#include <cmath>

#include "base/assert.hpp"
#include "base/bytes.hpp"
#include "base/half.hpp"
#include "quant/block_types.hpp"
#include "quant/packing.hpp"
#include "quant/weight_math.hpp"

namespace loquat::inline LOQUAT_ABI {
namespace {

/// Greatest absolute value of a block; NaN if there is one, since its bits are above those of infinity.
float absolute_maximum(const float* x) noexcept {
  std::uint32_t greatest = 0;
  for (std::size_t i = 0; i < kActivationBlock; ++i) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x[i]) & 0x7FFFFFFFu;
    greatest = bits > greatest ? bits : greatest;
  }
  return std::bit_cast<float>(greatest);
}

/// y[c * y_stride] for all n columns, from a row whose block i is block_at(i). Each block of weights is unpacked once for
/// up to kColumns columns.
template <WeightForm form, class BlockAt>
void dot_columns(BlockAt block_at, const ColumnBlocks& x, std::size_t blocks, std::size_t n, float* y,
                 std::size_t y_stride) noexcept {
  constexpr std::size_t kColumns = 8;
  for (std::size_t first = 0; first < n; first += kColumns) {
    const std::size_t count = n - first < kColumns ? n - first : kColumns;
    float acc[kColumns] = {};
    for (std::size_t i = 0; i < blocks; ++i) {
      const WeightBlock weights = block_at(i);
      for (std::size_t c = 0; c < count; ++c) {
        acc[c] = accumulate<form>(weights, x.blocks[(first + c) * x.stride + i], acc[c]);
      }
    }
    for (std::size_t c = 0; c < count; ++c) y[(first + c) * y_stride] = acc[c];
  }
}

template <class Load>
float dot_floats(const float* x, std::size_t k, Load load_weight) noexcept {
  float acc = 0;
  for (std::size_t i = 0; i < k; ++i) acc = std::fma(load_weight(i), x[i], acc);
  return acc;
}

}  // namespace

void quantize_activations_reference(const float* x, ActivationBlock* blocks, std::size_t k) noexcept {
  for (std::size_t b = 0; b < k / kActivationBlock; ++b, x += kActivationBlock) {
    ActivationBlock& block = blocks[b];
    const float greatest = absolute_maximum(x);
    block.scale = greatest / 127.0f;
    block.sum = 0;
    const float inverse = greatest == 0 ? 0.0f : 127.0f / greatest;
    for (std::size_t i = 0; i < kActivationBlock; ++i) {
      float value = x[i] * inverse;
      value = value > -127.0f ? value : -127.0f;  // NaN becomes -127
      value = value < 127.0f ? value : 127.0f;
      block.codes[i] = static_cast<std::int8_t>(std::nearbyint(value));
      block.sum += block.codes[i];
    }
  }
}

void quantization_residual(const float* x, float* residual, std::size_t k) noexcept {
  // Adding and subtracting 1.5 * 2^23 rounds to the nearest whole number, ties to even, as nearbyint does: |value| <= 127.
  constexpr float kRound = 12582912.0f;
  for (std::size_t b = 0; b < k / kActivationBlock; ++b, x += kActivationBlock, residual += kActivationBlock) {
    const float greatest = absolute_maximum(x);
    const float scale = greatest / 127.0f;
    const float inverse = greatest == 0 ? 0.0f : 127.0f / greatest;
    for (std::size_t i = 0; i < kActivationBlock; ++i) {
      float value = x[i] * inverse;
      value = value > -127.0f ? value : -127.0f;
      value = value < 127.0f ? value : 127.0f;
      residual[i] = x[i] - scale * ((value + kRound) - kRound);
    }
  }
}

void dot_reference_columns(TensorType type, const void* row, const ColumnBlocks& x, std::size_t k, std::size_t n,
                           float* y, std::size_t y_stride) noexcept {
  const auto* bytes = static_cast<const std::byte*>(row);
  [[maybe_unused]] const bool is_known = visit_block_type(type, [&]<class Block>(BlockTag<Block>) {
    constexpr std::size_t kParts = Block::kValues / kWeightBlock;
    const auto block_at = [bytes](std::size_t i) {
      return unpack(load<Block>(bytes + i / kParts * sizeof(Block)), i % kParts);
    };
    dot_columns<Block::kForm>(block_at, x, k / kWeightBlock, n, y, y_stride);
  });
  LOQUAT_ASSERT(is_known);
}

void dot_panel_columns(TensorType type, const void* panel, std::size_t row, const ColumnBlocks& x, std::size_t k,
                       std::size_t n, float* y, std::size_t y_stride) noexcept {
  [[maybe_unused]] const bool is_known = visit_block_type(type, [&]<class Block>(BlockTag<Block>) {
    const auto block_at = [=](std::size_t i) { return unpack_panel_block(type, panel, row, i); };
    dot_columns<Block::kForm>(block_at, x, k / kWeightBlock, n, y, y_stride);
  });
  LOQUAT_ASSERT(is_known);
}

float dot_reference(TensorType type, const void* row, const ActivationBlock* x, std::size_t k) noexcept {
  float y = 0;
  dot_reference_columns(type, row, {x, 0}, k, 1, &y, 1);
  return y;
}

float dot_float_reference(TensorType type, const void* row, const float* x, std::size_t k) noexcept {
  const auto* bytes = static_cast<const std::byte*>(row);
  switch (type) {
    case TensorType::f16:
      return dot_floats(x, k, [=](std::size_t i) { return half_to_float(load<std::uint16_t>(bytes + 2 * i)); });
    case TensorType::bf16:
      return dot_floats(x, k, [=](std::size_t i) { return bfloat_to_float(load<std::uint16_t>(bytes + 2 * i)); });
    default:
      return dot_floats(x, k, [=](std::size_t i) { return load<float>(bytes + 4 * i); });
  }
}

}  // namespace loquat::inline LOQUAT_ABI
