// SPDX-License-Identifier: MIT
// Brings a model's tensors into memory, one after the other: packed into panels, copied, or used where they are. Never
// both copies: file pages are given back as soon as they are packed, and sources that must be read go through one
// staging buffer of about 1 MiB (promise M9).
#ifndef LOQUAT_MODELS_LOAD_WEIGHTS_HPP
#define LOQUAT_MODELS_LOAD_WEIGHTS_HPP

#include <loquat/callback.hpp>
#include <loquat/model.hpp>

#include "models/architectures.hpp"
#include "models/loaded_model.hpp"

namespace loquat::inline LOQUAT_ABI::models {

struct WeightOptions {
  WeightLayout layout = WeightLayout::packed;
  Executor* executor = nullptr;
  CallbackRef<float> progress = {};
  StopRef stop_token = {};
};

/// Fills the targets of `binder` and model.weights, and closes model.file's sources where nothing is used in place.
///
/// Requires  model.file is open, and model.decoder is what `binder` was bound to
/// Threads   progress is called on the caller's thread: 0 first, ascending, 1 last
/// Errors    out_of_memory, io, truncated; cancelled, callback_failed. The model can only be destroyed then
Status load_weights(LoadedModel& model, TensorBinder& binder, const WeightOptions& options) noexcept;

/// Bytes that the weights take in memory, or mapped.
std::uint64_t weight_bytes(const TensorBinder& binder, WeightLayout layout) noexcept;

/// The facts of a file whose decoder was made.
ModelInfo describe_model(const LoadedModel& model, const Hyperparameters& parameters,
                         std::uint64_t weight_bytes) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::models

#endif  // LOQUAT_MODELS_LOAD_WEIGHTS_HPP
