// SPDX-License-Identifier: MIT
// Rotary positions: which frequency each pair of a head turns with, and the tables of one pass.
//
// Pair i of d rotary values turns by position * base^(-2i/d), changed by the file's scaling:
//   linear    every frequency divided by the factor
//   YaRN      fast pairs as they are, slow ones divided by the factor, a ramp between; cos and sin are scaled too
//   llama3    each frequency divided by its own factor, from the tensor rope_freqs.weight
// Source: YaRN: arXiv 2309.00071, sections 3.2 to 3.4; ramp ends rounded to whole pairs as published models were trained.
#ifndef LOQUAT_NN_ROPE_HPP
#define LOQUAT_NN_ROPE_HPP

#include <loquat/array.hpp>

#include <cstddef>
#include <cstdint>

#include "nn/context.hpp"

namespace loquat::inline LOQUAT_ABI::nn {

enum class RopeScaling : std::uint8_t { none, linear, yarn };

struct RopeOptions {
  std::size_t rotary = 0;  ///< leading values of a head that turn, even
  float base = 10000;
  RopeScaling scaling = RopeScaling::none;
  float factor = 1;
  float original_context = 0;  ///< YaRN: positions the model was trained with before scaling
  float beta_fast = 32;        ///< YaRN: turns over original_context above which a pair is left alone
  float beta_slow = 1;         ///< YaRN: turns below which a pair is fully divided
  float magnitude = 1;         ///< scale of cos and sin, YaRN's attention factor
};

struct Rope {
  explicit Rope(Allocator& allocator) noexcept : frequencies(allocator, MemoryTag::metadata) {}

  kernels::RopeLayout layout = kernels::RopeLayout::neighbours;
  std::size_t rotary = 0;
  Array<float> frequencies;        ///< [rotary / 2]
  const float* factors = nullptr;  ///< [rotary / 2]: divide the frequencies; null: none
  float magnitude = 1;             ///< of cos and sin
};

/// Fills everything but the factors. False: out of memory.
///
/// Numeric   double, rounded once to f32; the same bits everywhere (base/math.hpp)
[[nodiscard]] bool make_rope(const RopeOptions& options, kernels::RopeLayout layout, Rope& rope) noexcept;

/// cos, sin [T, rotary / 2] of positions first_position .. first_position + T - 1.
void rope_angles(const Context& context, const Rope& rope, std::size_t first_position, std::size_t n_tokens, float* cos,
                 float* sin) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::nn

#endif  // LOQUAT_NN_ROPE_HPP
