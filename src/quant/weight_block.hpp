// SPDX-License-Identifier: MIT
// One block of 32 weights taken apart: what every quantized format comes down to. Dequantizing and the
// canonical dot are written once over this form; a format's own file only says how its bytes are taken apart
// (and put together).
//
// Not for the units of the kernel levels: an inline function compiled with a level's flags could be picked by
// the linker for everybody (docs/kernels.md).
#ifndef LOQUAT_QUANT_WEIGHT_BLOCK_HPP
#define LOQUAT_QUANT_WEIGHT_BLOCK_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>

namespace loquat::inline LOQUAT_ABI {

inline constexpr std::size_t kWeightBlock = 32;
/// Values of a super-block, the block of the K formats: eight blocks of 32.
inline constexpr std::size_t kSuperBlock = 256;

/// How the value of a code comes about. h is the half (16 values) in which the code lies.
enum class WeightForm : std::uint8_t {
  scale,         ///< scale * code
  scale_offset,  ///< scale * code + offset
  half_scales,   ///< (scale * half_scale[h]) * code
  half_offsets,  ///< (scale * half_scale[h]) * code + offset * half_offset[h]
};

/// Parts that a form does not use are not set.
struct WeightBlock {
  std::int8_t codes[kWeightBlock];
  float scale;
  float offset;
  std::int32_t half_scale[2];
  std::int32_t half_offset[2];
};

// A format's block type B has:
//   B::kValues, B::kForm                                  values of a block; the form of each 32 of them
//   WeightBlock unpack(const B& block, std::size_t part)  values [32 * part, 32 * part + 32)
//   void quantize(const float* x, B& block)               from x [kValues]

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_WEIGHT_BLOCK_HPP
