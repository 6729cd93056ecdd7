// SPDX-License-Identifier: MIT
#include "support/fail_nth_allocator.hpp"

#include <algorithm>
#include <bit>

namespace loquat_test {

void* FailNthAllocator::allocate(std::size_t bytes, std::size_t alignment, loquat::MemoryTag tag) noexcept {
  const std::lock_guard lock(mutex_);
  ++n_allocations_;
  if (bytes == 0 || !std::has_single_bit(alignment)) ++n_misused_;
  if (refuses(bytes)) {
    ++n_failed_;
    return nullptr;
  }
  void* block = loquat::default_allocator().allocate(bytes, alignment, tag);
  if (block == nullptr) return nullptr;
  blocks_[block] = {bytes, alignment, tag};
  live_bytes_ += bytes;
  live_by_tag_[static_cast<std::size_t>(tag)] += bytes;
  peak_bytes_ = std::max(peak_bytes_, live_bytes_);
  return block;
}

void FailNthAllocator::deallocate(void* block, std::size_t bytes, std::size_t alignment,
                                  loquat::MemoryTag tag) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) {
    ++n_misused_;
    return;
  }
  const Block known = found->second;
  if (known != Block{bytes, alignment, tag}) ++n_misused_;
  live_bytes_ -= known.bytes;
  live_by_tag_[static_cast<std::size_t>(known.tag)] -= known.bytes;
  blocks_.erase(found);
  loquat::default_allocator().deallocate(block, known.bytes, known.alignment, known.tag);
}

bool FailNthAllocator::refuses(std::size_t bytes) noexcept {
  const bool is_chosen = fails_all_after_ ? n_allocations_ >= fail_at_ : n_allocations_ == fail_at_;
  const bool is_too_much = limit_ != kNever && (bytes > limit_ || live_bytes_ > limit_ - bytes);
  return is_chosen || is_too_much;
}

void FailNthAllocator::start_counting(std::size_t n, bool fails_all_after) noexcept {
  const std::lock_guard lock(mutex_);
  fail_at_ = n;
  fails_all_after_ = fails_all_after;
  n_allocations_ = 0;
  n_failed_ = 0;
}
void FailNthAllocator::fail_nth(std::size_t n) noexcept { start_counting(n, false); }
void FailNthAllocator::fail_from(std::size_t n) noexcept { start_counting(n, true); }
void FailNthAllocator::limit_bytes(std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  limit_ = bytes;
}

std::size_t FailNthAllocator::n_allocations() const noexcept {
  const std::lock_guard lock(mutex_);
  return n_allocations_;
}
std::size_t FailNthAllocator::n_failed() const noexcept {
  const std::lock_guard lock(mutex_);
  return n_failed_;
}
std::size_t FailNthAllocator::live_blocks() const noexcept {
  const std::lock_guard lock(mutex_);
  return blocks_.size();
}
std::size_t FailNthAllocator::live_bytes() const noexcept {
  const std::lock_guard lock(mutex_);
  return live_bytes_;
}
std::size_t FailNthAllocator::live_bytes(loquat::MemoryTag tag) const noexcept {
  const std::lock_guard lock(mutex_);
  return live_by_tag_[static_cast<std::size_t>(tag)];
}
std::size_t FailNthAllocator::peak_bytes() const noexcept {
  const std::lock_guard lock(mutex_);
  return peak_bytes_;
}
void FailNthAllocator::reset_peak() noexcept {
  const std::lock_guard lock(mutex_);
  peak_bytes_ = live_bytes_;
}
std::size_t FailNthAllocator::n_misused() const noexcept {
  const std::lock_guard lock(mutex_);
  return n_misused_;
}

}  // namespace loquat_test
