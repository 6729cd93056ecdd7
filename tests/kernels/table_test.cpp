// SPDX-License-Identifier: MIT
// Products of every level the machine has, in every type and layout, against the plain dot bit for bit.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/kernels.hpp"
#include "quant/canonical.hpp"
#include "quant/packing.hpp"
#include "support/blocks.hpp"
#include "support/catch.hpp"

using namespace loquat;
using namespace loquat::kernels;
using namespace loquat_test;

namespace {

constexpr std::size_t kSizes[] = {1, 3, 7, 8, 9, 31, 32, 33, 255, 256, 257};
constexpr std::size_t kMost = 257;

std::vector<const KernelTable*> available_tables() {
  std::vector<const KernelTable*> tables;
  for (const LevelInfo& info : levels()) {
    if (info.is_available) tables.push_back(find_kernels(info.level));
  }
  return tables;
}

/// Bytes at an address that is `offset` above a multiple of 64.
class Buffer {
 public:
  explicit Buffer(std::size_t size, std::size_t offset = 0) : bytes_(size + 64 + offset + 64) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    begin_ = bytes_.data() + (64 - address % 64) + offset;
  }
  std::byte* begin() { return begin_; }

 private:
  std::vector<std::byte> bytes_;
  std::byte* begin_;
};

/// Weights, activations and what the plain dot makes of them: element (n, row) at want[n * rows + row].
struct Problem {
  TensorType type;
  std::size_t rows;
  std::size_t n;
  std::size_t k;
  std::vector<std::byte> weights;
  std::vector<float> x;  // [n, x_stride]
  std::size_t x_stride;
  std::vector<float> want;
};

void solve(Problem& problem) {
  const std::size_t k = problem.k;
  const std::size_t row_size = row_bytes(problem.type, k);
  problem.want.resize(problem.n * problem.rows);
  for (std::size_t n = 0; n < problem.n; ++n) {
    const float* x = problem.x.data() + n * problem.x_stride;
    std::vector<ActivationBlock> blocks(k / kActivationBlock);
    if (!is_float_type(problem.type)) quantize_activations_reference(x, blocks.data(), k);
    for (std::size_t row = 0; row < problem.rows; ++row) {
      const std::byte* w = problem.weights.data() + row * row_size;
      problem.want[n * problem.rows + row] = is_float_type(problem.type)
                                                 ? dot_float_reference(problem.type, w, x, k)
                                                 : dot_reference(problem.type, w, blocks.data(), k);
    }
  }
}

Problem make_problem(TensorType type, std::size_t rows, std::size_t n, std::size_t k, unsigned seed) {
  Problem problem{type, rows, n, k, random_rows(type, rows, k, seed), normal_values(n * (k + 5), seed + 1), k + 5, {}};
  solve(problem);
  return problem;
}

/// How a test hands a part of a problem to a kernel.
struct Case {
  std::size_t rows;
  std::size_t n;
  bool is_packed;
  std::size_t misalignment;  // of the file's rows, of the activations (in floats) and of the results (in floats)
};

Buffer lay_out_weights(const Problem& problem, const Case& layout) {
  const std::size_t row_size = row_bytes(problem.type, problem.k);
  if (!layout.is_packed) {
    // Float weights are aligned to their own size in every file.
    Buffer rows(layout.rows * row_size, is_float_type(problem.type) ? layout.misalignment * 4 : layout.misalignment);
    std::memcpy(rows.begin(), problem.weights.data(), layout.rows * row_size);
    return rows;
  }
  Buffer panels(packed_bytes(problem.type, layout.rows, problem.k));
  const std::size_t panel_size = panel_bytes(problem.type, problem.k);
  for (std::size_t row = 0; row < layout.rows; row += kPanelRows) {
    pack_panel(problem.type, problem.weights.data() + row * row_size, std::min(kPanelRows, layout.rows - row),
               problem.k, panels.begin() + row / kPanelRows * panel_size);
  }
  return panels;
}

/// y of all tiles, by the calls an evaluator makes. Elements beyond the rows keep the mark.
constexpr float kMark = -12345.0f;

