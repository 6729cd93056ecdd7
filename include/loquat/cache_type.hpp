// SPDX-License-Identifier: MIT
#ifndef LOQUAT_CACHE_TYPE_HPP
#define LOQUAT_CACHE_TYPE_HPP

#include <loquat/config.hpp>

#include <cstdint>

namespace loquat::inline LOQUAT_ABI {

/// How a session keeps keys and values. `automatic` is f32 for a model whose matrices are all F32, F16 or BF16 (they
/// are multiplied in float32, and so its logits are those of float32 arithmetic), and f16 for a quantized one, whose
/// error is a hundred times that of the rounding to f16 (0.01 in a logit).
enum class CacheType : std::uint8_t { automatic, f16, f32 };

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_CACHE_TYPE_HPP
