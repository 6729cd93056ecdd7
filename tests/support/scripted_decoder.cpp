// SPDX-License-Identifier: MIT
#include "support/scripted_decoder.hpp"

#include <algorithm>
#include <cstdint>

#include "base/bytes.hpp"

namespace loquat_test {

using loquat::Token;
using loquat::kernels::kPagePositions;
using loquat::models::Pass;

namespace {

/// Where layer `layer` keeps the token of `position`.
std::byte* slot(const ScriptedDecoder& decoder, std::byte* const* pages, std::size_t layer, std::size_t position) {
  return pages[position / kPagePositions] + decoder.page_layout().k_offset(layer) +
         position % kPagePositions * sizeof(Token);
}

}  // namespace

ScriptedDecoder::Script ScriptedDecoder::says(std::size_t prompt_tokens, History answer) {
  return [=](const History& history, std::vector<float>& logits) {
    const std::size_t i = history.size() - prompt_tokens;
    std::ranges::fill(logits, 0.0f);
    logits[static_cast<std::size_t>(answer[std::min(i, answer.size() - 1)])] = 20.0f;
  };
}

ScriptedDecoder::Script ScriptedDecoder::hashes() {
  return [](const History& history, std::vector<float>& logits) {
    std::uint64_t hash = 14695981039346656037ull;
    for (const Token token : history) hash = (hash ^ static_cast<std::uint64_t>(token)) * 1099511628211ull;
    for (float& logit : logits) {
      hash = hash * 6364136223846793005ull + 1442695040888963407ull;
      logit = static_cast<float>(hash >> 40) * 0x1p-22f;
    }
  };
}

void ScriptedDecoder::embed(Pass& pass) const noexcept {
  passes_.push_back(pass.tokens.size());
}

void ScriptedDecoder::layer(Pass& pass, std::size_t index) const noexcept {
  for (std::size_t i = 0; i < pass.tokens.size(); ++i) {
    loquat::store(slot(*this, pass.pages, index, pass.first_position + i), pass.tokens[i]);
  }
}

void ScriptedDecoder::logits(Pass& pass, std::size_t first_row, std::size_t n_rows, float* out) const noexcept {
  for (std::size_t row = 0; row < n_rows; ++row) {
    History history;
    for (std::size_t position = 0; position <= pass.first_position + first_row + row; ++position) {
      history.push_back(loquat::load<Token>(slot(*this, pass.pages, layers() - 1, position)));
    }
    std::vector<float> values(vocabulary_);
    script_(history, values);
    std::ranges::copy(values, out + row * vocabulary_);
  }
}

}  // namespace loquat_test
