// SPDX-License-Identifier: MIT
// What loquat::Model shares: everything that is immutable after loading.
#ifndef LOQUAT_API_MODEL_STATE_HPP
#define LOQUAT_API_MODEL_STATE_HPP

#include <loquat/array.hpp>
#include <loquat/host.hpp>
#include <loquat/model.hpp>
#include <loquat/tokenizer.hpp>

#include "base/metered_allocator.hpp"
#include "base/ref.hpp"
#include "kernels/kernels.hpp"
#include "models/loaded_model.hpp"
#include "threading/executors.hpp"

namespace loquat::inline LOQUAT_ABI::detail {

class ModelState : public RefCounted {
 public:
  static constexpr MemoryTag kTag = MemoryTag::metadata;

  ModelState(const Host& host_hooks, Allocator& memory) noexcept
      : host(host_hooks), allocator_(&memory), metered_(memory), loaded(metered_), chat_template(metered_) {}
  /// The host's. Tokenizers and sessions come from here: a tokenizer may outlive the model.
  Allocator& allocator() const noexcept { return *allocator_; }
  /// For what this state alone owns.
  MeteredAllocator& metered() noexcept { return metered_; }

  /// The state behind a handle, for the other parts of api/ and runtime/.
  static ModelState& of(const Model& model) noexcept { return *model.state_; }
  static Model make_handle(ModelState* state) noexcept { return Model(state); }

  Host host;

 private:
  Allocator* allocator_;
  MeteredAllocator metered_;

 public:
  models::LoadedModel loaded;  ///< weights, decoder, info, tensor list
  Tokenizer tokenizer;
  String chat_template;
  const kernels::KernelTable* kernels = nullptr;
  WeightLayout layout = WeightLayout::packed;
  ThreadOptions threads;
  ExecutorHandle executor;  ///< made at load; sessions with other ThreadOptions make their own
};

}  // namespace loquat::inline LOQUAT_ABI::detail

#endif  // LOQUAT_API_MODEL_STATE_HPP
