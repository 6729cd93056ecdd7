// SPDX-License-Identifier: MIT
#include "quant/quantize.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/blocks.hpp"
#include "support/catch.hpp"
#include "support/vectors.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

/// Equal bits; two NaN, and zeros of either sign, are equal too.
bool is_same(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b;
}

std::vector<float> round_trip(TensorType type, const std::vector<float>& values) {
  std::vector<std::byte> row(row_bytes(type, values.size()));
  quantize_row(type, values.data(), row.data(), values.size());
  std::vector<float> back(values.size());
  dequantize_row(type, row.data(), back.data(), back.size());
  return back;
}

/// Root of the mean squared error, over the root mean square of the values.
double relative_error(const std::vector<float>& values, const std::vector<float>& back) {
  double error = 0;
  double square = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    error += std::pow(double{back[i]} - double{values[i]}, 2);
    square += std::pow(double{values[i]}, 2);
  }
  return std::sqrt(error / square);
}

}  // namespace

TEST_CASE("dequantized values equal the published ones bit for bit in every computable type (Q1, Q2)") {
  LOQUAT_NEED_VECTORS(folder);
  for (const TensorType type : computable_types()) {
    if (type == TensorType::f32) continue;
    const std::string name(tensor_type_info(type).name);
    CAPTURE(name);
    const std::vector<std::byte> blocks = loquat_test::read_bytes(folder / "quants" / (name + ".bin"));
    const std::vector<float> want = loquat_test::read_floats(folder / "quants" / (name + ".f32"));
    REQUIRE(!want.empty());
    REQUIRE(row_bytes(type, want.size()) == blocks.size());
    std::vector<std::byte> shifted(blocks.size() + 1);  // a row needs no alignment (Q5)
    std::memcpy(shifted.data() + 1, blocks.data(), blocks.size());
    std::vector<float> got(want.size());
    dequantize_row(type, shifted.data() + 1, got.data(), got.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (!is_same(got[i], want[i])) FAIL("value " << i << ": " << got[i] << ", expected " << want[i]);
    }
  }
}

TEST_CASE("the plain quantizers write the published bytes") {
  LOQUAT_NEED_VECTORS(folder);
  for (const char* name : {"F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "MXFP4"}) {
    CAPTURE(name);
    const TensorType type = find_tensor_type(std::string_view(name))->type;
    const std::vector<float> values = loquat_test::read_floats(folder / "quants" / (std::string(name) + ".in.f32"));
    const std::vector<std::byte> want = loquat_test::read_bytes(folder / "quants" / (std::string(name) + ".q.bin"));
    REQUIRE(!values.empty());
    REQUIRE(row_bytes(type, values.size()) == want.size());
    std::vector<std::byte> got(want.size());
    quantize_row(type, values.data(), got.data(), values.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (got[i] != want[i]) {
        FAIL("byte " << i << ": " << std::to_integer<int>(got[i]) << ", expected " << std::to_integer<int>(want[i]));
      }
    }
  }
}

TEST_CASE("normal values come back from every type within its stated relative error") {
  struct Bound {
    TensorType type;
    double error;  // root mean square, measured and 3 % more
  };
  const Bound bounds[] = {
      {TensorType::f32, 0},       {TensorType::f16, 2.2e-4},   {TensorType::bf16, 1.75e-3}, {TensorType::q4_0, 0.089},
      {TensorType::q4_1, 0.081},  {TensorType::q5_0, 0.044},   {TensorType::q5_1, 0.039},   {TensorType::q8_0, 0.0055},
      {TensorType::q2_k, 0.277},  {TensorType::q3_k, 0.147},   {TensorType::q4_k, 0.074},   {TensorType::q5_k, 0.0372},
      {TensorType::q6_k, 0.0179}, {TensorType::iq4_nl, 0.075}, {TensorType::iq4_xs, 0.076}, {TensorType::mxfp4, 0.1175},
  };
  const std::vector<float> values = normal_values(256 * 64, 11);
  std::size_t n_types = 0;
  for (const Bound& bound : bounds) {
    const double error = relative_error(values, round_trip(bound.type, values));
    CAPTURE(tensor_type_info(bound.type).name, error);
    CHECK(error <= bound.error);
    ++n_types;
  }
  CHECK(n_types == computable_types().size());
}

TEST_CASE("one value apart from zero keeps its place and size in every type (Q2)") {
  for (const TensorType type : computable_types()) {
    CAPTURE(tensor_type_info(type).name);
    for (std::size_t place = 0; place < 256; ++place) {
      for (const float size : {3.0f, -3.0f}) {
        std::vector<float> values(256, 0.0f);
        values[place] = size;
        const std::vector<float> back = round_trip(type, values);
        for (std::size_t i = 0; i < 256; ++i) {
          // IQ4's table has no zero: its smallest number is 1 of 113 to 127.
          const float allowed = i == place ? 0.02f : 3.0f / 100;
          if (!(std::fabs(back[i] - values[i]) <= allowed)) FAIL("at " << i << " of " << place << ": " << back[i]);
        }
      }
    }
  }
}

TEST_CASE("zeros come back as zeros from every type") {
  for (const TensorType type : computable_types()) {
    CAPTURE(tensor_type_info(type).name);
    for (const float value : round_trip(type, std::vector<float>(512, 0.0f))) CHECK(value == 0.0f);
  }
}

TEST_CASE("constants, tiny, huge and mixed values come back finite and near in the least-squares types (Q2)") {
  const TensorType types[] = {TensorType::q2_k, TensorType::q3_k,   TensorType::q4_k,  TensorType::q5_k,
                              TensorType::q6_k, TensorType::iq4_nl, TensorType::iq4_xs};
  for (const TensorType type : types) {
    CAPTURE(tensor_type_info(type).name);
    for (const float scale : {1e-38f, 1e-7f, 1.0f, 3e4f, 1e38f}) {
      std::vector<float> values = normal_values(256, 5);
      for (float& value : values) value *= scale;
      for (const float value : round_trip(type, values)) CHECK(std::isfinite(value));
    }
    for (const float constant : {0.75f, -0.75f, 1000.0f}) {
      const std::vector<float> values(256, constant);
      CHECK(relative_error(values, round_trip(type, values)) < 0.04);
    }
    std::vector<float> mixed = normal_values(256, 6);
    for (std::size_t i = 0; i < 256; ++i) mixed[i] *= std::ldexp(1.0f, static_cast<int>(i / 32) - 4);
    CHECK(relative_error(mixed, round_trip(type, mixed)) < 0.4);
  }
}

TEST_CASE("values that are not finite do not break any quantizer (Q5)") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const TensorType type : computable_types()) {
    for (const float bad : {nan, infinity, -infinity, 1e-42f}) {
      std::vector<float> values = normal_values(256, 7);
      values[3] = bad;
      CHECK(round_trip(type, values).size() == 256);
      CHECK(round_trip(type, std::vector<float>(256, bad)).size() == 256);
    }
  }
}
