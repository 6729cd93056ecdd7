// SPDX-License-Identifier: MIT
// Which architectures there are. A new one is a file in this folder and a line in architectures.cpp.
#ifndef LOQUAT_MODELS_ARCHITECTURES_HPP
#define LOQUAT_MODELS_ARCHITECTURES_HPP

#include <loquat/result.hpp>

#include "base/ref.hpp"
#include "models/decoder.hpp"
#include "models/hyperparameters.hpp"
#include "models/tensor_binder.hpp"

namespace loquat::inline LOQUAT_ABI::models {

using MakeDecoder = Result<Box<Decoder>>(const Hyperparameters& parameters, TensorBinder& binder,
                                         Allocator& allocator) noexcept;
MakeDecoder make_llama;
MakeDecoder make_qwen2;
MakeDecoder make_qwen3;

/// A decoder whose names and shapes are checked, still without weights.
struct Blueprint {
  Hyperparameters parameters;
  Box<Decoder> decoder;
};

/// The decoder of a file; `binder` then has the list of what to load.
///
/// Errors    unsupported_architecture: naming it and the known ones; see read_hyperparameters() and TensorBinder
Result<Blueprint> make_decoder(const gguf::Description& description, TensorBinder& binder,
                               Allocator& allocator) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::models

#endif  // LOQUAT_MODELS_ARCHITECTURES_HPP
