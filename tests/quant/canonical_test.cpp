// SPDX-License-Identifier: MIT
#include "quant/canonical.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "quant/block_types.hpp"
#include "quant/quantize.hpp"
#include "support/blocks.hpp"
#include "support/catch.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

std::vector<ActivationBlock> quantized(const std::vector<float>& x) {
  std::vector<ActivationBlock> blocks(x.size() / kActivationBlock);
  quantize_activations_reference(x.data(), blocks.data(), x.size());
  return blocks;
}

/// What the blocks stand for.
std::vector<double> activation_values(const std::vector<ActivationBlock>& blocks) {
  std::vector<double> values;
  for (const ActivationBlock& block : blocks) {
    for (const std::int8_t code : block.codes) values.push_back(double{block.scale} * code);
  }
  return values;
}

/// Sum of the magnitudes of all products that a dot adds, offsets apart: what rounding errors are relative to.
double magnitude(TensorType type, const std::byte* row, const std::vector<double>& x) {
  double sum = 0;
  visit_block_type(type, [&]<class Block>(BlockTag<Block>) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      Block block;
      std::memcpy(&block, row + i / Block::kValues * sizeof(Block), sizeof block);
      const WeightBlock weights = unpack(block, i % Block::kValues / 32);
      const std::size_t half = i % 32 / 16;
      double scale = weights.scale;
      double offset = 0;
      if (Block::kForm == WeightForm::half_scales || Block::kForm == WeightForm::half_offsets) {
        scale *= weights.half_scale[half];
      }
      if (Block::kForm == WeightForm::scale_offset) offset = weights.offset;
      if (Block::kForm == WeightForm::half_offsets) offset = double{weights.offset} * weights.half_offset[half];
      sum += std::fabs(x[i]) * (std::fabs(scale * weights.codes[i % 32]) + std::fabs(offset));
    }
  });
  return sum;
}

/// dot_reference against dequantize-and-multiply in double. Each block rounds at most four times, and each rounding is
/// relative to at most the sum of magnitudes; the dequantized weight is rounded three times more.
void check_dot(TensorType type, const std::vector<std::byte>& row, const std::vector<float>& x) {
  const std::size_t k = x.size();
  const std::vector<ActivationBlock> blocks = quantized(x);
  const std::vector<double> activations = activation_values(blocks);
  std::vector<float> weights(k);
  dequantize_row(type, row.data(), weights.data(), k);
  double want = 0;
  for (std::size_t i = 0; i < k; ++i) want += double{weights[i]} * activations[i];
  const double roundings = 4.0 * static_cast<double>(k) / 32 + 3;
  const double bound = roundings * 0x1p-24 * magnitude(type, row.data(), activations) + 1e-42 * static_cast<double>(k);
  const float got = dot_reference(type, row.data(), blocks.data(), k);
  if (!(std::fabs(double{got} - want) <= bound)) {
    FAIL(type_name(type) << " k " << k << ": " << got << ", expected " << want << " within " << bound);
  }
}

}  // namespace

TEST_CASE("activation codes round half to even and stay within 127 of either sign") {
  std::vector<float> x(32, 0.0f);
  x[0] = 127.0f;  // makes the scale 1
  const float values[] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 126.5f, 126.4f, -126.5f, -127.0f};
  const int codes[] = {0, 2, 2, 0, -2, -2, 126, 126, -126, -127};
  for (std::size_t i = 0; i < 10; ++i) x[i + 1] = values[i];
  const ActivationBlock block = quantized(x)[0];
  CHECK(block.scale == 1.0f);
  int sum = 127;
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(int{block.codes[i + 1]} == codes[i]);
    sum += codes[i];
  }
  CHECK(block.sum == sum);
}

TEST_CASE("activations come back within half a step, whatever their size (Q2)") {
  for (const float size : {1e-36f, 1e-20f, 1e-3f, 1.0f, 1e4f, 1e20f, 3e37f}) {
    const std::vector<float> x = normal_values(32 * 50, 3, size);
    const std::vector<ActivationBlock> blocks = quantized(x);
    const std::vector<double> back = activation_values(blocks);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double step = blocks[i / 32].scale;
      if (!(std::fabs(back[i] - double{x[i]}) <= step * 0.50002)) FAIL("size " << size << " value " << i);
    }
    for (const ActivationBlock& block : blocks) {
      int sum = 0;
      for (const std::int8_t code : block.codes) {
        CHECK(code >= -127);
        sum += code;
      }
      CHECK(block.sum == sum);
    }
  }
}

TEST_CASE("a block of zeros has scale and codes zero") {
  const ActivationBlock block = quantized(std::vector<float>(32, -0.0f))[0];
  CHECK(block.scale == 0.0f);
  CHECK(block.sum == 0);
  for (const std::int8_t code : block.codes) CHECK(int{code} == 0);
}

TEST_CASE("NaN and infinity in the activations reach the result of every type, at every position") {
  const float bads[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                        -std::numeric_limits<float>::infinity()};
  for (const TensorType type : quantized_types()) {
    const std::vector<std::byte> row = random_rows(type, 1, 256, 4);
    for (const float bad : bads) {
      for (std::size_t place = 0; place < 256; place += 5) {
        std::vector<float> x = normal_values(256, 5);
        x[place] = bad;
        const std::vector<ActivationBlock> blocks = quantized(x);
        CHECK_FALSE(std::isfinite(dot_reference(type, row.data(), blocks.data(), 256)));
        for (const ActivationBlock& block : blocks) {
          for (const std::int8_t code : block.codes) CHECK(code >= -127);
        }
      }
    }
  }
}

