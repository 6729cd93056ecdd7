// SPDX-License-Identifier: MIT
// Rows of the token embedding, dequantized from packed panels or from the file's layout.
#ifndef LOQUAT_NN_EMBEDDING_HPP
#define LOQUAT_NN_EMBEDDING_HPP

#include <loquat/fwd.hpp>

#include <span>

#include "nn/context.hpp"

namespace loquat::inline LOQUAT_ABI::nn {

/// x [T, D] = rows `tokens` of `matrix` [V, D].
void embed(const Context& context, const kernels::Matrix& matrix, std::span<const Token> tokens, float* x) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::nn

#endif  // LOQUAT_NN_EMBEDDING_HPP
