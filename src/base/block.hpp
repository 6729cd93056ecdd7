// SPDX-License-Identifier: MIT
// One uninitialised, aligned block of memory with one owner: for weights and scratch, where zeroing first would be a
// whole extra pass (98 MB take 30 ms) and would touch every page on one thread.
#ifndef LOQUAT_BASE_BLOCK_HPP
#define LOQUAT_BASE_BLOCK_HPP

#include <loquat/host.hpp>

#include <cstddef>
#include <utility>

namespace loquat::inline LOQUAT_ABI {

class Block {
 public:
  Block() noexcept = default;
  /// Empty where the allocator has none. bytes > 0.
  Block(Allocator& allocator, std::size_t bytes, std::size_t alignment, MemoryTag tag) noexcept
      : data_(static_cast<std::byte*>(allocator.allocate(bytes, alignment, tag))),
        bytes_(data_ == nullptr ? 0 : bytes),
        alignment_(alignment),
        allocator_(&allocator),
        tag_(tag) {}
  Block(Block&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        alignment_(other.alignment_),
        allocator_(other.allocator_),
        tag_(other.tag_) {}
  Block& operator=(Block&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(alignment_, other.alignment_);
    std::swap(allocator_, other.allocator_);
    std::swap(tag_, other.tag_);
    return *this;
  }
  ~Block() {
    if (data_ != nullptr) allocator_->deallocate(data_, bytes_, alignment_, tag_);
  }

  explicit operator bool() const noexcept { return data_ != nullptr; }
  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t alignment_ = 1;
  Allocator* allocator_ = nullptr;
  MemoryTag tag_ = MemoryTag::scratch;
};

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_BASE_BLOCK_HPP
