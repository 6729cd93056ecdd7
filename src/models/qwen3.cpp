// SPDX-License-Identifier: MIT
// `qwen3`: Qwen 3, dense, and Qwen3-Embedding. Each head of q and k gets a norm before rotary, which turns halves; the
// width of a head is independent of the model's.
// Source: transformers, Qwen3ForCausalLM.
#include "models/architectures.hpp"
#include "models/transformer.hpp"

namespace loquat::inline LOQUAT_ABI::models {

namespace {

class Qwen3 final : public Transformer {
 public:
  Qwen3(const Hyperparameters& parameters, Allocator& allocator) noexcept
      : Transformer(parameters, allocator), layers_(allocator, MemoryTag::metadata) {}

  Status bind(TensorBinder& binder, const Hyperparameters& parameters) noexcept;
  void layer(Pass& pass, std::size_t index) const noexcept override;

 private:
  struct Layer {
    AttentionWeights attention;
    nn::Norm q_norm;  ///< over each head
    nn::Norm k_norm;
    FeedForwardWeights ffn;
  };
  Array<Layer> layers_;
};

Status Qwen3::bind(TensorBinder& binder, const Hyperparameters& parameters) noexcept {
  LOQUAT_RETURN_IF_ERROR(bind_shared(binder, parameters, kernels::RopeLayout::halves));
  if (!layers_.resize(layers())) return out_of_memory(layers() * sizeof(Layer), "the list of layers");
  for (std::size_t i = 0; i < layers(); ++i) {
    LOQUAT_RETURN_IF_ERROR(bind_attention(binder, i, Need::optional, layers_[i].attention));
    layers_[i].q_norm.epsilon = layers_[i].k_norm.epsilon = epsilon();
    LOQUAT_RETURN_IF_ERROR(binder.layer_vector(i, "attn_q_norm.weight", head_width(), layers_[i].q_norm.weights));
    LOQUAT_RETURN_IF_ERROR(binder.layer_vector(i, "attn_k_norm.weight", head_width(), layers_[i].k_norm.weights));
    LOQUAT_RETURN_IF_ERROR(bind_feed_forward(binder, i, layers_[i].ffn));
  }
  return {};
}

void Qwen3::layer(Pass& pass, std::size_t index) const noexcept {
  const auto& [attention, q_norm, k_norm, ffn] = layers_[index];
  const Workspace s = workspace(pass);
  const nn::Context& context = s.context;
  const nn::AttentionHeads heads = heads_of(pass, s, index);

  // Norm before attention: normed [T, D]
  nn::normalize(context, s.x, attention.norm, s.normed, nn::read_codes(attention.q, attention.k, attention.v));

  // Queries, keys and values: q [T, H*d], k and v [T, G*d]
  const nn::Projection products[] = {{&attention.q, s.q}, {&attention.k, s.k}, {&attention.v, s.v}};
  nn::project(context, s.normed, products);

  // Norm over each head of q and k, then rotary positions; k and v into the cache
  nn::HeadPreparation steps = preparation(s);
  steps.q_norm = &q_norm;
  steps.k_norm = &k_norm;
  nn::prepare_heads(context, steps, heads);

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

Result<Box<Decoder>> make_qwen3(const Hyperparameters& parameters, TensorBinder& binder,
                                Allocator& allocator) noexcept {
  return make_transformer<Qwen3>(parameters, binder, allocator);
}

}  // namespace loquat::inline LOQUAT_ABI::models
