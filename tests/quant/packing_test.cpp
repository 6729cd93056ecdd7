// SPDX-License-Identifier: MIT
#include "quant/packing.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "quant/quantize.hpp"
#include "support/catch.hpp"

using namespace loquat;

namespace {

constexpr TensorType kPackable[] = {TensorType::q4_0, TensorType::q4_1, TensorType::q5_0,
                                    TensorType::q8_0, TensorType::q4_k, TensorType::q6_k,
                                    TensorType::f32,  TensorType::f16,  TensorType::bf16};

/// Any bytes are a valid row; some scales are infinite or NaN.
std::vector<std::uint8_t> random_rows(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> rows(bytes);
  for (std::uint8_t& byte : rows) byte = static_cast<std::uint8_t>(random());
  return rows;
}

/// Panels must be aligned to 64 bytes.
struct PanelBuffer {
  std::vector<std::uint8_t> bytes;
  std::uint8_t* begin;
  explicit PanelBuffer(std::size_t size) : bytes(size + 2 * kPackAlignment, 0xA5) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    begin = bytes.data() + (kPackAlignment - address % kPackAlignment);
  }
};

/// Equal bits, or both NaN.
bool are_same(const std::vector<float>& a, const std::vector<float>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::memcmp(&a[i], &b[i], sizeof(float)) != 0) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("every row of a panel unpacks to the bits of dequantize_row, whatever the number of rows and k (Q3)") {
  for (const TensorType type : kPackable) {
    const TensorTypeInfo& info = tensor_type_info(type);
    for (const std::size_t blocks : {1u, 2u, 3u, 5u, 8u}) {
      const std::size_t k = blocks * (info.block_values == 1 ? 32 : info.block_values);
      for (const std::size_t rows : {1u, 2u, 7u, 15u, 16u}) {
        CAPTURE(info.name, k, rows);
        const std::size_t row_size = row_bytes(type, k);
        const auto file = random_rows(rows * row_size + 1, static_cast<unsigned>(blocks * 100 + rows));
        const std::uint8_t* unaligned = file.data() + 1;
        PanelBuffer panel(panel_bytes(type, k));
        pack_panel(type, unaligned, rows, k, panel.begin);
        CHECK(panel.begin[panel_bytes(type, k)] == 0xA5);
        std::vector<float> want(k), got(k);
        for (std::size_t row = 0; row < rows; ++row) {
          dequantize_row(type, unaligned + row * row_size, want.data(), k);
          unpack_panel_row(type, panel.begin, row, k, got.data());
          CHECK(are_same(got, want));
        }
      }
    }
  }
}

TEST_CASE("rows that a panel lacks unpack to zeros") {
  for (const TensorType type : kPackable) {
    const std::size_t k = 512;
    CAPTURE(tensor_type_info(type).name);
    const auto file = random_rows(row_bytes(type, k), 1);
    PanelBuffer panel(panel_bytes(type, k));
    pack_panel(type, file.data(), 1, k, panel.begin);
    std::vector<float> values(k, 1.0f);
    for (std::size_t row = 1; row < kPanelRows; ++row) {
      unpack_panel_row(type, panel.begin, row, k, values.data());
      for (const float value : values) REQUIRE(value == 0.0f);
    }
  }
}

TEST_CASE("a packed matrix is at most 3.2 % larger than the file's and keeps every panel aligned") {
  for (const TensorType type : kPackable) {
    const TensorTypeInfo& info = tensor_type_info(type);
    for (const std::size_t k : {512u, 1536u, 2048u, 8192u}) {
      CAPTURE(info.name, k);
      const std::size_t file = 64 * row_bytes(type, k);
      const std::size_t packed = packed_bytes(type, 64, k);
      CHECK(packed >= file);
      CHECK(static_cast<double>(packed) <= 1.032 * static_cast<double>(file));
      CHECK(panel_bytes(type, k) % kPackAlignment == 0);
      CHECK(packed_bytes(type, 65, k) == 5 * panel_bytes(type, k));
    }
  }
}

TEST_CASE("exactly the types with a packed form are packable") {
  for (std::uint32_t number = 0; number < 64; ++number) {
    const TensorTypeInfo* info = find_tensor_type(number);
    if (info == nullptr) continue;
    bool is_listed = false;
    for (const TensorType type : kPackable) is_listed = is_listed || type == info->type;
    CAPTURE(info->name);
    CHECK(is_packable(info->type) == is_listed);
  }
}
