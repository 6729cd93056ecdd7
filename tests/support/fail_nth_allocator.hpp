// SPDX-License-Identifier: MIT
// An allocator that counts, and answers null when told to (promises M3, M4). Wraps the process's heap.
#ifndef LOQUAT_TESTS_SUPPORT_FAIL_NTH_ALLOCATOR_HPP
#define LOQUAT_TESTS_SUPPORT_FAIL_NTH_ALLOCATOR_HPP

#include <loquat/host.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>

namespace loquat_test {

/// Fails chosen allocations and keeps books of the rest.
///
///   FailNthAllocator allocator;
///   for (std::size_t n = 1;; ++n) {
///     allocator.fail_nth(n);
///     work_with(allocator);
///     if (allocator.n_failed() == 0) break;   // every point was tried
///     CHECK(allocator.live_bytes() == 0);
///   }
///
/// Threads   any
class FailNthAllocator final : public loquat::Allocator {
 public:
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  void* allocate(std::size_t bytes, std::size_t alignment, loquat::MemoryTag tag) noexcept override;
  void deallocate(void* block, std::size_t bytes, std::size_t alignment, loquat::MemoryTag tag) noexcept override;

  /// The nth allocation from here on answers null, once (n = 1: the next one). kNever switches it off.
  void fail_nth(std::size_t n) noexcept;
  /// All allocations from the nth on answer null.
  void fail_from(std::size_t n) noexcept;
  /// An allocation that would bring live_bytes() above `bytes` answers null.
  void limit_bytes(std::size_t bytes) noexcept;

  /// Calls of allocate(), and those answered with null, since the last fail_nth() or fail_from().
  std::size_t n_allocations() const noexcept;
  std::size_t n_failed() const noexcept;
  std::size_t live_blocks() const noexcept;
  std::size_t live_bytes() const noexcept;
  std::size_t live_bytes(loquat::MemoryTag tag) const noexcept;
  /// The most bytes that lived together since construction or reset_peak().
  std::size_t peak_bytes() const noexcept;
  void reset_peak() noexcept;
  /// Blocks given back with other numbers than they were allocated with, given back twice, or never allocated; and
  /// requests for zero bytes or an alignment that is no power of two.
  std::size_t n_misused() const noexcept;

 private:
  struct Block {
    std::size_t bytes;
    std::size_t alignment;
    loquat::MemoryTag tag;
    friend bool operator==(const Block&, const Block&) = default;
  };
  void start_counting(std::size_t n, bool fails_all_after) noexcept;
  bool refuses(std::size_t bytes) noexcept;

  mutable std::mutex mutex_;
  std::map<void*, Block> blocks_;
  std::array<std::size_t, 16> live_by_tag_{};
  std::size_t fail_at_ = kNever;
  bool fails_all_after_ = false;
  std::size_t limit_ = kNever;
  std::size_t n_allocations_ = 0;
  std::size_t n_failed_ = 0;
  std::size_t n_misused_ = 0;
  std::size_t live_bytes_ = 0;
  std::size_t peak_bytes_ = 0;
};

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SUPPORT_FAIL_NTH_ALLOCATOR_HPP
