// SPDX-License-Identifier: MIT
// Drives a loaded model's decoder pass by pass, without a session: any chunking, any executor, any level.
#ifndef LOQUAT_TESTS_MODELS_PASS_RUNNER_HPP
#define LOQUAT_TESTS_MODELS_PASS_RUNNER_HPP

#include <loquat/model.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "models/decoder.hpp"

namespace loquat_test {

struct RunOptions {
  std::size_t chunk = 4096;              ///< most tokens a pass
  loquat::Executor* executor = nullptr;  ///< null: the model's
  loquat::CacheType cache_type = loquat::CacheType::automatic;
  /// Called with (first position, layer, residual stream [T, D]) after every layer.
  std::function<void(std::size_t, std::size_t, std::span<const float>)> after_layer = {};
};

/// logits [T, V] of every token of a fresh sequence. A check fails where one is not finite.
std::vector<float> run_tokens(const loquat::Model& model, std::span<const loquat::Token> tokens,
                              const RunOptions& options = {});

/// Tokens spread over the vocabulary; the same for the same numbers.
std::vector<loquat::Token> some_tokens(std::size_t n, std::size_t vocabulary);

/// A value that changes with every bit of `values`.
std::uint64_t fingerprint(std::span<const float> values);

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_MODELS_PASS_RUNNER_HPP
