// SPDX-License-Identifier: MIT
// Float kernels: every level gives the bits of the reference (D1, D2, Q1), over odd sizes, any alignment and extreme
// values (Q2, Q3, Q5); the reference stays within stated bounds of double precision.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "base/half.hpp"
#include "base/math.hpp"
#include "kernels/kernels.hpp"
#include "kernels/reference/math.hpp"
#include "quant/canonical.hpp"
#include "quant/packing.hpp"
#include "support/compare.hpp"
#include "support/data.hpp"
#include "support/guard_buffer.hpp"
#include "support/levels.hpp"

using namespace loquat;
using kernels::KernelTable;
using loquat_test::Data;
using loquat_test::expect_same_bits;
using loquat_test::for_each_level;
using loquat_test::Guard;
using loquat_test::GuardedCopy;

namespace {

constexpr std::size_t kSizes[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 255, 256, 257, 576};
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

const KernelTable& reference() { return *kernels::find_kernels(Level::reference); }

/// Which NaN an operation gives is the processor's choice; that it is one is ours.
std::vector<float> with_one_nan(std::span<const float> values) {
  std::vector<float> result(values.begin(), values.end());
  for (float& value : result) {
    if (std::isnan(value)) value = kNan;
  }
  return result;
}

/// Ordinary values, values of any exponent, and every special one.
std::vector<float> mixed_values(Data& data, std::size_t n) {
  constexpr float kSpecial[] = {0.0f,      -0.0f,      kInfinity, -kInfinity, kNan,
                                0x1p-149f, -0x1p-126f, 3.4e38f,   88.8f,      -104.5f};
  std::vector<float> values = data.normals(n, 4);
  for (float& value : values) {
    const std::int64_t kind = data.whole(0, 15);
    if (kind == 0) value = kSpecial[data.whole(0, std::ssize(kSpecial) - 1)];
    if (kind == 1) value = std::bit_cast<float>(static_cast<std::uint32_t>(data.bits()));
  }
  return values;
}

/// Runs `kernel(table, values)` on a copy of `values` at a page's end, for each level; compares with the reference.
template <class Kernel>
void expect_reference_bits(const std::vector<float>& values, const Kernel& kernel) {
  std::vector<float> want = values;
  kernel(reference(), want.data());
  for_each_level([&](Level level) {
    for (const Guard guard : {Guard::after, Guard::before}) {
      GuardedCopy<float> got(std::span<const float>(values), guard);
      kernel(*kernels::find_kernels(level), got.data());
      expect_same_bits(with_one_nan(got.span()), with_one_nan(want));
      CHECK(got.buffer().is_intact());
    }
  });
}

}  // namespace

// -- exp and what is made of it --------------------------------------------------------------------------

TEST_CASE("exp stays below 0.96 ulp of double precision over the whole range") {
  double worst = 0;
  for (std::uint32_t magnitude = 0; magnitude < 0x42D00000; magnitude += 9973) {
    for (const std::uint32_t sign : {0u, 0x80000000u}) {
      const float x = std::bit_cast<float>(magnitude | sign);
      const double want = exact_exp(static_cast<double>(x));
      const float got = kernels::reference::exp(x);
      if (want > 3.4028235677973366e38) {
        CHECK(got == kInfinity);
        continue;
      }
      const double ulp = std::ldexp(1.0, std::max(std::ilogb(want), -126) - 23);
      worst = std::max(worst, std::abs(static_cast<double>(got) - want) / ulp);
    }
  }
  CHECK(worst < 0.96);
}

TEST_CASE("exp is exactly 0 far below, 1 at zero, infinite far above, NaN for NaN") {
  for (const float x : {-104.0f, -1000.0f, -3.4e38f, -kInfinity})
    CHECK(std::bit_cast<std::uint32_t>(kernels::reference::exp(x)) == 0);
  CHECK(kernels::reference::exp(0.0f) == 1.0f);
  CHECK(kernels::reference::exp(-0.0f) == 1.0f);
  for (const float x : {88.73f, 1000.0f, 3.4e38f, kInfinity}) CHECK(kernels::reference::exp(x) == kInfinity);
  CHECK(std::isnan(kernels::reference::exp(kNan)));
  CHECK(std::isnan(kernels::reference::exp(-kNan)));
}

