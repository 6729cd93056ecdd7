// SPDX-License-Identifier: MIT
// `llama`: Llama 1 to 3, Mistral, SmolLM2 and all that reuse the string. Pre-norm blocks of grouped-query attention and
// SwiGLU; rotary over neighbouring values (the converter has permuted q and k for it); biases where the file has them.
// Source: transformers, LlamaForCausalLM.
#include "models/architectures.hpp"
#include "models/transformer.hpp"

namespace loquat::inline LOQUAT_ABI::models {

namespace {

class Llama final : public Transformer {
 public:
  Llama(const Hyperparameters& parameters, Allocator& allocator) noexcept
      : Transformer(parameters, allocator), layers_(allocator, MemoryTag::metadata) {}

  Status bind(TensorBinder& binder, const Hyperparameters& parameters) noexcept;
  void layer(Pass& pass, std::size_t index) const noexcept override;

 private:
  struct Layer {
    AttentionWeights attention;
    FeedForwardWeights ffn;
  };
  Array<Layer> layers_;
};

Status Llama::bind(TensorBinder& binder, const Hyperparameters& parameters) noexcept {
  LOQUAT_RETURN_IF_ERROR(bind_shared(binder, parameters, kernels::RopeLayout::neighbours));
  if (!layers_.resize(layers())) return out_of_memory(layers() * sizeof(Layer), "the list of layers");
  for (std::size_t i = 0; i < layers(); ++i) {
    LOQUAT_RETURN_IF_ERROR(bind_attention(binder, i, Need::optional, layers_[i].attention));
    LOQUAT_RETURN_IF_ERROR(bind_feed_forward(binder, i, layers_[i].ffn));
  }
  return {};
}

void Llama::layer(Pass& pass, std::size_t index) const noexcept {
  const auto& [attention, ffn] = layers_[index];
  const Workspace s = workspace(pass);
  const nn::Context& context = s.context;
  const nn::AttentionHeads heads = heads_of(pass, s, index);

  // Norm before attention: normed [T, D]
  nn::normalize(context, s.x, attention.norm, s.normed, nn::read_codes(attention.q, attention.k, attention.v));

  // Queries, keys and values: q [T, H*d], k and v [T, G*d]
  const nn::Projection products[] = {{&attention.q, s.q}, {&attention.k, s.k}, {&attention.v, s.v}};
  nn::project(context, s.normed, products);

  // Rotary positions on q and k; k and v into the cache
  nn::prepare_heads(context, preparation(s), heads);

  // Attention over all positions so far: attended [T, H*d]
  nn::attend(context, heads, attention_scale(), s.attended.x);
  nn::quantize(context, s.attended, nn::read_codes(attention.o));

  // Output matrix, added to the residual stream: x [T, D]
  nn::project_add(context, s.attended, attention.o, s.branch, s.x);

  // Norm before the feed-forward network: normed [T, D]
  nn::normalize(context, s.x, ffn.norm, s.normed, nn::read_codes(ffn.gate, ffn.up));

  // SwiGLU: gated [T, F] = silu(gate) * up
  nn::gated_project(context, s.normed, ffn.gate, ffn.up, s.gated.x);
  nn::quantize(context, s.gated, nn::read_codes(ffn.down));

  // Down matrix, added to the residual stream: x [T, D]
  nn::project_add(context, s.gated, ffn.down, s.branch, s.x);
}

}  // namespace

Result<Box<Decoder>> make_llama(const Hyperparameters& parameters, TensorBinder& binder,
                                Allocator& allocator) noexcept {
  return make_transformer<Llama>(parameters, binder, allocator);
}

}  // namespace loquat::inline LOQUAT_ABI::models
