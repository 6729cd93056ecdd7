// SPDX-License-Identifier: MIT
// `qwen2`: Qwen 2 and 2.5. As llama, with biases on q, k and v and rotary over the halves of a head.
// Source: transformers, Qwen2ForCausalLM.
#include "models/architectures.hpp"
#include "models/transformer.hpp"

namespace loquat::inline LOQUAT_ABI::models {

namespace {

class Qwen2 final : public Transformer {
 public:
  Qwen2(const Hyperparameters& parameters, Allocator& allocator) noexcept
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

Status Qwen2::bind(TensorBinder& binder, const Hyperparameters& parameters) noexcept {
  LOQUAT_RETURN_IF_ERROR(bind_shared(binder, parameters, kernels::RopeLayout::halves));
  if (!layers_.resize(layers())) return out_of_memory(layers() * sizeof(Layer), "the list of layers");
  for (std::size_t i = 0; i < layers(); ++i) {
    LOQUAT_RETURN_IF_ERROR(bind_attention(binder, i, Need::required, layers_[i].attention));
    LOQUAT_RETURN_IF_ERROR(bind_feed_forward(binder, i, layers_[i].ffn));
  }
  return {};
}

void Qwen2::layer(Pass& pass, std::size_t index) const noexcept {
  const auto& [attention, ffn] = layers_[index];
  const Workspace s = workspace(pass);
  const nn::Context& context = s.context;
  const nn::AttentionHeads heads = heads_of(pass, s, index);

  // Norm before attention: normed [T, D]
  nn::normalize(context, s.x, attention.norm, s.normed, nn::read_codes(attention.q, attention.k, attention.v));

  // Queries, keys and values, with their biases: q [T, H*d], k and v [T, G*d]
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

Result<Box<Decoder>> make_qwen2(const Hyperparameters& parameters, TensorBinder& binder,
                                Allocator& allocator) noexcept {
  return make_transformer<Qwen2>(parameters, binder, allocator);
}

}  // namespace loquat::inline LOQUAT_ABI::models
