// SPDX-License-Identifier: MIT
// Passes everything on to another allocator and knows how many bytes are out: a model's memory() is what it holds by
// construction, and plan() measures a header instead of guessing.
#ifndef LOQUAT_BASE_METERED_ALLOCATOR_HPP
#define LOQUAT_BASE_METERED_ALLOCATOR_HPP

#include <loquat/host.hpp>

#include <atomic>
#include <cstddef>

namespace loquat::inline LOQUAT_ABI {

class MeteredAllocator final : public Allocator {
 public:
  explicit MeteredAllocator(Allocator& inner) noexcept : inner_(&inner) {}

  void* allocate(std::size_t bytes, std::size_t alignment, MemoryTag tag) noexcept override {
    void* block = inner_->allocate(bytes, alignment, tag);
    if (block != nullptr) bytes_.fetch_add(bytes, std::memory_order_relaxed);
    return block;
  }
  void deallocate(void* block, std::size_t bytes, std::size_t alignment, MemoryTag tag) noexcept override {
    inner_->deallocate(block, bytes, alignment, tag);
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  std::size_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

 private:
  Allocator* inner_;
  std::atomic<std::size_t> bytes_{0};
};

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_BASE_METERED_ALLOCATOR_HPP
