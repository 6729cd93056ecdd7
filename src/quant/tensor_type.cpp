// SPDX-License-Identifier: MIT
// The table of tensor types. Types that cannot be computed with are listed as well: a file that holds them
// can be described, and is refused by the type's name instead of a number. Block sizes are those of ggml
// (ggml-common.h), Q1_0 and Q2_0 those of reference data; the row-interleaved types 31..33 and 36..38 were
// withdrawn there, but files exist.
#include "quant/tensor_type.hpp"

#include <array>

#include "quant/iq4.hpp"
#include "quant/mxfp4.hpp"
#include "quant/q2_k.hpp"
#include "quant/q3_k.hpp"
#include "quant/q4.hpp"
#include "quant/q4_k.hpp"
#include "quant/q5.hpp"
#include "quant/q6_k.hpp"
#include "quant/q8_0.hpp"

namespace loquat::inline LOQUAT_ABI {
namespace {

using enum TensorType;

// clang-format off
constexpr TensorTypeInfo kTypes[] = {
    // type       name          values  bytes                  computable
    {f32,         "F32",           1,   4,                     true},
    {f16,         "F16",           1,   2,                     true},
    {q4_0,        "Q4_0",         32,   sizeof(BlockQ4_0),     true},
    {q4_1,        "Q4_1",         32,   sizeof(BlockQ4_1),     true},
    {q5_0,        "Q5_0",         32,   sizeof(BlockQ5_0),     true},
    {q5_1,        "Q5_1",         32,   sizeof(BlockQ5_1),     true},
    {q8_0,        "Q8_0",         32,   sizeof(BlockQ8_0),     true},
    {q8_1,        "Q8_1",         32,   2 + 2 + 32,            false},  // d, d * sum, codes
    {q2_k,        "Q2_K",        256,   sizeof(BlockQ2_K),     true},
    {q3_k,        "Q3_K",        256,   sizeof(BlockQ3_K),     true},
    {q4_k,        "Q4_K",        256,   sizeof(BlockQ4_K),     true},
    {q5_k,        "Q5_K",        256,   sizeof(BlockQ5_K),     true},
    {q6_k,        "Q6_K",        256,   sizeof(BlockQ6_K),     true},
    {q8_k,        "Q8_K",        256,   4 + 256 + 16 * 2,      false},  // f32 d, codes, sums of 16
    {iq2_xxs,     "IQ2_XXS",     256,   2 + 64,                false},
    {iq2_xs,      "IQ2_XS",      256,   2 + 64 + 8,            false},
    {iq3_xxs,     "IQ3_XXS",     256,   2 + 64 + 32,           false},
    {iq1_s,       "IQ1_S",       256,   2 + 32 + 16,           false},
    {iq4_nl,      "IQ4_NL",       32,   sizeof(BlockIq4Nl),    true},
    {iq3_s,       "IQ3_S",       256,   2 + 64 + 8 + 32 + 4,   false},
    {iq2_s,       "IQ2_S",       256,   2 + 64 + 8 + 8,        false},
    {iq4_xs,      "IQ4_XS",      256,   sizeof(BlockIq4Xs),    true},
    {i8,          "I8",            1,   1,                     false},
    {i16,         "I16",           1,   2,                     false},
    {i32,         "I32",           1,   4,                     false},
    {i64,         "I64",           1,   8,                     false},
    {f64,         "F64",           1,   8,                     false},
    {iq1_m,       "IQ1_M",       256,   32 + 16 + 8,           false},
    {bf16,        "BF16",          1,   2,                     true},
    {q4_0_4_4,    "Q4_0_4_4",     32,   sizeof(BlockQ4_0),     false},
    {q4_0_4_8,    "Q4_0_4_8",     32,   sizeof(BlockQ4_0),     false},
    {q4_0_8_8,    "Q4_0_8_8",     32,   sizeof(BlockQ4_0),     false},
    {tq1_0,       "TQ1_0",       256,   48 + 4 + 2,            false},
    {tq2_0,       "TQ2_0",       256,   64 + 2,                false},
    {iq4_nl_4_4,  "IQ4_NL_4_4",   32,   sizeof(BlockIq4Nl),    false},
    {iq4_nl_4_8,  "IQ4_NL_4_8",   32,   sizeof(BlockIq4Nl),    false},
    {iq4_nl_8_8,  "IQ4_NL_8_8",   32,   sizeof(BlockIq4Nl),    false},
    {mxfp4,       "MXFP4",        32,   sizeof(BlockMxfp4),    true},
    {nvfp4,       "NVFP4",        64,   4 + 32,                false},
    {q1_0,        "Q1_0",        128,   2 + 16,                false},
    {q2_0,        "Q2_0",         64,   2 + 16,                false},
};
// clang-format on

constexpr std::size_t kNumbers = 43;
constexpr std::uint8_t kNoRow = 255;

/// Row of the table for each number of a file.
constexpr auto kRowOfNumber = [] {
  std::array<std::uint8_t, kNumbers> rows{};
  rows.fill(kNoRow);
  std::uint8_t row = 0;
  for (const TensorTypeInfo& info : kTypes) rows[static_cast<std::size_t>(info.type)] = row++;
  return rows;
}();

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_same_name(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

}  // namespace

std::span<const TensorTypeInfo> tensor_types() noexcept {
  return kTypes;
}

const TensorTypeInfo* find_tensor_type(std::uint32_t number) noexcept {
  if (number >= kNumbers || kRowOfNumber[number] == kNoRow) return nullptr;
  return &kTypes[kRowOfNumber[number]];
}

const TensorTypeInfo& tensor_type_info(TensorType type) noexcept {
  return kTypes[kRowOfNumber[static_cast<std::size_t>(type)]];
}

const TensorTypeInfo* find_tensor_type(std::string_view name) noexcept {
  for (const TensorTypeInfo& info : kTypes) {
    if (is_same_name(info.name, name)) return &info;
  }
  return nullptr;
}

}  // namespace loquat::inline LOQUAT_ABI
