// SPDX-License-Identifier: MIT
// A fake model for session logic: its "cache" is the token ids themselves, written into the pages like keys, and its
// logits are a function of the history read back from the pages. A wrong page, a stale position or a lost token changes
// what it says.
#ifndef LOQUAT_TESTS_SUPPORT_SCRIPTED_DECODER_HPP
#define LOQUAT_TESTS_SUPPORT_SCRIPTED_DECODER_HPP

#include <cstddef>
#include <functional>
#include <vector>

#include "models/decoder.hpp"

namespace loquat_test {

class ScriptedDecoder final : public loquat::models::Decoder {
 public:
  using History = std::vector<loquat::Token>;
  /// Fills logits [V] for the token that follows `history`.
  using Script = std::function<void(const History& history, std::vector<float>& logits)>;

  ScriptedDecoder(std::size_t vocabulary, Script script) : vocabulary_(vocabulary), script_(std::move(script)) {}
  /// A script that wants exactly one token: the answer's next one, by the number of tokens after the prompt.
  static Script says(std::size_t prompt_tokens, History answer);
  /// A script whose wish depends on every token of the history.
  static Script hashes();

  std::size_t layers() const noexcept override { return 3; }
  std::size_t vocabulary() const noexcept override { return vocabulary_; }
  loquat::cache::PageLayout page_layout(loquat::CacheType = loquat::CacheType::automatic) const noexcept override {
    return {.layers = 3, .kv_heads = 1, .head_width = 8};
  }
  std::size_t scratch_bytes(std::size_t max_tokens, std::size_t,
                            const loquat::kernels::KernelTable&) const noexcept override {
    return max_tokens * sizeof(float);
  }
  void embed(loquat::models::Pass& pass) const noexcept override;
  void layer(loquat::models::Pass& pass, std::size_t index) const noexcept override;
  void logits(loquat::models::Pass& pass, std::size_t first_row, std::size_t n_rows,
              float* logits) const noexcept override;
  std::span<const float> residual(const loquat::models::Pass&) const noexcept override { return {}; }

  /// Sizes of the passes that were begun.
  const std::vector<std::size_t>& passes() const { return passes_; }

 private:
  std::size_t vocabulary_;
  Script script_;
  mutable std::vector<std::size_t> passes_;
};

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SUPPORT_SCRIPTED_DECODER_HPP
