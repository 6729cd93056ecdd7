// SPDX-License-Identifier: MIT
// Root-mean-square norm over rows of tokens, fused with the quantization of its result.
#ifndef LOQUAT_NN_NORM_HPP
#define LOQUAT_NN_NORM_HPP

#include "nn/linear.hpp"

namespace loquat::inline LOQUAT_ABI::nn {

struct Norm {
  const float* weights = nullptr;  ///< [D], or null: none
  float epsilon = 0;
};

/// out.x [n, k] = norm(x [n, k]); out.codes too where the matrices that follow read codes. One parallel region.
void normalize(const Context& context, const float* x, const Norm& norm, const Activations& out,
               bool is_quantized) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::nn

#endif  // LOQUAT_NN_NORM_HPP
