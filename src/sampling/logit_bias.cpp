// SPDX-License-Identifier: MIT
#include "sampling/stages.hpp"

namespace loquat::inline LOQUAT_ABI::sampling {

void apply_logit_bias(std::span<const LogitBias> biases, Logits& logits) noexcept {
  for (const LogitBias& bias : biases) logits.change(bias.token, logits[bias.token] + bias.bias);
}

}  // namespace loquat::inline LOQUAT_ABI::sampling