std::vector<float> multiply(const KernelTable& table, const Problem& problem, const Case& part, std::size_t y_stride) {
  Buffer weights = lay_out_weights(problem, part);
  Buffer x(part.n * problem.x_stride * sizeof(float), part.misalignment * sizeof(float));
  std::memcpy(x.begin(), problem.x.data(), part.n * problem.x_stride * sizeof(float));
  const auto* activations = reinterpret_cast<const float*>(x.begin());
  Buffer input_bytes(table.input_bytes(problem.k, part.n));
  Buffer scratch(table.multiply_scratch_bytes(problem.k, part.n));
  std::vector<float> y(part.n * y_stride + part.misalignment, kMark);
  Product product;
  product.weights = {problem.type, part.is_packed, weights.begin(), part.rows, problem.k};
  product.n = part.n;
  product.y = y.data() + part.misalignment;
  product.y_stride = y_stride;
  if (is_float_type(problem.type)) {
    product.x = activations;
    product.x_stride = problem.x_stride;
  } else {
    product.input = {input_bytes.begin(), problem.k, part.n};
    for (std::size_t begin = 0; begin < part.n; begin += table.input_tile) {
      table.quantize_input(activations, problem.x_stride, product.input, begin,
                           std::min(part.n, begin + table.input_tile));
    }
  }
  for (std::size_t tile = 0; tile * kTileRows < part.rows; ++tile) table.multiply(product, tile, scratch.begin());
  y.erase(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(part.misalignment));
  return y;
}

/// Equal bits; any NaN equals any other.
bool is_same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}

void check_case(const KernelTable& table, const Problem& problem, const Case& part) {
  const std::size_t y_stride = part.rows + 3;
  const std::vector<float> y = multiply(table, problem, part, y_stride);
  for (std::size_t n = 0; n < part.n; ++n) {
    for (std::size_t row = 0; row < y_stride; ++row) {
      const float want = row < part.rows ? problem.want[n * problem.rows + row] : kMark;
      if (!is_same(y[n * y_stride + row], want)) {
        FAIL(to_string(table.level) << " " << type_name(problem.type) << (part.is_packed ? " packed " : " file ")
                                    << part.rows << " rows, " << part.n << " columns, k " << problem.k
                                    << ", misaligned by " << part.misalignment << ": row " << row << " of column " << n
                                    << " is " << y[n * y_stride + row] << ", expected " << want);
      }
    }
  }
}

/// Both layouts, where the type has two.
std::vector<bool> layouts(TensorType type) {
  return is_packable(type) ? std::vector<bool>{false, true} : std::vector<bool>{false};
}

}  // namespace

TEST_CASE(
    "every level multiplies every type and layout to the reference's bits, rows and columns 1 to 257 (Q1, Q3, D2)") {
  for (const TensorType type : computable_types()) {
    const std::size_t k = std::max<std::size_t>(32, tensor_type_info(type).block_values);
    const Problem problem = make_problem(type, kMost, kMost, k, 1);
    for (const KernelTable* table : available_tables()) {
      for (const bool is_packed : layouts(type)) {
        for (const std::size_t rows : kSizes) check_case(*table, problem, {rows, 9, is_packed, 0});
        for (const std::size_t n : kSizes) check_case(*table, problem, {33, n, is_packed, 0});
        check_case(*table, problem, {kMost, kMost, is_packed, 0});
      }
    }
    SUCCEED();
  }
}

TEST_CASE("every level gives the reference's bits at every depth (Q1, D2)") {
  for (const TensorType type : computable_types()) {
    const std::size_t block = tensor_type_info(type).block_values;
    for (const std::size_t blocks : {1u, 2u, 3u, 5u, 7u, 8u, 9u, 17u, 33u}) {
      const std::size_t k = is_float_type(type) ? 32 * blocks : block * blocks;
      const Problem problem = make_problem(type, 70, 13, k, 50);
      for (const KernelTable* table : available_tables()) {
        for (const bool is_packed : layouts(type)) {
          for (const std::size_t n : {1u, 4u, 13u}) check_case(*table, problem, {70, n, is_packed, 0});
        }
      }
    }
    SUCCEED();
  }
}

TEST_CASE("unaligned rows, activations and results give the same bits (Q5)") {
  for (const TensorType type : computable_types()) {
    const Problem problem = make_problem(type, 37, 6, 512, 80);
    for (const KernelTable* table : available_tables()) {
      for (const bool is_packed : layouts(type)) {
        for (const std::size_t shift : {1u, 2u, 3u, 7u}) check_case(*table, problem, {37, 6, is_packed, shift});
      }
    }
    SUCCEED();
  }
}

