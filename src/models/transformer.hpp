// SPDX-License-Identifier: MIT
// What decoder-only transformers have in common: embedding, output head, rotary tables, cache layout, the scratch of a
// pass and the weights of the usual two halves of a block. An architecture adds which tensors a block has and the order
// of its steps: see llama.cpp, which is meant to be read first.
#ifndef LOQUAT_MODELS_TRANSFORMER_HPP
#define LOQUAT_MODELS_TRANSFORMER_HPP

#include <loquat/array.hpp>
#include <loquat/result.hpp>

#include <cstddef>

#include "base/error.hpp"
#include "base/ref.hpp"
#include "models/decoder.hpp"
#include "models/hyperparameters.hpp"
#include "models/tensor_binder.hpp"
#include "nn/attention.hpp"
#include "nn/linear.hpp"
#include "nn/norm.hpp"
#include "nn/rope.hpp"

namespace loquat::inline LOQUAT_ABI::models {

struct AttentionWeights {
  nn::Norm norm;  ///< before
  nn::Linear q;   ///< [H*d, D]
  nn::Linear k;   ///< [G*d, D]
  nn::Linear v;   ///< [G*d, D]
  nn::Linear o;   ///< [D, H*d]
};

struct FeedForwardWeights {
  nn::Norm norm;    ///< before
  nn::Linear gate;  ///< [F, D]
  nn::Linear up;    ///< [F, D]
  nn::Linear down;  ///< [D, F]
};

/// Views into one pass's scratch.
struct Workspace {
  nn::Context context;
  float* x = nullptr;        ///< [T, D] residual stream
  nn::Activations normed;    ///< [T, D]
  float* q = nullptr;        ///< [T, H*d]
  float* k = nullptr;        ///< [T, G*d]
  float* v = nullptr;        ///< [T, G*d]
  nn::Activations attended;  ///< [T, H*d]
  nn::Activations gated;     ///< [T, F]; shares memory with q, k, v and attended
  float* branch = nullptr;   ///< [T, D]; shares memory with normed
  float* cos = nullptr;      ///< [T, rotary / 2]
  float* sin = nullptr;      ///< [T, rotary / 2]
};

class Transformer : public Decoder {
 public:
  std::size_t layers() const noexcept final { return n_layers_; }
  std::size_t vocabulary() const noexcept final { return head_.weights.rows; }
  cache::PageLayout page_layout(CacheType type) const noexcept final;
  std::size_t scratch_bytes(std::size_t max_tokens, std::size_t concurrency,
                            const kernels::KernelTable& kernels) const noexcept final;
  void embed(Pass& pass) const noexcept final;
  void logits(Pass& pass, std::size_t first_row, std::size_t n_rows, float* logits) const noexcept final;
  std::span<const float> residual(const Pass& pass) const noexcept final;

  /// Sets what CacheType::automatic stands for: f32 where all matrices are float types. Call once, when all is bound.
  void choose_cache_type(const TensorBinder& binder) noexcept;

 protected:
  Transformer(const Hyperparameters& parameters, Allocator& allocator) noexcept;

  /// Binds all that is not in a block, and makes the rotary frequencies.
  Status bind_shared(TensorBinder& binder, const Hyperparameters& parameters, kernels::RopeLayout layout) noexcept;
  /// "attn_norm", "attn_q", "attn_k", "attn_v", "attn_output" of a block; biases of q, k and v as `qkv_bias` says.
  Status bind_attention(TensorBinder& binder, std::size_t layer, Need qkv_bias, AttentionWeights& to) const noexcept;
  /// "ffn_norm", "ffn_gate", "ffn_up", "ffn_down" of a block.
  Status bind_feed_forward(TensorBinder& binder, std::size_t layer, FeedForwardWeights& to) const noexcept;

  Workspace workspace(const Pass& pass) const noexcept;
  nn::AttentionHeads heads_of(const Pass& pass, const Workspace& workspace, std::size_t layer) const noexcept;
  nn::HeadPreparation preparation(const Workspace& workspace) const noexcept;

  std::size_t head_width() const noexcept { return head_width_; }
  float epsilon() const noexcept { return epsilon_; }
  float attention_scale() const noexcept { return attention_scale_; }

 private:
  Workspace lay_out(nn::Carver& carver, std::size_t max_tokens, std::size_t concurrency,
                    const kernels::KernelTable& kernels) const noexcept;
  std::size_t slot_bytes(std::size_t max_tokens, const kernels::KernelTable& kernels) const noexcept;
  bool is_f32_cache(CacheType type) const noexcept;

  std::size_t n_layers_;
  std::size_t width_;       // D
  std::size_t ffn_width_;   // F
  std::size_t heads_;       // H
  std::size_t kv_heads_;    // G
  std::size_t head_width_;  // d
  float epsilon_;
  float attention_scale_;
  bool is_tied_ = false;         // the output matrix is the embedding
  bool is_float_model_ = false;  // every matrix is F32, F16 or BF16

  kernels::Matrix embedding_;  // [V, D]; empty where tied
  nn::Norm output_norm_;
  nn::Linear head_;  // [V, D]
  nn::Rope rope_;
};

/// Makes a T and binds it. T has the constructor (parameters, allocator) and bind(binder, parameters).
template <class T>
Result<Box<Decoder>> make_transformer(const Hyperparameters& parameters, TensorBinder& binder,
                                      Allocator& allocator) noexcept {
  Box<T> decoder = make_box<T>(allocator, MemoryTag::metadata, parameters, allocator);
  if (!decoder) return out_of_memory(sizeof(T), "the decoder");
  LOQUAT_RETURN_IF_ERROR(decoder->bind(binder, parameters));
  decoder->choose_cache_type(binder);
  return Box<Decoder>(std::move(decoder));
}

}  // namespace loquat::inline LOQUAT_ABI::models

#endif  // LOQUAT_MODELS_TRANSFORMER_HPP
