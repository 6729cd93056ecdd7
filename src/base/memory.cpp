// SPDX-License-Identifier: MIT
// The default allocator: the process's heap through the operators that answer null.
#include <loquat/host.hpp>

#include <new>

namespace loquat::inline LOQUAT_ABI {

namespace {

class HeapAllocator final : public Allocator {
 public:
  void* allocate(std::size_t bytes, std::size_t alignment, MemoryTag) noexcept override {
    return ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
  }
  void deallocate(void* block, std::size_t, std::size_t alignment, MemoryTag) noexcept override {
    ::operator delete (block, std::align_val_t{alignment});
  }
};

constinit HeapAllocator heap_allocator;

}  // namespace

Allocator& default_allocator() noexcept {
  return heap_allocator;
}

const char* to_string(MemoryTag tag) noexcept {
  switch (tag) {
    case MemoryTag::weights:
      return "weights";
    case MemoryTag::cache:
      return "cache";
    case MemoryTag::scratch:
      return "scratch";
    case MemoryTag::tokenizer:
      return "tokenizer";
    case MemoryTag::metadata:
      return "metadata";
    case MemoryTag::text:
      return "text";
    case MemoryTag::session:
      return "session";
  }
  return "unknown";
}

}  // namespace loquat::inline LOQUAT_ABI
