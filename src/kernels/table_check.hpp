// SPDX-License-Identifier: MIT
// The check that a level's table is whole (promise B5): every kernels.cpp asserts it at compile time.
#ifndef LOQUAT_KERNELS_TABLE_CHECK_HPP
#define LOQUAT_KERNELS_TABLE_CHECK_HPP

#include "kernels/kernels.hpp"

namespace loquat::inline LOQUAT_ABI::kernels {

/// True if every member is set. A member that is added to the table and not here does not compile: the names below must
/// be as many as the members.
constexpr bool is_complete(const KernelTable& table) noexcept {
  const auto& [level, input_bytes, input_tile, quantize_input, multiply_scratch_bytes, multiply, rms_norm, add,
               silu_multiply, rope, to_half, to_float, attention_tile, attention_scratch_bytes, attend] = table;
  return level != Level::automatic && input_bytes && input_tile != 0 && quantize_input && multiply_scratch_bytes &&
         multiply && rms_norm && add && silu_multiply && rope && to_half && to_float && attention_tile != 0 &&
         attention_scratch_bytes && attend;
}

}  // namespace loquat::inline LOQUAT_ABI::kernels

#endif  // LOQUAT_KERNELS_TABLE_CHECK_HPP
