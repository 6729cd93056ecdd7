// SPDX-License-Identifier: MIT
// Products with weight matrices: y [T, M] = x [T, K] * w [M, K]^T + b [M]. The input is quantized once and shared by all
// matrices that read it; all their tiles go out in one parallel region. Every output element is one thread's work from
// k = 0 to K - 1, so no split of tiles changes a bit (promise D1).
#ifndef LOQUAT_NN_LINEAR_HPP
#define LOQUAT_NN_LINEAR_HPP

#include <cstddef>
#include <span>

#include "nn/context.hpp"

namespace loquat::inline LOQUAT_ABI::nn {

struct Linear {
  kernels::Matrix weights;      ///< [M, K]
  const float* bias = nullptr;  ///< [M], or null
};

/// Rows of activations in both forms that products read.
struct Activations {
  float* x = nullptr;          ///< [n, k]; refined: [2n, k], the second half for the residuals
  std::byte* codes = nullptr;  ///< quantized x; kernels.input_bytes(k, columns()) bytes aligned to 64
  std::size_t n = 0;
  std::size_t k = 0;
  bool is_refined = false;     ///< the rounding errors of the codes are quantized and multiplied too

  std::size_t columns() const noexcept { return is_refined ? 2 * n : n; }
  kernels::QuantizedInput quantized() const noexcept { return {.data = codes, .k = k, .n = columns()}; }
};

/// One product of a region.
struct Projection {
  const Linear* linear;
  float* y;  ///< [n, M]
};

/// Rows [first, first + n) of a matrix, as a matrix of its own.
///
/// Requires  first % 16 == 0, or the matrix is not packed
kernels::Matrix rows_of(const kernels::Matrix& matrix, std::size_t first, std::size_t n) noexcept;

/// Whether products with this matrix read quantized activations.
bool reads_codes(const kernels::Matrix& matrix) noexcept;
/// Whether any of these does.
template <class... L>
bool read_codes(const L&... linears) noexcept {
  return (reads_codes(linears.weights) || ...);
}

/// Scratch that one thread needs for products of this depth with n columns, gated_project() included.
std::size_t linear_slot_bytes(const kernels::KernelTable& kernels, std::size_t k, std::size_t n) noexcept;

/// Fills in.codes from in.x, where the matrices that follow read codes.
void quantize(const Context& context, const Activations& in, bool is_needed) noexcept;

/// y_i = x w_i^T + b_i, for matrices that share one input.
void project(const Context& context, const Activations& in, std::span<const Projection> products) noexcept;

/// residual [n, M] += x w^T + b; `branch` [n, M] is overwritten.
void project_add(const Context& context, const Activations& in, const Linear& linear, float* branch,
                 float* residual) noexcept;

/// y [n, F] = silu(x gate^T + b_gate) * (x up^T + b_up), tile by tile, so that neither product leaves the cache.
void gated_project(const Context& context, const Activations& in, const Linear& gate, const Linear& up,
                   float* y) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::nn

#endif  // LOQUAT_NN_LINEAR_HPP
