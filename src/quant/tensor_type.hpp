// SPDX-License-Identifier: MIT
// The tensor types of GGUF files: numbers, block sizes, names. One row a type; everything else asks this table.
#ifndef LOQUAT_QUANT_TENSOR_TYPE_HPP
#define LOQUAT_QUANT_TENSOR_TYPE_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace loquat::inline LOQUAT_ABI {

// clang-format off
/// The numbers that GGUF files use (ggml.h, enum ggml_type).
enum class TensorType : std::uint32_t {
  f32 = 0, f16 = 1, q4_0 = 2, q4_1 = 3, q5_0 = 6, q5_1 = 7, q8_0 = 8, q8_1 = 9,
  q2_k = 10, q3_k = 11, q4_k = 12, q5_k = 13, q6_k = 14, q8_k = 15,
  iq2_xxs = 16, iq2_xs = 17, iq3_xxs = 18, iq1_s = 19, iq4_nl = 20, iq3_s = 21, iq2_s = 22, iq4_xs = 23,
  i8 = 24, i16 = 25, i32 = 26, i64 = 27, f64 = 28, iq1_m = 29, bf16 = 30,
  q4_0_4_4 = 31, q4_0_4_8 = 32, q4_0_8_8 = 33, tq1_0 = 34, tq2_0 = 35,
  iq4_nl_4_4 = 36, iq4_nl_4_8 = 37, iq4_nl_8_8 = 38, mxfp4 = 39, nvfp4 = 40, q1_0 = 41, q2_0 = 42,
};
// clang-format on

struct TensorTypeInfo {
  TensorType type;
  std::string_view name;      ///< "Q4_K"
  std::uint32_t block_values; ///< values per block along a row
  std::uint32_t block_bytes;
  bool is_computable;         ///< matrices of this type can be multiplied and rows read
};

/// Every type, in the order of their numbers.
std::span<const TensorTypeInfo> tensor_types() noexcept;
/// Null for a number that no GGUF file uses.
const TensorTypeInfo* find_tensor_type(std::uint32_t number) noexcept;
/// Requires  a type from the enumeration
const TensorTypeInfo& tensor_type_info(TensorType type) noexcept;
/// By name ("Q4_K", any letter case), or null.
const TensorTypeInfo* find_tensor_type(std::string_view name) noexcept;

/// Bytes of one row of `values` values.
///
/// Requires  values % block_values == 0
inline std::size_t row_bytes(TensorType type, std::size_t values) noexcept {
  const TensorTypeInfo& info = tensor_type_info(type);
  return values / info.block_values * info.block_bytes;
}

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_TENSOR_TYPE_HPP
