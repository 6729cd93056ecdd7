// SPDX-License-Identifier: MIT
// From a tensor type to its block struct: the one switch over the quantized formats.
#ifndef LOQUAT_QUANT_BLOCK_TYPES_HPP
#define LOQUAT_QUANT_BLOCK_TYPES_HPP

#include <loquat/config.hpp>

#include "quant/iq4.hpp"
#include "quant/mxfp4.hpp"
#include "quant/q2_k.hpp"
#include "quant/q3_k.hpp"
#include "quant/q4.hpp"
#include "quant/q4_k.hpp"
#include "quant/q5.hpp"
#include "quant/q6_k.hpp"
#include "quant/q8_0.hpp"
#include "quant/tensor_type.hpp"

namespace loquat::inline LOQUAT_ABI {

template <class Block>
struct BlockTag {
  using type = Block;
};

/// Calls visitor(BlockTag<Block>{}) with the type's block; false (and no call) where the type is not a computable
/// quantized one.
template <class Visitor>
bool visit_block_type(TensorType type, Visitor&& visitor) noexcept {
  switch (type) {
    case TensorType::q4_0:
      visitor(BlockTag<BlockQ4_0>{});
      return true;
    case TensorType::q4_1:
      visitor(BlockTag<BlockQ4_1>{});
      return true;
    case TensorType::q5_0:
      visitor(BlockTag<BlockQ5_0>{});
      return true;
    case TensorType::q5_1:
      visitor(BlockTag<BlockQ5_1>{});
      return true;
    case TensorType::q8_0:
      visitor(BlockTag<BlockQ8_0>{});
      return true;
    case TensorType::q2_k:
      visitor(BlockTag<BlockQ2_K>{});
      return true;
    case TensorType::q3_k:
      visitor(BlockTag<BlockQ3_K>{});
      return true;
    case TensorType::q4_k:
      visitor(BlockTag<BlockQ4_K>{});
      return true;
    case TensorType::q5_k:
      visitor(BlockTag<BlockQ5_K>{});
      return true;
    case TensorType::q6_k:
      visitor(BlockTag<BlockQ6_K>{});
      return true;
    case TensorType::iq4_nl:
      visitor(BlockTag<BlockIq4Nl>{});
      return true;
    case TensorType::iq4_xs:
      visitor(BlockTag<BlockIq4Xs>{});
      return true;
    case TensorType::mxfp4:
      visitor(BlockTag<BlockMxfp4>{});
      return true;
    default:
      return false;
  }
}

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_QUANT_BLOCK_TYPES_HPP