TEST_CASE(
    "codes at both ends and scales zero, tiny, huge and mixed give the reference's bits on every level (Q2, Q4)") {
  const std::vector<std::vector<float>> scale_sets = {
      {0.0f}, {-0.0f}, {0x1p-24f}, {65504.0f, -65504.0f}, {0.0f, 65504.0f, 0x1p-24f, -1.0f, 0.01f}};
  for (const TensorType type : quantized_types()) {
    const std::size_t k = 512;
    for (const std::vector<float>& scales : scale_sets) {
      Problem problem{type, 0, 5, k, {}, normal_values(5 * k, 90), k, {}};
      for (const int fill : {0x00, 0xFF, 0x80, 0x7F, 0x55, 0xAA, 0x0F, 0xF0, 0x88, 0x77}) {
        const std::vector<std::byte> row = filled_row(type, k, static_cast<std::byte>(fill), scales);
        problem.weights.insert(problem.weights.end(), row.begin(), row.end());
        ++problem.rows;
      }
      std::fill_n(problem.x.begin(), k, 1.0f);                                    // every code 127
      std::fill_n(problem.x.begin() + static_cast<std::ptrdiff_t>(k), k, -1.0f);  // every code -127
      std::fill_n(problem.x.begin() + static_cast<std::ptrdiff_t>(2 * k), k, 0.0f);
      for (std::size_t i = 3 * k; i < 4 * k; ++i) problem.x[i] *= i % 64 < 32 ? 1e-30f : 1e25f;
      solve(problem);
      for (const KernelTable* table : available_tables()) {
        for (const bool is_packed : layouts(type)) check_case(*table, problem, {problem.rows, 5, is_packed, 0});
      }
    }
    SUCCEED();
  }
}

TEST_CASE("one weight and one activation apart from zero meet at every position on every level (Q2)") {
  for (const TensorType type : quantized_types()) {
    const std::size_t k = 256;
    Problem problem{type, 16, k, k, random_rows(type, 16, k, 95), std::vector<float>(k * k, 0.0f), k, {}};
    for (std::size_t n = 0; n < k; ++n) problem.x[n * k + n] = 1.0f;
    solve(problem);
    for (const KernelTable* table : available_tables()) {
      for (const bool is_packed : layouts(type)) check_case(*table, problem, {16, k, is_packed, 0});
    }
    SUCCEED();
  }
}

TEST_CASE("activations that are NaN, infinite, subnormal or tied are quantized alike on every level") {
  const float specials[] = {std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::max(),
                            1e-38f,
                            1e-41f};
  for (const TensorType type : quantized_types()) {
    const std::size_t k = 256;
    const std::size_t n = 2 * std::size(specials) + 1;
    Problem problem{type, 20, n, k, random_rows(type, 20, k, 97), normal_values(n * k, 98, 0.25f), k, {}};
    for (std::size_t i = 0; i < std::size(specials); ++i) {
      problem.x[2 * i * k + 37 * i] = specials[i];
      // A column of that size alone: its scale is subnormal, or 127 / absmax is not finite.
      for (std::size_t j = 0; j < k; j += 3) problem.x[(2 * i + 1) * k + j] = specials[i];
      if (std::fabs(specials[i]) < 1) {
        for (std::size_t j = 0; j < k; ++j) problem.x[(2 * i + 1) * k + j] *= specials[i];
      }
    }
    for (std::size_t j = 0; j < k; ++j) {  // ties: the block's scale is 1
      problem.x[(n - 1) * k + j] = j % 32 == 0 ? 127.0f : static_cast<float>(j % 32) - 15.5f;
    }
    solve(problem);
    for (const KernelTable* table : available_tables()) {
      for (const bool is_packed : layouts(type)) check_case(*table, problem, {20, n, is_packed, 0});
    }
    SUCCEED();
  }
}

TEST_CASE("columns quantized tile by tile, in any order, give the same bits as all at once (D1)") {
  for (const KernelTable* table : available_tables()) {
    CAPTURE(to_string(table->level));
    const std::size_t k = 320;
    for (const std::size_t n : {1u, 5u, 29u, 64u}) {
      const std::vector<float> x = normal_values(n * k, 99);
      const std::size_t size = table->input_bytes(k, n);
      Buffer whole(size);
      Buffer pieces(size);
      std::memset(whole.begin(), 0, size);
      std::memset(pieces.begin(), 0, size);
      table->quantize_input(x.data(), k, {whole.begin(), k, n}, 0, n);
      const std::size_t tiles = (n + table->input_tile - 1) / table->input_tile;
      for (std::size_t tile = tiles; tile-- > 0;) {
        const std::size_t begin = tile * table->input_tile;
        table->quantize_input(x.data(), k, {pieces.begin(), k, n}, begin, std::min(n, begin + table->input_tile));
      }
      CHECK(std::memcmp(whole.begin(), pieces.begin(), size) == 0);
    }
  }
}

TEST_CASE("the bytes of an input grow with the columns, on every level") {
  for (const KernelTable* table : available_tables()) {
    for (const std::size_t k : {32u, 256u, 4096u}) {
      for (std::size_t n = 1; n < 70; ++n) CHECK(table->input_bytes(k, n + 1) >= table->input_bytes(k, n));
    }
  }
}
