// SPDX-License-Identifier: MIT
// Products of several matrices over one input against the plain dot of each row, bit for bit.
#include "nn/linear.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "nn/embedding.hpp"
#include "nn/fixture.hpp"
#include "nn/norm.hpp"
#include "quant/canonical.hpp"
#include "quant/packing.hpp"
#include "quant/quantize.hpp"
#include "support/blocks.hpp"
#include "support/catch.hpp"

namespace loquat_test {

namespace {

using loquat::TensorType;
using loquat::nn::Activations;
using loquat::nn::Linear;

/// A matrix in the file's layout and, where asked, packed.
struct TestMatrix {
  TestMatrix(TensorType type, std::size_t n_rows, std::size_t k, bool is_packed, unsigned seed)
      : rows(random_rows(type, n_rows, k, seed)),
        packed(is_packed ? loquat::packed_bytes(type, n_rows, k) : 0),
        bias(normal_values(n_rows, seed + 1)) {
    linear.weights = {.type = type, .is_packed = is_packed, .data = rows.data(), .rows = n_rows, .k = k};
    linear.bias = bias.data();
    if (!is_packed) return;
    linear.weights.data = packed.data();
    const std::size_t file_row = loquat::row_bytes(type, k);
    for (std::size_t row = 0; row < n_rows; row += loquat::kPanelRows) {
      loquat::pack_panel(type, rows.data() + row * file_row, std::min(loquat::kPanelRows, n_rows - row), k,
                         packed.data() + row / loquat::kPanelRows * loquat::panel_bytes(type, k));
    }
  }
  /// Row times x [k], plus bias, by the plain loops.
  float expected(std::size_t row, const float* x) const {
    const loquat::kernels::Matrix& w = linear.weights;
    const std::byte* blocks = rows.data() + row * loquat::row_bytes(w.type, w.k);
    if (loquat::is_float_type(w.type)) return loquat::dot_float_reference(w.type, blocks, x, w.k) + bias[row];
    std::vector<loquat::ActivationBlock> codes(w.k / 32);
    loquat::quantize_activations_reference(x, codes.data(), w.k);
    return loquat::dot_reference(w.type, blocks, codes.data(), w.k) + bias[row];
  }
  std::size_t n_rows() const { return linear.weights.rows; }

  std::vector<std::byte> rows;
  AlignedBytes packed;
  std::vector<float> bias;
  Linear linear;
};

struct Input {
  Input(const loquat::nn::Context& context, std::size_t n, std::size_t k)
      : x(normal_values(n * k, 77)), codes(context.kernels->input_bytes(k, n)) {
    activations = {.x = x.data(), .codes = codes.data(), .n = n, .k = k};
  }
  std::vector<float> x;
  AlignedBytes codes;
  Activations activations;
};

constexpr std::size_t kDepth = 64;

ContextFixture make_fixture(std::uint32_t threads) {
  const auto* kernels = loquat::kernels::find_kernels(loquat::Level::automatic);
  return {loquat::Level::automatic, threads, loquat::nn::linear_slot_bytes(*kernels, kDepth, 33)};
}

std::size_t count_wrong(const TestMatrix& m, const std::vector<float>& y, const float* x, const float* added) {
  std::size_t n_wrong = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float product = m.expected(i % m.n_rows(), x + i / m.n_rows() * kDepth);
    const float want = added == nullptr ? product : added[i] + product;
    if (y[i] != want) ++n_wrong;
  }
  return n_wrong;
}

}  // namespace

TEST_CASE("matrices of several types share one input, for any rows, columns and threads (D1)") {
  const TestMatrix a(TensorType::q4_0, 130, kDepth, true, 1);
  const TestMatrix b(TensorType::q8_0, 17, kDepth, false, 2);
  const TestMatrix c(TensorType::bf16, 64, kDepth, true, 3);
  for (const std::uint32_t threads : {1u, 3u}) {
    ContextFixture fixture = make_fixture(threads);
    for (const std::size_t n : {1, 2, 7, 8, 9, 33}) {
      INFO(threads << " threads, " << n << " columns");
      const Input input(fixture.context, n, kDepth);
      std::vector<float> y_a(n * 130, std::nanf(""));
      std::vector<float> y_b(n * 17, std::nanf(""));
      std::vector<float> y_c(n * 64, std::nanf(""));
      const std::array products = {loquat::nn::Projection{&a.linear, y_a.data()},
                                   loquat::nn::Projection{&b.linear, y_b.data()},
                                   loquat::nn::Projection{&c.linear, y_c.data()}};
      loquat::nn::quantize(fixture.context, input.activations, loquat::nn::read_codes(c.linear, a.linear));
      loquat::nn::project(fixture.context, input.activations, products);
      CHECK(count_wrong(a, y_a, input.x.data(), nullptr) == 0);
      CHECK(count_wrong(b, y_b, input.x.data(), nullptr) == 0);
      CHECK(count_wrong(c, y_c, input.x.data(), nullptr) == 0);
    }
  }
}

