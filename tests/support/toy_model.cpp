// SPDX-License-Identifier: MIT
#include "support/toy_model.hpp"

#include <cmath>

#include "support/toy_tokenizer.hpp"

namespace loquat_test {

const std::string kToyChatTemplate =
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + "
    "'\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

namespace {

using loquat::TensorType;

ToyVocabularyTables tables_of(ToyTokenizer tokenizer) {
  return tokenizer == ToyTokenizer::bpe ? make_toy_bpe() : make_toy_spm();
}

class ToyModelBuilder {
 public:
  explicit ToyModelBuilder(const ToyModelOptions& options)
      : options_(options), tables_(tables_of(options.tokenizer)), prefix_(options.architecture + ".") {}

  GgufWriter build() {
    write_hyperparameters();
    write_tokenizer();
    write_ends();
    for (std::uint32_t layer = 0; layer < options_.layers; ++layer) write_layer(layer);
    vector("output_norm.weight", options_.width, 1);
    return std::move(writer_);
  }

 private:
  std::uint32_t query_width() const { return options_.heads * options_.head_width; }
  std::uint32_t kv_width() const { return options_.kv_heads * options_.head_width; }
  std::uint32_t vocabulary() const { return static_cast<std::uint32_t>(tables_.tokens.size()); }
  bool is(const char* architecture) const { return options_.architecture == architecture; }

  void write_hyperparameters() {
    writer_.set("general.architecture", options_.architecture).set("general.type", "model");
    writer_.set("general.name", "toy").set("general.size_label", "100K");
    writer_.set(prefix_ + "block_count", options_.layers);
    writer_.set(prefix_ + "context_length", options_.context_length);
    writer_.set(prefix_ + "embedding_length", options_.width);
    writer_.set(prefix_ + "feed_forward_length", options_.ffn_width);
    writer_.set(prefix_ + "attention.head_count", options_.heads);
    writer_.set(prefix_ + "attention.head_count_kv", options_.kv_heads);
    writer_.set(prefix_ + "rope.freq_base", is("llama") ? 10000.0f : 1000000.0f);
    writer_.set(prefix_ + "attention.layer_norm_rms_epsilon", is("llama") ? 1e-5f : 1e-6f);
    if (!is("qwen2") || query_width() != options_.width) {
      writer_.set(prefix_ + "attention.key_length", options_.head_width);
      writer_.set(prefix_ + "attention.value_length", options_.head_width);
    }
    if (is("llama")) {
      writer_.set(prefix_ + "vocab_size", vocabulary() + options_.extra_rows);
      writer_.set(prefix_ + "rope.dimension_count", options_.head_width);
    }
    writer_.set("general.quantization_version", std::uint32_t{2});
  }

  void write_tokenizer() {
    const bool is_bpe = options_.tokenizer == ToyTokenizer::bpe;
    writer_.set("tokenizer.ggml.model", is_bpe ? "gpt2" : "llama");
    if (!is_bpe) writer_.set("tokenizer.ggml.pre", "default");
    if (is_bpe && !options_.pre.empty()) writer_.set("tokenizer.ggml.pre", options_.pre);
    writer_.set_array("tokenizer.ggml.tokens", tables_.tokens);
    if (!is_bpe) writer_.set_array("tokenizer.ggml.scores", tables_.scores);
    writer_.set_array("tokenizer.ggml.token_type", tables_.types);
    if (is_bpe) writer_.set_array("tokenizer.ggml.merges", tables_.merges);
    writer_.set("tokenizer.ggml.bos_token_id", tables_.bos);
    writer_.set("tokenizer.ggml.eos_token_id", tables_.eos);
    if (!is_bpe) writer_.set("tokenizer.ggml.unknown_token_id", std::uint32_t{0});
    writer_.set("tokenizer.ggml.add_bos_token", options_.add_bos);
    if (!options_.chat_template.empty()) writer_.set("tokenizer.chat_template", options_.chat_template);
  }

  /// The two matrices with a row for each token. Larger than 1 / sqrt(width), so that the best token is clear.
  void write_ends() {
    const std::uint32_t rows = vocabulary() + options_.extra_rows;
    if (!options_.tied_output) matrix("output", "output.weight", options_.width, rows, 3);
    matrix("token_embd", "token_embd.weight", options_.width, rows, 4);
  }

  void write_layer(std::uint32_t layer) {
    vector(name(layer, "attn_norm.weight"), options_.width, 1);
    block_matrix(layer, "ffn_down", options_.ffn_width, options_.width);
    block_matrix(layer, "ffn_gate", options_.width, options_.ffn_width);
    block_matrix(layer, "ffn_up", options_.width, options_.ffn_width);
    vector(name(layer, "ffn_norm.weight"), options_.width, 1);
    block_matrix(layer, "attn_k", options_.width, kv_width());
    block_matrix(layer, "attn_output", query_width(), options_.width);
    block_matrix(layer, "attn_q", options_.width, query_width());
    block_matrix(layer, "attn_v", options_.width, kv_width());
    if (is("qwen2")) {
      vector(name(layer, "attn_q.bias"), query_width(), 0);
      vector(name(layer, "attn_k.bias"), kv_width(), 0);
      vector(name(layer, "attn_v.bias"), kv_width(), 0);
    }
    if (is("qwen3")) {
      vector(name(layer, "attn_q_norm.weight"), options_.head_width, 1);
      vector(name(layer, "attn_k_norm.weight"), options_.head_width, 1);
    }
  }

  static std::string name(std::uint32_t layer, const std::string& rest) {
    return "blk." + std::to_string(layer) + "." + rest;
  }
  void block_matrix(std::uint32_t layer, const std::string& kind, std::uint32_t k, std::uint32_t rows) {
    matrix(kind, name(layer, kind + ".weight"), k, rows, 1.5f);
  }
  void matrix(const std::string& kind, const std::string& full_name, std::uint32_t k, std::uint32_t rows, float gain) {
    TensorType type = options_.type;
    for (const std::string& key : {kind, full_name}) {
      if (const auto found = options_.types.find(key); found != options_.types.end()) type = found->second;
    }
    writer_.add_tensor(full_name, type, {k, rows}, gain / std::sqrt(static_cast<float>(k)), options_.seed);
  }
  /// Values around `middle`, F32 as converters keep them.
  void vector(const std::string& full_name, std::uint32_t n, float middle) {
    Bytes data = random_blocks(TensorType::f32, n, 0.1f, options_.seed * 7919 + writer_.tensors());
    for (std::size_t i = 0; i < n; ++i) {
      float value = 0;
      std::memcpy(&value, data.data() + i * sizeof value, sizeof value);
      value += middle;
      std::memcpy(data.data() + i * sizeof value, &value, sizeof value);
    }
    writer_.add_tensor(full_name, TensorType::f32, {n}, std::move(data));
  }

  const ToyModelOptions& options_;
  ToyVocabularyTables tables_;
  std::string prefix_;
  GgufWriter writer_;
};

}  // namespace

ToyModelOptions toy_k_quant_options(TensorType type) {
  ToyModelOptions options;
  options.width = 256;
  options.head_width = 64;
  options.ffn_width = 512;
  options.type = type;
  return options;
}

GgufWriter toy_model_writer(const ToyModelOptions& options) { return ToyModelBuilder(options).build(); }

GgufImage make_toy_model(const ToyModelOptions& options) { return toy_model_writer(options).build(); }

std::uint32_t toy_vocabulary_size(ToyTokenizer tokenizer) {
  return static_cast<std::uint32_t>(tables_of(tokenizer).tokens.size());
}

}  // namespace loquat_test
