// SPDX-License-Identifier: MIT
// Complete small model files in memory: random weights, a real tokenizer, the keys that converters write.
//
//   GgufImage file = make_toy_model({.type = TensorType::q4_0});      // 2 layers, width 64, byte-level BPE
//   auto model = loquat::Model::load(file.bytes);
//   GgufWriter writer = toy_model_writer({.architecture = "qwen3"});  // to change it before it is written
//   writer.set("qwen3.rope.scaling.type", "linear");
#ifndef LOQUAT_TESTS_SUPPORT_TOY_MODEL_HPP
#define LOQUAT_TESTS_SUPPORT_TOY_MODEL_HPP

#include <cstdint>
#include <map>
#include <string>

#include "support/gguf_writer.hpp"

namespace loquat_test {

enum class ToyTokenizer { bpe, spm };

/// The template of SmolLM2's simplicity: <|im_start|>role\ncontent<|im_end|>\n.
extern const std::string kToyChatTemplate;

struct ToyModelOptions {
  std::string architecture = "llama";  ///< llama, qwen2 (biases on q, k, v), qwen3 (norms of q and k)
  std::uint32_t layers = 2;
  std::uint32_t width = 64;
  std::uint32_t heads = 4;
  std::uint32_t kv_heads = 2;
  std::uint32_t head_width = 16;
  std::uint32_t ffn_width = 96;
  std::uint32_t context_length = 512;
  loquat::TensorType type = loquat::TensorType::q8_0;  ///< of all matrices
  /// Other types for some: by kind ("attn_q", "ffn_down", "token_embd", "output") or full tensor name.
  std::map<std::string, loquat::TensorType> types = {};
  bool tied_output = false;      ///< no output.weight
  std::uint32_t extra_rows = 0;  ///< rows of the embedding beyond the vocabulary
  ToyTokenizer tokenizer = ToyTokenizer::bpe;
  std::string pre = "smollm";  ///< tokenizer.ggml.pre of BPE; empty: no key
  bool add_bos = false;
  std::string chat_template = kToyChatTemplate;  ///< empty: no key
  std::uint64_t seed = 1;
};

/// Widths that are whole K-quant blocks: width 256, 4 heads of 64, 2 kv heads, ffn 512.
ToyModelOptions toy_k_quant_options(loquat::TensorType type);

/// BPE: ids 0..255 are the bytes in order, then merged pieces, then <|endoftext|> (bos), <|im_start|>,
/// <|im_end|> (eos), all control, and "<tool>", user-defined.
/// SPM: <unk>, <s> (bos), </s> (eos), 256 byte tokens, pieces, then the same <|im_start|>, <|im_end|>, "<tool>".
GgufWriter toy_model_writer(const ToyModelOptions& options = {});
GgufImage make_toy_model(const ToyModelOptions& options = {});

/// Tokens of the toy vocabulary.
std::uint32_t toy_vocabulary_size(ToyTokenizer tokenizer);

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SUPPORT_TOY_MODEL_HPP
