// SPDX-License-Identifier: MIT
// Ranges of the options (promises A5, Z5).
#include "sampling/options.hpp"

#include <limits>
#include <string_view>

#include "base/error.hpp"

namespace loquat::inline LOQUAT_ABI::sampling {

namespace {

/// The longest penalty history: 4 MiB, longer than any context.
constexpr std::uint32_t kLargestLastN = std::uint32_t{1} << 20;

Status check_range(std::string_view name, float value, float least, float most) noexcept {
  if (value >= least && value <= most) return {};  // false for NaN
  return make_error(ErrorCode::invalid_argument, "{} must be {}..{}, got {}", name, least, most, value).with_name(name);
}

Status check_bias(std::span<const LogitBias> biases) noexcept {
  for (std::size_t i = 0; i < biases.size(); ++i) {
    const LogitBias& bias = biases[i];
    if (bias.token < 0) {
      return make_error(ErrorCode::invalid_argument, "logit_bias[{}] names token {}, expected 0 or more", i, bias.token)
          .with_name("logit_bias")
          .with_offset(i);
    }
    if (!(bias.bias < std::numeric_limits<float>::infinity())) {
      return make_error(ErrorCode::invalid_argument, "logit_bias[{}] must be finite or -infinity, got {}", i, bias.bias)
          .with_name("logit_bias")
          .with_offset(i);
    }
  }
  return {};
}

}  // namespace

Status check_options(const SamplerOptions& options) noexcept {
  LOQUAT_RETURN_IF_ERROR(check_range("temperature", options.temperature, 0, 100));
  LOQUAT_RETURN_IF_ERROR(check_range("top_p", options.top_p, 0, 1));
  LOQUAT_RETURN_IF_ERROR(check_range("min_p", options.min_p, 0, 1));
  LOQUAT_RETURN_IF_ERROR(check_range("typical_p", options.typical_p, 0, 1));
  LOQUAT_RETURN_IF_ERROR(check_range("repetition_penalty", options.repetition_penalty, 0.01f, 100));
  LOQUAT_RETURN_IF_ERROR(check_range("presence_penalty", options.presence_penalty, -100, 100));
  LOQUAT_RETURN_IF_ERROR(check_range("frequency_penalty", options.frequency_penalty, -100, 100));
  if (options.penalty_last_n > kLargestLastN) {
    return make_error(ErrorCode::invalid_argument, "penalty_last_n must be 0..{}, got {}", kLargestLastN,
                      options.penalty_last_n)
        .with_name("penalty_last_n");
  }
  return check_bias(options.logit_bias);
}

}  // namespace loquat::inline LOQUAT_ABI::sampling