TEST_CASE("the canonical dot equals dequantize-and-multiply within its rounding, random codes (Q1, Q3)") {
  for (const TensorType type : quantized_types()) {
    const std::size_t block = tensor_type_info(type).block_values;
    for (const std::size_t n_blocks : {1u, 2u, 3u, 7u, 8u, 9u, 33u}) {
      for (unsigned seed = 0; seed < 8; ++seed) {
        check_dot(type, random_rows(type, 1, n_blocks * block, seed), normal_values(n_blocks * block, seed + 100));
      }
    }
  }
}

TEST_CASE("the canonical dot holds at both ends of the codes and with scales zero, tiny, huge and mixed (Q2)") {
  const std::vector<std::vector<float>> scale_sets = {
      {0.0f},     {-0.0f},     {0x1p-24f}, {0x1p-14f},
      {65504.0f}, {-65504.0f}, {1.0f},     {0.0f, 65504.0f, 0x1p-24f, -1.0f, 0.01f}};
  for (const TensorType type : quantized_types()) {
    for (const std::vector<float>& scales : scale_sets) {
      for (const int fill : {0x00, 0xFF, 0x80, 0x7F, 0x55, 0xAA, 0x0F, 0xF0, 0x88, 0x77}) {
        const std::vector<std::byte> row = filled_row(type, 1024, static_cast<std::byte>(fill), scales);
        for (const float size : {1e-30f, 1.0f, 1e25f}) check_dot(type, row, normal_values(1024, 8, size));
        check_dot(type, row, std::vector<float>(1024, 1.0f));   // all codes 127
        check_dot(type, row, std::vector<float>(1024, -1.0f));  // all codes -127
      }
      check_dot(type, random_rows(type, 1, 1024, 9, scales), normal_values(1024, 10));
    }
  }
}

TEST_CASE("a single activation picks the weight at its position, in every type (Q2)") {
  for (const TensorType type : quantized_types()) {
    const std::size_t k = 512;
    const std::vector<std::byte> row = random_rows(type, 1, k, 21);
    std::vector<float> weights(k);
    dequantize_row(type, row.data(), weights.data(), k);
    float greatest = 0;
    for (const float weight : weights) greatest = std::max(greatest, std::fabs(weight));
    for (std::size_t place = 0; place < k; ++place) {
      std::vector<float> x(k, 0.0f);
      x[place] = 1.0f;
      const float got = dot_reference(type, row.data(), quantized(x).data(), k);
      if (!(std::fabs(got - weights[place]) <= 1e-6f * greatest)) {
        FAIL(type_name(type) << " at " << place << ": " << got << ", expected " << weights[place]);
      }
    }
  }
}

TEST_CASE("a dot depends on no neighbouring column, nor on how many there are (D1)") {
  for (const TensorType type : quantized_types()) {
    const std::size_t k = 768;
    const std::size_t n = 19;
    const std::vector<std::byte> row = random_rows(type, 1, k, 31);
    const std::vector<ActivationBlock> blocks = quantized(normal_values(k * n, 32));
    std::vector<float> want(n);
    for (std::size_t c = 0; c < n; ++c) want[c] = dot_reference(type, row.data(), blocks.data() + c * k / 32, k);
    for (const std::size_t columns : {1u, 2u, 7u, 8u, 9u, 16u, 17u, 19u}) {
      std::vector<float> got(n * 3, -1.0f);
      dot_reference_columns(type, row.data(), {blocks.data(), k / 32}, k, columns, got.data(), 3);
      for (std::size_t c = 0; c < n; ++c) CHECK(got[3 * c] == (c < columns ? want[c] : -1.0f));
      CHECK(got[1] == -1.0f);
    }
  }
}

TEST_CASE("rows and activations of float types are multiplied by fma in ascending order") {
  for (const TensorType type : {TensorType::f32, TensorType::f16, TensorType::bf16}) {
    for (const std::size_t k : {1u, 3u, 32u, 257u}) {
      const std::vector<std::byte> row = random_rows(type, 1, k, 41);
      const std::vector<float> x = normal_values(k, 42);
      std::vector<float> weights(k);
      dequantize_row(type, row.data(), weights.data(), k);
      float want = 0;
      for (std::size_t i = 0; i < k; ++i) want = std::fma(weights[i], x[i], want);
      CHECK(dot_float_reference(type, row.data(), x.data(), k) == want);
    }
  }
}

TEST_CASE("worked example: one block of Q4_1 in the documented order of operations (D2)") {
  BlockQ4_1 block{};
  block.d = float_to_half(0.1f);
  block.m = float_to_half(-0.7f);
  std::vector<float> x(32);
  for (std::size_t i = 0; i < 32; ++i) {
    x[i] = 0.37f * static_cast<float>(i) - 4.1f;
    block.codes[i % 16] = static_cast<std::uint8_t>(block.codes[i % 16] | (i % 13) << (i < 16 ? 0 : 4));
  }
  const ActivationBlock activations = quantized(x)[0];
  int isum = 0;
  for (std::size_t i = 0; i < 32; ++i) isum += static_cast<int>(i % 13) * activations.codes[i];
  const float first = half_to_float(block.d) * activations.scale * static_cast<float>(isum);
  const float want = std::fma(half_to_float(block.m), activations.scale * static_cast<float>(activations.sum), first);
  CHECK(dot_reference(TensorType::q4_1, &block, &activations, 32) == want);
}
