// SPDX-License-Identifier: MIT
#include "models/tensor_binder.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "quant/packing.hpp"

namespace loquat::inline LOQUAT_ABI::models {

namespace {

// "blk.3.attn_q.weight" in place; names of ours are short.
struct LayerName {
  LayerName(std::uint64_t layer, std::string_view name, std::string_view suffix) noexcept {
    const auto end = fmt::format_to_n(text, sizeof text, "blk.{}.{}{}", layer, name, suffix);
    size = std::min<std::size_t>(end.size, sizeof text);
  }
  operator std::string_view() const noexcept { return {text, size}; }  // NOLINT: implicit
  char text[96];
  std::size_t size;
};

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> stems) noexcept {
  return std::any_of(stems.begin(), stems.end(), [&](std::string_view stem) { return name.starts_with(stem); });
}

// Rotary frequencies that old converters wrote out; they follow from the metadata.
bool is_redundant(std::string_view name) noexcept {
  return name.ends_with(".rotary_emb.inv_freq") || name.ends_with(".attn_rot_embd") ||
         name.ends_with(".attn_rot_embd.weight");
}

bool is_of_decoder(std::string_view name) noexcept {
  return starts_with_any(name, {"blk.", "output", "token_", "position_embd", "rope_", "cls"});
}

Error misshapen(const gguf::TensorInfo& tensor, std::uint64_t rows, std::uint64_t k) noexcept {
  const auto& s = tensor.shape;
  return make_error(ErrorCode::malformed, "tensor {} must have the shape [{}, {}], the file says [{}, {}, {}, {}]",
                    tensor.name, k, rows == 0 ? s[1] : rows, s[0], s[1], s[2], s[3])
      .with_name(tensor.name)
      .with_offset(tensor.offset);
}

Error uncomputable(const gguf::TensorInfo& tensor) noexcept {
  return make_error(ErrorCode::unsupported_type, "tensor {} has the type {}, which cannot be computed with",
                    tensor.name, tensor_type_info(tensor.type).name)
      .with_name(tensor.name)
      .with_offset(tensor.offset);
}

}  // namespace

bool is_stored_packed(const Binding& binding, WeightLayout layout) noexcept {
  return binding.role == Binding::Role::matrix && layout == WeightLayout::packed && is_packable(binding.tensor->type);
}

std::uint64_t stored_bytes(const Binding& binding, WeightLayout layout) noexcept {
  const gguf::TensorInfo& tensor = *binding.tensor;
  if (binding.role == Binding::Role::vector) return tensor.values() * sizeof(float);
  if (!is_stored_packed(binding, layout)) return tensor.bytes;
  return packed_bytes(tensor.type, tensor.rows(), tensor.shape[0]);
}

Status TensorBinder::start() noexcept {
  if (is_bound_.resize(description_->tensors().size())) return {};
  return out_of_memory(description_->tensors().size(), "the list of tensors");
}

Result<const gguf::TensorInfo*> TensorBinder::find(std::string_view name, std::uint64_t rows, std::uint64_t k,
                                                   Need need) noexcept {
  const gguf::TensorInfo* tensor = description_->find_tensor(name);
  if (tensor == nullptr) {
    if (need == Need::optional) return tensor;
    return make_error(ErrorCode::missing_tensor,
                      "the architecture needs the tensor {} of shape [{}, {}], the file has none", name, k, rows)
        .with_name(name);
  }
  const bool has_rows = rows == 0 ? tensor->shape[1] > 0 : tensor->shape[1] == rows;
  if (tensor->shape[0] != k || !has_rows || tensor->shape[2] != 1 || tensor->shape[3] != 1) {
    return misshapen(*tensor, rows, k);
  }
  const TensorTypeInfo& type = tensor_type_info(tensor->type);
  if (!type.is_computable) return uncomputable(*tensor);
  if (k % type.block_values != 0) return misshapen(*tensor, rows, k);
  is_bound_[static_cast<std::size_t>(tensor - description_->tensors().data())] = true;
  return tensor;
}

Status TensorBinder::matrix(std::string_view name, std::uint64_t rows, std::uint64_t k, kernels::Matrix& to, Need need,
                            Binding::Role role) noexcept {
  LOQUAT_ASSIGN_OR_RETURN(const gguf::TensorInfo* tensor, find(name, rows, k, need));
  if (tensor == nullptr) return {};
  to = {.type = tensor->type, .is_packed = false, .data = nullptr, .rows = tensor->shape[1], .k = k};
  if (bindings_.push_back({tensor, role, &to, nullptr})) return {};
  return out_of_memory(sizeof(Binding), "the list of tensors");
}

Status TensorBinder::vector(std::string_view name, std::uint64_t size, const float*& to, Need need) noexcept {
  LOQUAT_ASSIGN_OR_RETURN(const gguf::TensorInfo* tensor, find(name, 1, size, need));
  if (tensor == nullptr) return {};
  if (bindings_.push_back({tensor, Binding::Role::vector, nullptr, &to})) return {};
  return out_of_memory(sizeof(Binding), "the list of tensors");
}

Status TensorBinder::layer_linear(std::uint64_t layer, std::string_view name, std::uint64_t rows, std::uint64_t k,
                                  nn::Linear& to, Need bias) noexcept {
  LOQUAT_RETURN_IF_ERROR(matrix(LayerName(layer, name, ".weight"), rows, k, to.weights, Need::required));
  return vector(LayerName(layer, name, ".bias"), rows, to.bias, bias);
}

Status TensorBinder::layer_vector(std::uint64_t layer, std::string_view name, std::uint64_t size, const float*& to,
                                  Need need) noexcept {
  return vector(LayerName(layer, name, ""), size, to, need);
}

Status TensorBinder::refuse_unknown(std::string_view architecture) const noexcept {
  for (std::size_t i = 0; i < is_bound_.size(); ++i) {
    const gguf::TensorInfo& tensor = description_->tensors()[i];
    if (is_bound_[i] || is_redundant(tensor.name) || !is_of_decoder(tensor.name)) continue;
    return make_error(ErrorCode::unsupported_architecture,
                      "the tensor {} is not one that the architecture {} computes with: leaving it out would change "
                      "the answer",
                      tensor.name, architecture)
        .with_name(tensor.name)
        .with_offset(tensor.offset);
  }
  return {};
}

}  // namespace loquat::inline LOQUAT_ABI::models