TEST_CASE("a product is added to the residual stream after its bias") {
  const TestMatrix m(TensorType::q4_1, 100, kDepth, true, 4);
  ContextFixture fixture = make_fixture(2);
  const Input input(fixture.context, 5, kDepth);
  const std::vector<float> before = normal_values(5 * 100, 5);
  std::vector<float> residual = before;
  std::vector<float> branch(residual.size());
  loquat::nn::quantize(fixture.context, input.activations, true);
  loquat::nn::project_add(fixture.context, input.activations, m.linear, branch.data(), residual.data());
  CHECK(count_wrong(m, residual, input.x.data(), before.data()) == 0);
}

TEST_CASE("gated products are silu of one times the other, biases included, also for part tiles") {
  for (const std::size_t rows : {16, 64, 100, 130}) {
    for (const bool is_packed : {true, false}) {
      const TestMatrix gate(TensorType::q5_0, rows, kDepth, is_packed, 6);
      const TestMatrix up(TensorType::q8_0, rows, kDepth, is_packed, 7);
      ContextFixture fixture = make_fixture(2);
      const Input input(fixture.context, 9, kDepth);
      std::vector<float> y(9 * rows, std::nanf(""));
      loquat::nn::quantize(fixture.context, input.activations, true);
      loquat::nn::gated_project(fixture.context, input.activations, gate.linear, up.linear, y.data());
      double worst = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        const float* x = input.x.data() + i / rows * kDepth;
        const auto g = static_cast<double>(gate.expected(i % rows, x));
        const double want = g / (1 + std::exp(-g)) * static_cast<double>(up.expected(i % rows, x));
        const double error = std::abs(static_cast<double>(y[i]) - want) / (1 + std::abs(want));
        if (!(error <= worst)) worst = error;
      }
      CHECK(worst < 1e-6);
    }
  }
}

TEST_CASE("a norm fused with quantization gives the codes of the norm alone") {
  ContextFixture fixture = make_fixture(2);
  const std::size_t n = 19;
  const std::vector<float> x = normal_values(n * kDepth, 8, 3);
  const std::vector<float> weights = normal_values(kDepth, 9);
  Input fused(fixture.context, n, kDepth);
  Input apart(fixture.context, n, kDepth);
  const loquat::nn::Norm norm{.weights = weights.data(), .epsilon = 1e-5f};
  loquat::nn::normalize(fixture.context, x.data(), norm, fused.activations, true);
  for (std::size_t i = 0; i < n * kDepth; i += kDepth) {
    fixture.context.kernels->rms_norm(x.data() + i, weights.data(), 1e-5f, apart.x.data() + i, kDepth);
  }
  loquat::nn::quantize(fixture.context, apart.activations, true);
  CHECK(fused.x == apart.x);
  const std::size_t bytes = fixture.context.kernels->input_bytes(kDepth, n);
  CHECK(std::memcmp(fused.codes.data(), apart.codes.data(), bytes) == 0);
}

TEST_CASE("embedding rows are the file's rows, packed or not, for every type") {
  ContextFixture fixture = make_fixture(2);
  const std::vector<loquat::Token> tokens = {0, 15, 16, 36, 7, 36, 1, 2, 3, 4, 5};
  const std::size_t k = 256;
  for (const TensorType type : computable_types()) {
    for (const bool is_packed : {true, false}) {
      if (is_packed && !loquat::is_packable(type)) continue;
      INFO(type_name(type) << (is_packed ? " packed" : ""));
      const TestMatrix m(type, 37, k, is_packed, 10);
      std::vector<float> x(tokens.size() * k);
      loquat::nn::embed(fixture.context, m.linear.weights, tokens, x.data());
      std::vector<float> want(tokens.size() * k);
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto row = static_cast<std::size_t>(tokens[i]);
        loquat::dequantize_row(type, m.rows.data() + row * loquat::row_bytes(type, k), want.data() + i * k, k);
      }
      CHECK(x == want);
    }
  }
}

}  // namespace loquat_test