TEST_CASE("silu times up has the reference's bits at every level (D2, Q2, Q3)") {
  LOQUAT_TEST_DATA(data, 11);
  for (const std::size_t n : kSizes) {
    CAPTURE(n);
    const std::vector<float> up = data.normals(n);
    expect_reference_bits(mixed_values(data, n), [&](const KernelTable& table, float* gate) {
      const GuardedCopy<float> guarded{std::span<const float>(up)};
      table.silu_multiply(gate, guarded.data(), n);
    });
  }
}

TEST_CASE("silu stays within 3 ulp of double precision") {
  for (float x = -30; x < 30; x += 0.0371f) {
    float gate = x;
    const float up = 1;
    reference().silu_multiply(&gate, &up, 1);
    const double wide = static_cast<double>(x);
    const double want = wide / (1 + exact_exp(-wide));
    CHECK(std::abs(static_cast<double>(gate) - want) <= 3 * 0x1p-23 * std::abs(want));
  }
}

// -- Rows ------------------------------------------------------------------------------------------------

TEST_CASE("the root-mean-square norm has the reference's bits at every level (D2, Q2, Q3)") {
  LOQUAT_TEST_DATA(data, 12);
  for (const std::size_t n : kSizes) {
    CAPTURE(n);
    const std::vector<float> weights = data.normals(n);
    for (const float deviation : {1e-30f, 1.0f, 1e15f, 1e30f}) {
      const std::vector<float> x = data.normals(n, deviation);
      expect_reference_bits(
          x, [&](const KernelTable& table, float* y) { table.rms_norm(y, weights.data(), 1e-5f, y, n); });
      expect_reference_bits(x, [&](const KernelTable& table, float* y) { table.rms_norm(y, nullptr, 1e-6f, y, n); });
    }
  }
}

TEST_CASE("the root-mean-square norm is close to double precision, also from one buffer to another") {
  LOQUAT_TEST_DATA(data, 13);
  for_each_level([&](Level level) {
    for (const std::size_t n : kSizes) {
      const std::vector<float> x = data.normals(n, 3);
      const std::vector<float> w = data.normals(n);
      std::vector<float> y(n + 1, 7.0f);
      kernels::find_kernels(level)->rms_norm(x.data(), w.data(), 1e-5f, y.data(), n);
      double squares = 0;
      for (const float value : x) squares += static_cast<double>(value) * static_cast<double>(value);
      const double r = 1 / std::sqrt(squares / static_cast<double>(n) + static_cast<double>(1e-5f));
      const auto n_roundings = static_cast<double>(n / 8 + 12);
      for (std::size_t i = 0; i < n; ++i) {
        const double want = static_cast<double>(x[i]) * r * static_cast<double>(w[i]);
        CHECK(std::abs(static_cast<double>(y[i]) - want) <= n_roundings * 0x1p-24 * std::abs(want));
      }
      CHECK(y[n] == 7.0f);
    }
  });
}

TEST_CASE("addition has the reference's bits at every level and touches nothing else") {
  LOQUAT_TEST_DATA(data, 14);
  for (const std::size_t n : kSizes) {
    CAPTURE(n);
    const std::vector<float> x = mixed_values(data, n);
    expect_reference_bits(mixed_values(data, n), [&](const KernelTable& table, float* y) {
      const GuardedCopy<float> guarded{std::span<const float>(x)};
      table.add(y, guarded.data(), n);
    });
  }
}

