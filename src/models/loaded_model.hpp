// SPDX-License-Identifier: MIT
// A model's weights in memory and the decoder that runs them; made by load_weights() from a parsed file.
#ifndef LOQUAT_MODELS_LOADED_MODEL_HPP
#define LOQUAT_MODELS_LOADED_MODEL_HPP

#include <loquat/array.hpp>
#include <loquat/model.hpp>
#include <loquat/result.hpp>

#include "base/block.hpp"
#include "base/ref.hpp"
#include "format/source.hpp"
#include "models/decoder.hpp"

namespace loquat::inline LOQUAT_ABI::models {

struct LoadedModel {
  explicit LoadedModel(Allocator& memory) noexcept : file(memory), weights(memory, MemoryTag::metadata) {}

  gguf::ModelFile file;  ///< description always; parts only while weights are used in place
  ModelInfo info;
  Array<Block> weights;  ///< one block a tensor that is not used in place
  Box<Decoder> decoder;
};

}  // namespace loquat::inline LOQUAT_ABI::models

#endif  // LOQUAT_MODELS_LOADED_MODEL_HPP
