// SPDX-License-Identifier: MIT
// The check that a level's table is whole (promise B5): every kernels.cpp asserts it at compile time.
#ifndef LOQUAT_KERNELS_TABLE_CHECK_HPP
#define LOQUAT_KERNELS_TABLE_CHECK_HPP

#include <type_traits>

#include "kernels/kernels.hpp"

namespace loquat::inline LOQUAT_ABI::kernels {

template <auto pointer>
struct PointerConstant {};

/// Compares types, not addresses: for GCC 12 with -fsanitize=undefined a function's address compared with null is no
/// constant (its bug 71962).
template <auto pointer>
inline constexpr bool is_set =
    !std::is_same_v<PointerConstant<pointer>, PointerConstant<static_cast<decltype(pointer)>(nullptr)>>;

/// True if every member is set. The size tells when a member was added to the table and not here.
template <const KernelTable& table>
constexpr bool is_complete() noexcept {
  static_assert(sizeof(KernelTable) == 15 * sizeof(void*));
  return table.level != Level::automatic && table.input_tile != 0 && table.attention_tile != 0 &&
         is_set<table.input_bytes> && is_set<table.quantize_input> && is_set<table.multiply_scratch_bytes> &&
         is_set<table.multiply> && is_set<table.rms_norm> && is_set<table.add> && is_set<table.silu_multiply> &&
         is_set<table.rope> && is_set<table.to_half> && is_set<table.to_float> &&
         is_set<table.attention_scratch_bytes> && is_set<table.attend>;
}

}  // namespace loquat::inline LOQUAT_ABI::kernels

#endif  // LOQUAT_KERNELS_TABLE_CHECK_HPP