TEST_CASE("rotary embedding has the reference's bits at every level, both layouts, any rotary width (D2)") {
  LOQUAT_TEST_DATA(data, 15);
  for (const std::size_t head_width : {8u, 24u, 64u, 80u, 128u}) {
    for (const std::size_t rotary : {2u, 6u, 8u, 16u, 22u, 24u, 40u, 64u, 80u, 128u}) {
      if (rotary > head_width) continue;
      CAPTURE(head_width, rotary);
      const std::vector<float> heads = data.normals(3 * head_width);
      const std::vector<float> cos = data.uniforms(rotary / 2, -1, 1);
      const std::vector<float> sin = data.uniforms(rotary / 2, -1, 1);
      for (const auto layout : {kernels::RopeLayout::neighbours, kernels::RopeLayout::halves}) {
        expect_reference_bits(heads, [&](const KernelTable& table, float* y) {
          const GuardedCopy<float> c{std::span<const float>(cos)};
          const GuardedCopy<float> s{std::span<const float>(sin)};
          table.rope(y, 3, head_width, rotary, layout, c.data(), s.data());
        });
      }
    }
  }
}

TEST_CASE("rotary embedding turns pairs and leaves the rest of a head alone") {
  const float angle_cos = 0.6f, angle_sin = 0.8f;
  for_each_level([&](Level level) {
    float neighbours[] = {1, 2, 3, 4};
    kernels::find_kernels(level)->rope(neighbours, 1, 4, 2, kernels::RopeLayout::neighbours, &angle_cos, &angle_sin);
    CHECK(neighbours[0] == std::fma(-2.0f, angle_sin, 1.0f * angle_cos));
    CHECK(neighbours[1] == std::fma(1.0f, angle_sin, 2.0f * angle_cos));
    CHECK((neighbours[2] == 3 && neighbours[3] == 4));
    float halves[] = {1, 2, 3, 4};
    const float cosines[] = {angle_cos, 1}, sines[] = {angle_sin, 0};
    kernels::find_kernels(level)->rope(halves, 1, 4, 4, kernels::RopeLayout::halves, cosines, sines);
    CHECK(halves[0] == std::fma(-3.0f, angle_sin, 1.0f * angle_cos));
    CHECK(halves[2] == std::fma(1.0f, angle_sin, 3.0f * angle_cos));
    CHECK((halves[1] == 2 && halves[3] == 4));
  });
}

// -- Conversions -----------------------------------------------------------------------------------------

TEST_CASE("every half becomes the same float at every level, whatever the length of the row") {
  std::vector<std::uint16_t> codes(0x10000);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint16_t>(i);
  std::vector<float> want(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) want[i] = half_to_float(codes[i]);
  for_each_level([&](Level level) {
    std::vector<float> got(codes.size());
    kernels::find_kernels(level)->to_float(codes.data(), got.data(), codes.size());
    expect_same_bits(with_one_nan(got), with_one_nan(want));
    for (const std::size_t n : kSizes) {
      const GuardedCopy<std::uint16_t> some{std::span<const std::uint16_t>(codes).subspan(0x3C00, n)};
      GuardedCopy<float> floats{std::span<const float>(got).first(n)};
      kernels::find_kernels(level)->to_float(some.data(), floats.data(), n);
      expect_same_bits(floats.span(), std::span<const float>(want).subspan(0x3C00, n));
    }
  });
}

TEST_CASE("floats round to halves as the plain rule says, clamped to the largest half, NaN kept (D2)") {
  LOQUAT_TEST_DATA(data, 16);
  for (const std::size_t n : kSizes) {
    std::vector<float> x = mixed_values(data, n);
    for (float& value : x) value *= data.uniform(0, 1) < 0.5f ? 1e-6f : 1e4f;
    for_each_level([&](Level level) {
      const GuardedCopy<float> guarded{std::span<const float>(x)};
      const std::vector<std::uint16_t> blank(n);
      GuardedCopy<std::uint16_t> halves{std::span<const std::uint16_t>(blank)};
      kernels::find_kernels(level)->to_half(guarded.data(), halves.data(), n);
      for (std::size_t i = 0; i < n; ++i) {
        if (std::isnan(x[i])) {
          CHECK(std::isnan(half_to_float(halves.data()[i])));
        } else {
          CHECK(halves.data()[i] == float_to_half(std::min(65504.0f, std::max(-65504.0f, x[i]))));
        }
      }
    });
  }
}

