// SPDX-License-Identifier: MIT
// Quantized products where a level changes its path: every width of a tile of columns, every cut of k into chunks, and
// activations that are no ordinary numbers. table_test.cpp has shapes, codes and alignments.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/kernels.hpp"
#include "quant/canonical.hpp"
#include "quant/packing.hpp"
#include "quant/quantize.hpp"
#include "support/catch.hpp"

using namespace loquat;
using kernels::KernelTable;

namespace {

constexpr TensorType kTypes[] = {TensorType::q4_0, TensorType::q4_1, TensorType::q5_0,   TensorType::q5_1,
                                 TensorType::q8_0, TensorType::q2_k, TensorType::q3_k,   TensorType::q4_k,
                                 TensorType::q5_k, TensorType::q6_k, TensorType::iq4_nl, TensorType::iq4_xs,
                                 TensorType::mxfp4};

std::vector<const KernelTable*> available_levels() {
  std::vector<const KernelTable*> tables;
  for (const LevelInfo& info : levels()) {
    if (info.is_available) tables.push_back(kernels::find_kernels(info.level));
  }
  return tables;
}

/// Bytes at an address that is a multiple of 64, filled with a pattern.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t size) : storage_(size + 128, std::byte{0xA5}) {
    begin_ = storage_.data() + (64 - reinterpret_cast<std::uintptr_t>(storage_.data()) % 64);
    size_ = size;
  }
  AlignedBytes(const AlignedBytes&) = delete;
  std::byte* data() { return begin_; }
  /// Nothing was written behind the end.
  bool is_end_intact() const { return begin_[size_] == std::byte{0xA5} && begin_[size_ + 1] == std::byte{0xA5}; }

 private:
  std::vector<std::byte> storage_;
  std::byte* begin_;
  std::size_t size_;
};

/// A weight matrix as in the file, and packed where the type can be.
struct Weights {
  TensorType type;
  std::size_t rows;
  std::size_t k;
  std::vector<std::byte> file;
  AlignedBytes packed;

  Weights(TensorType type_, std::size_t rows_, std::size_t k_, std::vector<std::byte> file_)
      : type(type_),
        rows(rows_),
        k(k_),
        file(std::move(file_)),
        packed(is_packable(type_) ? packed_bytes(type_, rows_, k_) : 0) {
    if (!is_packable(type)) return;
    for (std::size_t row = 0; row < rows; row += kPanelRows) {
      pack_panel(type, file.data() + row * row_bytes(type, k), std::min(kPanelRows, rows - row), k,
                 packed.data() + row / kPanelRows * panel_bytes(type, k));
    }
  }
  kernels::Matrix matrix(bool is_packed) { return {type, is_packed, is_packed ? packed.data() : file.data(), rows, k}; }
};

std::vector<float> random_values(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float& value : values) value = normal(random);
  return values;
}

/// Rows by the plain quantizer where the type has one, else random bytes with scales of moderate size.
std::vector<std::byte> random_rows(TensorType type, std::size_t rows, std::size_t k, unsigned seed) {
  const std::size_t size = row_bytes(type, k);
  std::vector<std::byte> file(rows * size);
  std::mt19937 random(seed);
  for (std::size_t row = 0; row < rows; ++row) {
    if (has_quantizer(type)) {
      const auto values = random_values(k, seed + static_cast<unsigned>(row));
      quantize_row(type, values.data(), file.data() + row * size, k);
    } else {
      for (std::size_t i = 0; i < size; ++i) file[row * size + i] = static_cast<std::byte>(random() & 0x3Fu);
    }
  }
  return file;
}

std::vector<float> oracle(const Weights& w, const std::vector<float>& x, std::size_t n) {
  std::vector<float> y(n * w.rows);
  std::vector<ActivationBlock> blocks(w.k / kActivationBlock);
  for (std::size_t column = 0; column < n; ++column) {
    quantize_activations_reference(x.data() + column * w.k, blocks.data(), w.k);
    for (std::size_t row = 0; row < w.rows; ++row) {
      y[column * w.rows + row] =
          dot_reference(w.type, w.file.data() + row * row_bytes(w.type, w.k), blocks.data(), w.k);
    }
  }
  return y;
}

