// SPDX-License-Identifier: MIT
// Hyper-parameters of decoder-only transformers, read from a file's metadata through one range-checked table: nothing
// else in models/ reads a number from metadata, so no divisor, array size or loop bound is unchecked (promise F4).
#ifndef LOQUAT_MODELS_HYPERPARAMETERS_HPP
#define LOQUAT_MODELS_HYPERPARAMETERS_HPP

#include <loquat/result.hpp>

#include <cstdint>
#include <string_view>

#include "format/gguf.hpp"
#include "nn/rope.hpp"

namespace loquat::inline LOQUAT_ABI::models {

struct Hyperparameters {
  std::string_view architecture;  ///< `general.architecture`
  std::string_view name;          ///< `general.name`, or empty

  std::uint64_t layers = 0;
  std::uint64_t width = 0;        ///< D
  std::uint64_t ffn_width = 0;    ///< F
  std::uint64_t heads = 0;        ///< H
  std::uint64_t kv_heads = 0;     ///< G
  std::uint64_t head_width = 0;   ///< d
  std::uint64_t value_width = 0;  ///< of a head; equal to d
  std::uint64_t context_length = 0;
  std::uint64_t rotary = 0;
  std::uint64_t experts = 0;  ///< 0: dense

  double norm_epsilon = 0;
  double attention_scale = 0;  ///< 1 / sqrt(d) where the file has none
  double rope_base = 0;
  double rope_factor = 0;
  double rope_original_context = 0;
  double rope_beta_fast = 0;
  double rope_beta_slow = 0;
  double rope_attention_factor = 0;        ///< whole scale of cos and sin; 0: by the rule of the scaling
  double rope_extra_attention_factor = 0;  ///< multiplies it
  nn::RopeScaling rope_scaling = nn::RopeScaling::none;
};

/// Keys are "ARCHITECTURE.block_count" and so on.
///
/// Errors    malformed: a key is missing, of another type, outside its range, or contradicts another one;
///           unsupported_architecture: a mechanism that this version does not compute
Result<Hyperparameters> read_hyperparameters(const gguf::Description& description,
                                             std::string_view architecture) noexcept;

/// The options of nn::make_rope() that they ask for.
nn::RopeOptions rope_options(const Hyperparameters& parameters) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::models

#endif  // LOQUAT_MODELS_HYPERPARAMETERS_HPP