// -- Products with float weights -------------------------------------------------------------------------

namespace {

struct FloatMatrix {
  TensorType type;
  std::size_t rows, k;
  std::vector<std::byte> file;    ///< rows as in a file
  std::vector<std::byte> panels;  ///< packed

  std::size_t row_bytes() const { return k * (type == TensorType::f32 ? 4 : 2); }
};

FloatMatrix make_matrix(Data& data, TensorType type, std::size_t rows, std::size_t k, float deviation) {
  FloatMatrix matrix{type, rows, k, {}, {}};
  matrix.file.resize(rows * matrix.row_bytes());
  for (std::size_t i = 0; i < rows * k; ++i) {
    const float value = data.normal() * deviation;
    const std::uint16_t code = type == TensorType::f16 ? float_to_half(value) : float_to_bfloat(value);
    if (type == TensorType::f32) std::memcpy(matrix.file.data() + i * 4, &value, 4);
    if (type != TensorType::f32) std::memcpy(matrix.file.data() + i * 2, &code, 2);
  }
  const std::size_t bytes = panel_bytes(type, k);
  matrix.panels.resize(packed_bytes(type, rows, k));
  for (std::size_t row = 0; row < rows; row += kPanelRows) {
    pack_panel(type, matrix.file.data() + row * matrix.row_bytes(), std::min(kPanelRows, rows - row), k,
               matrix.panels.data() + row / kPanelRows * bytes);
  }
  return matrix;
}

/// y [n, rows + 1] by the plain dot; the last value of each row of y stays 7.
std::vector<float> plain_product(const FloatMatrix& matrix, const std::vector<float>& x, std::size_t n) {
  std::vector<float> y(n * (matrix.rows + 1), 7.0f);
  for (std::size_t column = 0; column < n; ++column) {
    for (std::size_t row = 0; row < matrix.rows; ++row) {
      y[column * (matrix.rows + 1) + row] = dot_float_reference(
          matrix.type, matrix.file.data() + row * matrix.row_bytes(), x.data() + column * matrix.k, matrix.k);
    }
  }
  return y;
}

std::vector<float> level_product(Level level, const FloatMatrix& matrix, bool is_packed, const std::vector<float>& x,
                                 std::size_t n) {
  const KernelTable& table = *kernels::find_kernels(level);
  const GuardedCopy<std::byte> weights{std::span<const std::byte>(is_packed ? matrix.panels : matrix.file)};
  const GuardedCopy<float> input{std::span<const float>(x)};
  std::vector<float> y(n * (matrix.rows + 1), 7.0f);
  kernels::Product product;
  product.weights = {matrix.type, is_packed, weights.data(), matrix.rows, matrix.k};
  product.x = input.data();
  product.x_stride = matrix.k;
  product.n = n;
  product.y = y.data();
  product.y_stride = matrix.rows + 1;
  loquat_test::GuardBuffer scratch((table.multiply_scratch_bytes(matrix.k, n) + 63) / 64 * 64);
  for (std::size_t tile = 0; tile * kernels::kTileRows < matrix.rows; ++tile) {
    table.multiply(product, tile, scratch.data());
  }
  return y;
}

void check_product(Data& data, TensorType type, std::size_t rows, std::size_t k, std::size_t n, float deviation) {
  CAPTURE(static_cast<int>(type), rows, k, n, deviation);
  const FloatMatrix matrix = make_matrix(data, type, rows, k, deviation);
  const std::vector<float> x = data.normals(n * k);
  const std::vector<float> want = plain_product(matrix, x, n);
  for_each_level([&](Level level) {
    for (const bool is_packed : {false, true}) {
      CAPTURE(is_packed);
      expect_same_bits(level_product(level, matrix, is_packed, x, n), want);
    }
  });
}

}  // namespace

