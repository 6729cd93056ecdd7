// SPDX-License-Identifier: MIT
// Connects an architecture's weights with the tensors of a file: by name, with their shapes checked, before anything is
// loaded. The list of bindings is what the loader loads and what plan() adds up; the forward pass never sees a name.
#ifndef LOQUAT_MODELS_TENSOR_BINDER_HPP
#define LOQUAT_MODELS_TENSOR_BINDER_HPP

#include <loquat/array.hpp>
#include <loquat/model.hpp>
#include <loquat/result.hpp>

#include <cstdint>
#include <string_view>

#include "format/gguf.hpp"
#include "kernels/kernels.hpp"
#include "nn/linear.hpp"

namespace loquat::inline LOQUAT_ABI::models {

/// One tensor to load. Targets are filled when its bytes are in memory.
struct Binding {
  enum class Role : std::uint8_t {
    matrix,  ///< multiplied: packed where the type can be
    rows,    ///< only read row by row: stays as in the file
    vector,  ///< becomes f32
  };
  const gguf::TensorInfo* tensor;
  Role role;
  kernels::Matrix* matrix;  ///< of matrix and rows
  const float** vector;
};

/// How a binding's bytes end up in memory; the one rule for loader and plan.
bool is_stored_packed(const Binding& binding, WeightLayout layout) noexcept;
std::uint64_t stored_bytes(const Binding& binding, WeightLayout layout) noexcept;

enum class Need : bool { optional, required };

class TensorBinder {
 public:
  TensorBinder(const gguf::Description& description, Allocator& allocator) noexcept
      : description_(&description),
        bindings_(allocator, MemoryTag::metadata),
        is_bound_(allocator, MemoryTag::metadata) {}

  /// Must be called first.
  Status start() noexcept;

  // Errors    missing_tensor: required and absent; malformed: another shape, with both; unsupported_type; out_of_memory.
  // An optional tensor that is absent leaves its target as it is.

  /// matrix.type, rows and k are set at once, its data when loaded. rows or k of 0: any (an embedding's rows).
  Status matrix(std::string_view name, std::uint64_t rows, std::uint64_t k, kernels::Matrix& to, Need need,
                Binding::Role role = Binding::Role::matrix) noexcept;
  Status vector(std::string_view name, std::uint64_t size, const float*& to, Need need) noexcept;
  /// "blk.LAYER.NAME.weight", required, and ".bias".
  Status layer_linear(std::uint64_t layer, std::string_view name, std::uint64_t rows, std::uint64_t k, nn::Linear& to,
                      Need bias = Need::optional) noexcept;
  /// "blk.LAYER.NAME", required.
  Status layer_vector(std::uint64_t layer, std::string_view name, std::uint64_t size, const float*& to,
                      Need need = Need::required) noexcept;

  bool has(std::string_view name) const noexcept { return description_->find_tensor(name) != nullptr; }

  /// Refuses tensors that were not bound and belong to the decoder: leaving one out would change the answer.
  ///
  /// Errors    unsupported_architecture, naming the tensor
  Status refuse_unknown(std::string_view architecture) const noexcept;

  std::span<Binding> bindings() noexcept { return bindings_; }
  std::span<const Binding> bindings() const noexcept { return bindings_; }

 private:
  Result<const gguf::TensorInfo*> find(std::string_view name, std::uint64_t rows, std::uint64_t k, Need need) noexcept;

  const gguf::Description* description_;
  Array<Binding> bindings_;
  Array<bool> is_bound_;  ///< one a tensor of the file
};

}  // namespace loquat::inline LOQUAT_ABI::models

#endif  // LOQUAT_MODELS_TENSOR_BINDER_HPP
