// SPDX-License-Identifier: MIT
#include "nn/linear.hpp"

#include <algorithm>

#include "quant/canonical.hpp"
#include "quant/packing.hpp"
#include "threading/parallel.hpp"

namespace loquat::inline LOQUAT_ABI::nn {

namespace {

using kernels::kTileRows;

std::size_t tiles_of(const kernels::Matrix& matrix) noexcept {
  return divide_up(matrix.rows, kTileRows);
}

void add_bias(const Context& context, const Linear& linear, std::size_t first, std::size_t rows, std::size_t n,
              float* y, std::size_t y_stride) noexcept {
  if (linear.bias == nullptr) return;
  for (std::size_t i = 0; i < n; ++i) context.kernels->add(y + i * y_stride + first, linear.bias + first, rows);
}

// The same with refined activations: the products of codes and of residuals side by side in scratch, then their sum.
void multiply_refined_tile(const Context& context, const Activations& in, const Linear& linear, std::size_t tile,
                           float* y, std::size_t y_stride, std::byte* scratch) noexcept {
  const std::size_t first = tile * kTileRows;
  const std::size_t rows = std::min(kTileRows, linear.weights.rows - first);
  auto* both = reinterpret_cast<float*>(scratch);  // [2n, 64]
  const kernels::Product product{.weights = rows_of(linear.weights, first, rows),
                                 .input = in.quantized(),
                                 .n = in.columns(),
                                 .y = both,
                                 .y_stride = kTileRows};
  context.kernels->multiply(product, 0, scratch + align_up(in.columns() * kTileRows * sizeof(float), 64));
  for (std::size_t i = 0; i < in.n; ++i) {
    const float* coarse = both + i * kTileRows;
    const float* fine = both + (in.n + i) * kTileRows;
    float* out = y + i * y_stride + first;
    for (std::size_t row = 0; row < rows; ++row) out[row] = coarse[row] + fine[row];
  }
  add_bias(context, linear, first, rows, in.n, y, y_stride);
}

// y [n, y_stride] columns [tile * 64, ...) of a product, with bias.
void multiply_tile(const Context& context, const Activations& in, const Linear& linear, std::size_t tile, float* y,
                   std::size_t y_stride, std::byte* scratch) noexcept {
  const kernels::Matrix& w = linear.weights;
  if (in.is_refined && reads_codes(w)) return multiply_refined_tile(context, in, linear, tile, y, y_stride, scratch);
  const kernels::Product product{.weights = w,
                                 .input = in.quantized(),
                                 .x = reads_codes(w) ? nullptr : in.x,
                                 .x_stride = in.k,
                                 .n = in.n,
                                 .y = y,
                                 .y_stride = y_stride};
  context.kernels->multiply(product, tile, scratch);
  const std::size_t first = tile * kTileRows;
  add_bias(context, linear, first, std::min(kTileRows, w.rows - first), in.n, y, y_stride);
}

}  // namespace

kernels::Matrix rows_of(const kernels::Matrix& matrix, std::size_t first, std::size_t n) noexcept {
  const std::size_t offset = matrix.is_packed ? first / kPanelRows * panel_bytes(matrix.type, matrix.k)
                                              : first * row_bytes(matrix.type, matrix.k);
  kernels::Matrix part = matrix;
  part.data += offset;
  part.rows = n;
  return part;
}

bool reads_codes(const kernels::Matrix& matrix) noexcept {
  return !is_float_type(matrix.type);
}

std::size_t linear_slot_bytes(const kernels::KernelTable& kernels, std::size_t k, std::size_t n) noexcept {
  const std::size_t up_tile_bytes = align_up(n * kTileRows * sizeof(float), 64);
  const std::size_t both_bytes = align_up(2 * n * kTileRows * sizeof(float), 64);
  return std::max(up_tile_bytes, both_bytes) + align_up(kernels.multiply_scratch_bytes(k, 2 * n), 64);
}

void quantize(const Context& context, const Activations& in, bool is_needed) noexcept {
  if (!is_needed) return;
  const std::size_t tile_tokens = context.token_tile();
  if (in.is_refined) {
    parallel_tiles(*context.executor, in.n, [&](std::size_t i, std::size_t) {
      quantization_residual(in.x + i * in.k, in.x + (in.n + i) * in.k, in.k);
    });
  }
  parallel_tiles(*context.executor, divide_up(in.columns(), tile_tokens), [&](std::size_t tile, std::size_t) {
    const std::size_t begin = tile * tile_tokens;
    const std::size_t end = std::min(in.columns(), begin + tile_tokens);
    context.kernels->quantize_input(in.x, in.k, in.quantized(), begin, end);
  });
}

void project(const Context& context, const Activations& in, std::span<const Projection> products) noexcept {
  std::size_t n_tiles = 0;
  for (const Projection& product : products) n_tiles += tiles_of(product.linear->weights);
  parallel_tiles(*context.executor, n_tiles, [&](std::size_t tile, std::size_t slot) {
    const Projection* product = products.data();
    while (tile >= tiles_of(product->linear->weights)) tile -= tiles_of(product++->linear->weights);
    const std::size_t rows = product->linear->weights.rows;
    multiply_tile(context, in, *product->linear, tile, product->y, rows, context.slot(slot));
  });
}

void project_add(const Context& context, const Activations& in, const Linear& linear, float* branch,
                 float* residual) noexcept {
  const std::size_t rows = linear.weights.rows;
  parallel_tiles(*context.executor, tiles_of(linear.weights), [&](std::size_t tile, std::size_t slot) {
    multiply_tile(context, in, linear, tile, branch, rows, context.slot(slot));
    const std::size_t first = tile * kTileRows;
    const std::size_t n = std::min(kTileRows, rows - first);
    for (std::size_t i = 0; i < in.n; ++i) {
      context.kernels->add(residual + i * rows + first, branch + i * rows + first, n);
    }
  });
}

void gated_project(const Context& context, const Activations& in, const Linear& gate, const Linear& up,
                   float* y) noexcept {
  const std::size_t rows = gate.weights.rows;
  const std::size_t up_tile_bytes = align_up(in.n * kTileRows * sizeof(float), 64);
  parallel_tiles(*context.executor, tiles_of(gate.weights), [&](std::size_t tile, std::size_t slot) {
    auto* up_tile = reinterpret_cast<float*>(context.slot(slot));  // [n, 64]
    std::byte* scratch = context.slot(slot) + up_tile_bytes;
    const std::size_t first = tile * kTileRows;
    const std::size_t n = std::min(kTileRows, rows - first);
    multiply_tile(context, in, gate, tile, y, rows, scratch);
    const Linear up_rows{rows_of(up.weights, first, n), up.bias == nullptr ? nullptr : up.bias + first};
    multiply_tile(context, in, up_rows, 0, up_tile, kTileRows, scratch);
    for (std::size_t i = 0; i < in.n; ++i) {
      context.kernels->silu_multiply(y + i * rows + first, up_tile + i * kTileRows, n);
    }
  });
}

}  // namespace loquat::inline LOQUAT_ABI::nn
