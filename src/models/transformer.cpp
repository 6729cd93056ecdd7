// SPDX-License-Identifier: MIT
#include "models/transformer.hpp"

#include <algorithm>

#include "nn/embedding.hpp"

namespace loquat::inline LOQUAT_ABI::models {

Transformer::Transformer(const Hyperparameters& p, Allocator& allocator) noexcept
    : n_layers_(p.layers),
      width_(p.width),
      ffn_width_(p.ffn_width),
      heads_(p.heads),
      kv_heads_(p.kv_heads),
      head_width_(p.head_width),
      epsilon_(static_cast<float>(p.norm_epsilon)),
      attention_scale_(static_cast<float>(p.attention_scale)),
      rope_(allocator) {}

// -- Binding ------------------------------------------------------------------------------------------------------------

Status Transformer::bind_shared(TensorBinder& binder, const Hyperparameters& p, kernels::RopeLayout layout) noexcept {
  // The embedding is only read by rows, unless it is the output matrix too.
  is_tied_ = !binder.has("output.weight");
  kernels::Matrix& embedding = is_tied_ ? head_.weights : embedding_;
  const auto role = is_tied_ ? Binding::Role::matrix : Binding::Role::rows;
  LOQUAT_RETURN_IF_ERROR(binder.matrix("token_embd.weight", 0, width_, embedding, Need::required, role));
  LOQUAT_RETURN_IF_ERROR(binder.matrix("output.weight", embedding.rows, width_, head_.weights, Need::optional));
  LOQUAT_RETURN_IF_ERROR(binder.vector("output.bias", embedding.rows, head_.bias, Need::optional));
  output_norm_.epsilon = epsilon_;
  LOQUAT_RETURN_IF_ERROR(binder.vector("output_norm.weight", width_, output_norm_.weights, Need::required));

  if (!nn::make_rope(rope_options(p), layout, rope_)) return out_of_memory(p.rotary * 2, "rotary frequencies");
  return binder.vector("rope_freqs.weight", p.rotary / 2, rope_.factors, Need::optional);
}

Status Transformer::bind_attention(TensorBinder& binder, std::size_t layer, Need qkv_bias,
                                   AttentionWeights& to) const noexcept {
  const std::size_t q_rows = heads_ * head_width_;
  const std::size_t kv_rows = kv_heads_ * head_width_;
  to.norm.epsilon = epsilon_;
  LOQUAT_RETURN_IF_ERROR(binder.layer_vector(layer, "attn_norm.weight", width_, to.norm.weights));
  LOQUAT_RETURN_IF_ERROR(binder.layer_linear(layer, "attn_q", q_rows, width_, to.q, qkv_bias));
  LOQUAT_RETURN_IF_ERROR(binder.layer_linear(layer, "attn_k", kv_rows, width_, to.k, qkv_bias));
  LOQUAT_RETURN_IF_ERROR(binder.layer_linear(layer, "attn_v", kv_rows, width_, to.v, qkv_bias));
  return binder.layer_linear(layer, "attn_output", width_, q_rows, to.o);
}

Status Transformer::bind_feed_forward(TensorBinder& binder, std::size_t layer, FeedForwardWeights& to) const noexcept {
  to.norm.epsilon = epsilon_;
  LOQUAT_RETURN_IF_ERROR(binder.layer_vector(layer, "ffn_norm.weight", width_, to.norm.weights));
  LOQUAT_RETURN_IF_ERROR(binder.layer_linear(layer, "ffn_gate", ffn_width_, width_, to.gate));
  LOQUAT_RETURN_IF_ERROR(binder.layer_linear(layer, "ffn_up", ffn_width_, width_, to.up));
  return binder.layer_linear(layer, "ffn_down", width_, ffn_width_, to.down);
}

void Transformer::choose_cache_type(const TensorBinder& binder) noexcept {
  const auto bindings = binder.bindings();
  is_float_model_ = std::none_of(bindings.begin(), bindings.end(), [](const Binding& binding) {
    return binding.role == Binding::Role::matrix && nn::reads_codes(*binding.matrix);
  });
}

// -- Memory of a pass ---------------------------------------------------------------------------------------------------

bool Transformer::is_f32_cache(CacheType type) const noexcept {
  return type == CacheType::f32 || (type == CacheType::automatic && is_float_model_);
}

cache::PageLayout Transformer::page_layout(CacheType type) const noexcept {
  return {.layers = n_layers_,
          .kv_heads = kv_heads_,
          .head_width = head_width_,
          .element_bytes = is_f32_cache(type) ? sizeof(float) : sizeof(std::uint16_t)};
}

std::size_t Transformer::slot_bytes(std::size_t max_tokens, const kernels::KernelTable& kernels) const noexcept {
  std::size_t bytes = nn::attention_slot_bytes(kernels, head_width_, heads_ / kv_heads_);
  for (const std::size_t k : {width_, heads_ * head_width_, ffn_width_}) {
    bytes = std::max(bytes, nn::linear_slot_bytes(kernels, k, max_tokens));
  }
  return align_up(bytes, 64);
}

Workspace Transformer::lay_out(nn::Carver& carver, std::size_t max_tokens, std::size_t concurrency,
                               const kernels::KernelTable& kernels) const noexcept {
  const std::size_t q_width = heads_ * head_width_;
  const std::size_t kv_width = kv_heads_ * head_width_;
  Workspace s;
  s.x = carver.take<float>(max_tokens * width_);
  s.normed.x = s.branch = carver.take<float>(2 * max_tokens * width_);
  s.cos = carver.take<float>(max_tokens * (rope_.rotary / 2));
  s.sin = carver.take<float>(max_tokens * (rope_.rotary / 2));

  // The two halves of a block take turns with the largest array.
  const std::size_t half_width = std::max(2 * ffn_width_, 3 * q_width + 2 * kv_width);
  float* half = carver.take<float>(max_tokens * half_width);
  if (half != nullptr) {
    s.gated.x = s.q = half;
    s.attended.x = s.q + max_tokens * q_width;
    s.k = s.attended.x + 2 * max_tokens * q_width;
    s.v = s.k + max_tokens * kv_width;
  }

  // Codes are read by the products right after they are made, so one array serves all inputs.
  std::size_t code_bytes = 0;
  for (const std::size_t k : {width_, q_width, ffn_width_}) {
    if (k % 32 == 0) code_bytes = std::max(code_bytes, kernels.input_bytes(k, 2 * max_tokens));
  }
  s.normed.codes = s.attended.codes = s.gated.codes = carver.take<std::byte>(code_bytes);

  s.context.kernels = &kernels;
  s.context.slot_bytes = slot_bytes(max_tokens, kernels);
  s.context.slots = carver.take<std::byte>(concurrency * s.context.slot_bytes);
  return s;
}

std::size_t Transformer::scratch_bytes(std::size_t max_tokens, std::size_t concurrency,
                                       const kernels::KernelTable& kernels) const noexcept {
  nn::Carver carver(nullptr);
  lay_out(carver, max_tokens, concurrency, kernels);
  return carver.bytes();
}

Workspace Transformer::workspace(const Pass& pass) const noexcept {
  nn::Carver carver(pass.scratch);
  Workspace s = lay_out(carver, pass.max_tokens, pass.concurrency, *pass.kernels);
  s.context.executor = pass.executor;
  s.normed.n = s.attended.n = s.gated.n = pass.tokens.size();
  s.normed.k = width_;
  s.attended.k = heads_ * head_width_;
  s.gated.k = ffn_width_;
  // The input of the down matrix has the heaviest tails of all (a few values a hundred times the others), so its rounding
  // is felt most: see docs/determinism.md for what this gains.
  s.gated.is_refined = true;
  return s;
}

nn::AttentionHeads Transformer::heads_of(const Pass& pass, const Workspace& s, std::size_t layer) const noexcept {
  const cache::PageLayout pages = page_layout(pass.cache_type);
  return {.q = s.q,
          .k = s.k,
          .v = s.v,
          .n_tokens = pass.tokens.size(),
          .first_position = pass.first_position,
          .heads = heads_,
          .kv_heads = kv_heads_,
          .head_width = head_width_,
          .pages = pass.pages,
          .k_offset = pages.k_offset(layer),
          .v_offset = pages.v_offset(layer),
          .is_f32_cache = is_f32_cache(pass.cache_type)};
}

nn::HeadPreparation Transformer::preparation(const Workspace& s) const noexcept {
  return {.rope = &rope_, .cos = s.cos, .sin = s.sin};
}

// -- Ends of a pass -----------------------------------------------------------------------------------------------------

void Transformer::embed(Pass& pass) const noexcept {
  const Workspace s = workspace(pass);
  nn::embed(s.context, is_tied_ ? head_.weights : embedding_, pass.tokens, s.x);
  nn::rope_angles(s.context, rope_, pass.first_position, pass.tokens.size(), s.cos, s.sin);
}

void Transformer::logits(Pass& pass, std::size_t first_row, std::size_t n_rows, float* logits) const noexcept {
  Workspace s = workspace(pass);
  s.normed.n = n_rows;
  s.normed.is_refined = true;  // nothing averages the head's rounding errors out
  // Last norm: rows [first_row, first_row + n_rows) of x, normed [n_rows, D]
  nn::normalize(s.context, s.x + first_row * width_, output_norm_, s.normed, nn::read_codes(head_));
  // Output matrix: logits [n_rows, V]
  const nn::Projection products[] = {{&head_, logits}};
  nn::project(s.context, s.normed, products);
}

std::span<const float> Transformer::residual(const Pass& pass) const noexcept {
  return {workspace(pass).x, pass.tokens.size() * width_};
}

}  // namespace loquat::inline LOQUAT_ABI::models
