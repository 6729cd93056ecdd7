// SPDX-License-Identifier: MIT
// What every block of a forward pass is given: who runs it, with which kernels, and where each thread has its scratch.
// Blocks compose kernels over tiles; they allocate nothing and keep nothing.
#ifndef LOQUAT_NN_CONTEXT_HPP
#define LOQUAT_NN_CONTEXT_HPP

#include <loquat/host.hpp>

#include <cstddef>

#include "base/checked.hpp"
#include "kernels/kernels.hpp"

namespace loquat::inline LOQUAT_ABI::nn {

struct Context {
  Executor* executor = nullptr;
  const kernels::KernelTable* kernels = nullptr;
  std::byte* slots = nullptr;  ///< one block of slot_bytes for each thread, aligned to 64
  std::size_t slot_bytes = 0;

  std::byte* slot(std::size_t index) const noexcept { return slots + index * slot_bytes; }
  /// Tokens that one task takes in loops over tokens: whole quantization tiles, and enough work to pay for a hand-out.
  std::size_t token_tile() const noexcept { return align_up(8, kernels->input_tile); }
};

/// Cuts one block of memory into arrays aligned to 64. With a null base it only adds up, so that the function that
/// lays out a scratch block is also the one that says how large it must be.
class Carver {
 public:
  explicit Carver(std::byte* base) noexcept : base_(base) {}

  template <class T>
  T* take(std::size_t count) noexcept {
    T* array = base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + bytes_);
    bytes_ += align_up(count * sizeof(T), 64);
    return array;
  }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::byte* base_;
  std::size_t bytes_ = 0;
};

}  // namespace loquat::inline LOQUAT_ABI::nn

#endif  // LOQUAT_NN_CONTEXT_HPP
