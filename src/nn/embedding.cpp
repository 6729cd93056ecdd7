// SPDX-License-Identifier: MIT
#include "nn/embedding.hpp"

#include <algorithm>

#include "quant/packing.hpp"
#include "quant/quantize.hpp"
#include "threading/parallel.hpp"

namespace loquat::inline LOQUAT_ABI::nn {

namespace {

void read_row(const kernels::Matrix& matrix, std::size_t row, float* values) noexcept {
  if (matrix.is_packed) {
    const std::byte* panel = matrix.data + row / kPanelRows * panel_bytes(matrix.type, matrix.k);
    unpack_panel_row(matrix.type, panel, row % kPanelRows, matrix.k, values);
  } else {
    dequantize_row(matrix.type, matrix.data + row * row_bytes(matrix.type, matrix.k), values, matrix.k);
  }
}

}  // namespace

void embed(const Context& context, const kernels::Matrix& matrix, std::span<const Token> tokens, float* x) noexcept {
  const std::size_t tile_tokens = context.token_tile();
  parallel_tiles(*context.executor, divide_up(tokens.size(), tile_tokens), [&](std::size_t tile, std::size_t) {
    const std::size_t end = std::min(tokens.size(), (tile + 1) * tile_tokens);
    for (std::size_t i = tile * tile_tokens; i < end; ++i) {
      read_row(matrix, static_cast<std::size_t>(tokens[i]), x + i * matrix.k);
    }
  });
}

}  // namespace loquat::inline LOQUAT_ABI::nn
