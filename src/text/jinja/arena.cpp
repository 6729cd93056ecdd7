// SPDX-License-Identifier: MIT
#include "text/jinja/arena.hpp"

#include "base/checked.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

namespace {

constexpr std::size_t kFirstBlockBytes = std::size_t{16} << 10;  // a short conversation fits
constexpr std::size_t kLargestBlockBytes = std::size_t{1} << 20;
constexpr std::size_t kBlockAlignment = alignof(std::max_align_t);

}  // namespace

Arena::~Arena() {
  while (last_ != nullptr) {
    Block* previous = last_->previous;
    allocator_->deallocate(last_, last_->bytes, kBlockAlignment, MemoryTag::text);
    last_ = previous;
  }
}

void* Arena::allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes > limit_bytes_) {
    is_over_limit_ = true;
    return nullptr;
  }
  std::size_t begin = align_up(used_bytes_, alignment);
  if (last_ == nullptr || begin + bytes > last_->bytes) {
    const std::size_t usual = last_ == nullptr                        ? kFirstBlockBytes
                              : last_->bytes * 2 > kLargestBlockBytes ? kLargestBlockBytes
                                                                      : last_->bytes * 2;
    const std::size_t least = align_up(sizeof(Block), kBlockAlignment) + bytes;
    const std::size_t block_bytes = least > usual ? least : usual;
    if (block_bytes > limit_bytes_ - total_bytes_) {
      is_over_limit_ = true;
      return nullptr;
    }
    void* block = allocator_->allocate(block_bytes, kBlockAlignment, MemoryTag::text);
    if (block == nullptr) return nullptr;
    last_ = ::new (block) Block{last_, block_bytes};
    total_bytes_ += block_bytes;
    begin = align_up(sizeof(Block), kBlockAlignment);
  }
  used_bytes_ = begin + bytes;
  return reinterpret_cast<char*>(last_) + begin;
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