/// The product by a level; columns of y are `gap` floats further apart than they need be, and these must not change.
std::vector<float> multiply(const KernelTable& level, const kernels::Matrix& w, const std::vector<float>& x,
                            std::size_t n) {
  constexpr std::size_t gap = 5;
  constexpr float canary = 12345.0f;
  AlignedBytes input_bytes(level.input_bytes(w.k, n));
  AlignedBytes scratch(level.multiply_scratch_bytes(w.k, n));
  const kernels::QuantizedInput input = {input_bytes.data(), w.k, n};
  for (std::size_t begin = 0; begin < n; begin += level.input_tile) {
    level.quantize_input(x.data(), w.k, input, begin, std::min(n, begin + level.input_tile));
  }
  const std::size_t stride = w.rows + gap;
  std::vector<float> padded(n * stride + gap, canary);
  const kernels::Product product = {w, input, nullptr, 0, n, padded.data() + gap, stride};
  for (std::size_t tile = 0; tile * kernels::kTileRows < w.rows; ++tile) level.multiply(product, tile, scratch.data());
  CHECK(input_bytes.is_end_intact());
  CHECK(scratch.is_end_intact());
  std::vector<float> y;
  for (std::size_t column = 0; column < n; ++column) {
    const float* from = padded.data() + gap + column * stride;
    y.insert(y.end(), from, from + w.rows);
    for (std::size_t i = 1; i <= gap; ++i) REQUIRE(from[-static_cast<std::ptrdiff_t>(i)] == canary);
  }
  for (std::size_t i = 1; i <= gap; ++i) REQUIRE(padded[padded.size() - i] == canary);
  return y;
}

/// Equal bits, or both NaN. Prints the first difference.
void check_same(const std::vector<float>& got, const std::vector<float>& want) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(want[i])) continue;
    if (std::memcmp(&got[i], &want[i], sizeof(float)) != 0) {
      FAIL("element " << i << ": got " << got[i] << ", want " << want[i]);
    }
  }
}

void check_all_levels(Weights& w, const std::vector<float>& x, std::size_t n) {
  const std::vector<float> want = oracle(w, x, n);
  for (const KernelTable* level : available_levels()) {
    CAPTURE(to_string(level->level), tensor_type_info(w.type).name, w.rows, w.k, n);
    check_same(multiply(*level, w.matrix(false), x, n), want);
    const bool reads_panels = level->level != Level::reference;
    if (reads_panels && is_packable(w.type)) check_same(multiply(*level, w.matrix(true), x, n), want);
  }
}

std::size_t shortest_k(TensorType type) { return tensor_type_info(type).block_values; }

}  // namespace

TEST_CASE("products have the bits of the canonical dot for every type, level and number of columns (Q1, Q4, D1, D2)") {
  for (const TensorType type : kTypes) {
    const std::size_t k = shortest_k(type) == 32 ? 576 : 512;
    Weights w(type, 80, k, random_rows(type, 80, k, 7));
    const auto x = random_values(19 * k, 11);
    for (const std::size_t n : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 12u, 13u, 19u}) check_all_levels(w, x, n);
  }
}

TEST_CASE("products of every depth have the canonical bits: one block, odd counts, more than one chunk (Q3)") {
  for (const TensorType type : kTypes) {
    for (const std::size_t blocks : {1u, 2u, 3u, 5u, 7u, 17u, 25u, 28u, 51u}) {
      const std::size_t k = blocks * shortest_k(type);
      Weights w(type, 40, k, random_rows(type, 40, k, static_cast<unsigned>(blocks)));
      const auto x = random_values(8 * k, 5);
      for (const std::size_t n : {1u, 8u}) check_all_levels(w, x, n);
    }
  }
}

TEST_CASE("activations of zero, tiny and huge size, infinities and NaN give the canonical bits (Q2)") {
  const std::size_t k = 256;
  for (const TensorType type : {TensorType::q4_0, TensorType::q4_1, TensorType::q8_0, TensorType::q6_k}) {
    Weights w(type, 33, k, random_rows(type, 33, k, 31));
    const float scales[] = {0.0f, 1e-45f, 1e-38f, 3e-38f, 1e-20f, 1e20f, 1e38f};
    std::vector<float> x;
    for (const float scale : scales) {
      for (const float value : random_values(k, 41)) x.push_back(value * scale);
    }
    auto special = random_values(2 * k, 43);
    special[3] = std::numeric_limits<float>::infinity();
    special[k + 40] = std::numeric_limits<float>::quiet_NaN();
    x.insert(x.end(), special.begin(), special.end());
    check_all_levels(w, x, 9);
  }
}
