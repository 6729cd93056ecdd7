// SPDX-License-Identifier: MIT
// The canonical order of operations in plain loops: the oracle of every kernel level, and what multiplies the formats
// that no level has a packed form for.
#include "quant/canonical.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "base/assert.hpp"
#include "base/bytes.hpp"
#include "base/half.hpp"
#include "quant/block_types.hpp"

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

/// Exact: at most 16 * 128 * 127 < 2^18.
std::int32_t dot_half(const std::int8_t* weights, const std::int8_t* activations) noexcept {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < 16; ++i) sum += std::int32_t{weights[i]} * std::int32_t{activations[i]};
  return sum;
}

std::int32_t sum_half(const std::int8_t* activations) noexcept {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < 16; ++i) sum += activations[i];
  return sum;
}

/// acc with one block of 32 added, in the order of canonical.hpp.
template <WeightForm form>
float accumulate(const WeightBlock& weights, const ActivationBlock& x, float acc) noexcept {
  const std::int32_t sum0 = dot_half(weights.codes, x.codes);
  const std::int32_t sum1 = dot_half(weights.codes + 16, x.codes + 16);
  if constexpr (form == WeightForm::scale || form == WeightForm::scale_offset) {
    acc = std::fma(weights.scale * x.scale, static_cast<float>(sum0 + sum1), acc);
  } else {
    const std::int32_t sum = weights.half_scale[0] * sum0 + weights.half_scale[1] * sum1;
    acc = std::fma(weights.scale * x.scale, static_cast<float>(sum), acc);
  }
  if constexpr (form == WeightForm::scale_offset) {
    acc = std::fma(weights.offset, x.scale * static_cast<float>(x.sum), acc);
  }
  if constexpr (form == WeightForm::half_offsets) {
    const std::int32_t sum =
        weights.half_offset[0] * sum_half(x.codes) + weights.half_offset[1] * sum_half(x.codes + 16);
    acc = std::fma(weights.offset, x.scale * static_cast<float>(sum), acc);
  }
  return acc;
}

/// Up to kColumns elements of one output row: each block of weights is unpacked once for all of them.
constexpr std::size_t kColumns = 8;

template <class Block>
void dot_columns(const std::byte* row, const ColumnBlocks& x, std::size_t k, std::size_t first, std::size_t count,
                 float* acc) noexcept {
  for (std::size_t c = 0; c < count; ++c) acc[c] = 0;
  for (std::size_t at = 0; at < k; at += Block::kValues, row += sizeof(Block)) {
    const Block block = load<Block>(row);
    for (std::size_t part = 0; part < Block::kValues / kWeightBlock; ++part) {
      const WeightBlock weights = unpack(block, part);
      const std::size_t index = at / kActivationBlock + part;
      for (std::size_t c = 0; c < count; ++c) {
        acc[c] = accumulate<Block::kForm>(weights, x.blocks[(first + c) * x.stride + index], acc[c]);
      }
    }
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

void dot_reference_columns(TensorType type, const void* row, const ColumnBlocks& x, std::size_t k, std::size_t n,
                           float* y, std::size_t y_stride) noexcept {
  const auto* bytes = static_cast<const std::byte*>(row);
  [[maybe_unused]] const bool is_known = visit_block_type(type, [&]<class Block>(BlockTag<Block>) {
    for (std::size_t first = 0; first < n; first += kColumns) {
      float acc[kColumns];
      const std::size_t count = n - first < kColumns ? n - first : kColumns;
      dot_columns<Block>(bytes, x, k, first, count, acc);
      for (std::size_t c = 0; c < count; ++c) y[(first + c) * y_stride] = acc[c];
    }
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
