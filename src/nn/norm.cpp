// SPDX-License-Identifier: MIT
#include "nn/norm.hpp"

#include <algorithm>

#include "threading/parallel.hpp"

namespace loquat::inline LOQUAT_ABI::nn {

void normalize(const Context& context, const float* x, const Norm& norm, const Activations& out,
               bool is_quantized) noexcept {
  const bool is_quantized_at_once = is_quantized && !out.is_refined;  // residuals are columns of another tile
  const std::size_t tile_tokens = context.token_tile();
  parallel_tiles(*context.executor, divide_up(out.n, tile_tokens), [&](std::size_t tile, std::size_t) {
    const std::size_t begin = tile * tile_tokens;
    const std::size_t end = std::min(out.n, begin + tile_tokens);
    for (std::size_t i = begin; i < end; ++i) {
      context.kernels->rms_norm(x + i * out.k, norm.weights, norm.epsilon, out.x + i * out.k, out.k);
    }
    if (is_quantized_at_once) context.kernels->quantize_input(out.x, out.k, out.quantized(), begin, end);
  });
  if (out.is_refined) quantize(context, out, is_quantized);
}

}  // namespace loquat::inline LOQUAT_ABI::nn
