// SPDX-License-Identifier: MIT
// Known end-of-turn texts. Many files declare only one of the tokens that end a turn; the rest is known by text.
#include "text/end_of_generation.hpp"

#include <algorithm>

namespace loquat::inline LOQUAT_ABI::text {

namespace {

// Facts collected from published chat templates and generation settings; llama.cpp's list is much the same.
constexpr std::string_view kEnds[] = {
    "<|endoftext|>",    // GPT-2, Qwen, Phi
    "<|im_end|>",       // ChatML
    "<|eot_id|>",       // Llama 3
    "<|eom_id|>",       // Llama 3, before a tool's answer
    "<|end_of_text|>",  // Llama 3, Granite
    "<|eot|>",          // Llama 4
    "<|eom|>",
    "<end_of_turn>",  // Gemma 2 and 3
    "<turn|>",        // Gemma 4
    "<eos>",
    "</s>",        // Llama 2, Mistral
    "<|end|>",     // Phi
    "<|return|>",  // Harmony
    "<|call|>",
    "<|calls|>",  // Solar
    "<|flush|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",  // Kimi
    "[EOS]",
    "[e~[",                // MiniMax
    "<end_of_utterance>",  // SmolVLM
    "<\xEF\xBD\x9C"
    "end\xE2\x96\x81"
    "of\xE2\x96\x81"
    "sentence\xEF\xBD\x9C>",  // DeepSeek, with U+FF5C and U+2581
    "<|END_OF_TURN_TOKEN|>",  // Command R
    "<|endofturn|>",          // HyperCLOVA
    "[|endofturn|]",          // EXAONE
};

}  // namespace

bool find_end_of_generation(const TokenTable& table, const VocabularySource& source, Array<Token>& ids) noexcept {
  for (const Token token : {source.special.eos, source.eot, source.eom}) {
    if (table.has(token) && !ids.push_back(token)) return false;
  }
  const auto is_control = [&table](std::string_view text) {
    const Token token = table.find(text);
    return token >= 0 && table.kind(token) == TokenKind::control;
  };
  // In the Harmony format <|end|> ends a message of many, not the answer.
  const bool is_harmony = is_control("<|return|>") && is_control("<|call|>");
  for (const std::string_view text : kEnds) {
    if (!is_control(text) || (is_harmony && text == "<|end|>")) continue;
    if (!ids.push_back(table.find(text))) return false;
  }
  std::sort(ids.begin(), ids.end());
  ids.truncate(static_cast<std::size_t>(std::unique(ids.begin(), ids.end()) - ids.begin()));
  return true;
}

}  // namespace loquat::inline LOQUAT_ABI::text