TEST_CASE("float products have the plain dot's bits at every level, packed or not, any shape (D1, D2, Q1, Q3)") {
  LOQUAT_TEST_DATA(data, 17);
  for (const TensorType type : {TensorType::f32, TensorType::f16, TensorType::bf16}) {
    for (const std::size_t rows : {1u, 7u, 16u, 33u, 64u, 65u, 130u}) {
      for (const std::size_t k : {1u, 3u, 8u, 31u, 255u, 256u, 257u}) check_product(data, type, rows, k, 3, 1);
    }
    for (std::size_t n = 1; n < 15; ++n) check_product(data, type, 81, 72, n, 1);
    check_product(data, type, 48, 700, 33, 1);
  }
}

TEST_CASE("float products keep the reference's bits where results are tiny, huge or infinite (Q2)") {
  LOQUAT_TEST_DATA(data, 18);
  for (const float deviation : {1e-45f, 1e-40f, 1e-38f, 1e-37f, 1e37f, 3e38f}) {
    for (const TensorType type : {TensorType::f32, TensorType::bf16}) check_product(data, type, 33, 40, 5, deviation);
  }
}

TEST_CASE("a fused multiply-add rounds once at every level: sums that lie next to the middle of two floats (D2)") {
  LOQUAT_TEST_DATA(data, 19);
  // acc = w0 * x0 exactly, then fma(w1, x1, acc): the second product is far below acc's last place, and decides.
  constexpr std::size_t kRows = 512;
  FloatMatrix matrix{TensorType::f32, kRows, 3, {}, {}};
  std::vector<float> values(kRows * 3);
  for (std::size_t row = 0; row < kRows; ++row) {
    const auto odd = static_cast<float>((data.whole(0, 0x3FFFFF) << 1) | 0x800001);
    const float sign = data.whole(0, 1) == 0 ? 1.0f : -1.0f;
    const int exponent = static_cast<int>(data.whole(-148, 60));
    values[row * 3] = std::ldexp(odd, exponent);
    values[row * 3 + 1] = std::ldexp(sign, exponent - 1);  // exactly half of acc's last place
    values[row * 3 + 2] = std::ldexp(data.normal(), exponent - static_cast<int>(data.whole(2, 60)));
  }
  matrix.file.resize(values.size() * 4);
  std::memcpy(matrix.file.data(), values.data(), matrix.file.size());
  for (const std::vector<float>& x : {std::vector<float>{1, 1, 1}, {1, 0.999f, 1}, {1, 1.0000001f, 1}, {1, 0, 0.5f}}) {
    const std::vector<float> want = plain_product(matrix, x, 1);
    for_each_level([&](Level level) { expect_same_bits(level_product(level, matrix, false, x, 1), want); });
  }
}

TEST_CASE("float products are within the bound of a sum of k roundings of double precision") {
  LOQUAT_TEST_DATA(data, 20);
  const std::size_t k = 257;
  const FloatMatrix matrix = make_matrix(data, TensorType::f32, 20, k, 1);
  const std::vector<float> x = data.normals(k);
  const std::vector<float> got = level_product(best_level(), matrix, true, x, 1);
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    double want = 0, size = 0;
    for (std::size_t i = 0; i < k; ++i) {
      float w;
      std::memcpy(&w, matrix.file.data() + (row * k + i) * 4, 4);
      want += static_cast<double>(w) * static_cast<double>(x[i]);
      size += std::abs(static_cast<double>(w) * static_cast<double>(x[i]));
    }
    CHECK(std::abs(static_cast<double>(got[row]) - want) <= static_cast<double>(k) * 0x1p-24 * size);
  }
}
