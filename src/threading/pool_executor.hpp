// SPDX-License-Identifier: MIT
// The library's own thread pool.
//
// A job is a 64-bit word, (number of the job, tasks not yet claimed), and beside it what to run. Threads
// claim tasks by compare-and-swap on that word, so a thread that wakes up late finds either no task left or
// another job's number, and never runs a task of the wrong job. Nobody waits for threads that claimed
// nothing: a preempted or slow core only takes fewer tasks (promises T4, T6). The caller works too, and then
// waits for the tasks that others have claimed.
#ifndef LOQUAT_THREADING_POOL_EXECUTOR_HPP
#define LOQUAT_THREADING_POOL_EXECUTOR_HPP

#include <loquat/array.hpp>

#include <atomic>
#include <cstdint>

#include "threading/executors.hpp"
#include "threading/native_thread.hpp"

namespace loquat::inline LOQUAT_ABI {

/// `n_threads` - 1 threads of its own, beside the caller's. Idle ones spin at most `spin_microseconds`, then
/// sleep.
///
/// Threads   parallel_for from any number of threads, also from inside a task: who finds the pool at work
/// runs its
///           tasks itself, one after the other
/// Cost      parallel_for: no allocation, no lock and no system call while the pool's threads are still
/// spinning
class PoolExecutor final : public OwnedExecutor {
 public:
  PoolExecutor(Allocator& allocator, std::uint32_t n_threads, std::uint32_t spin_microseconds) noexcept;
  ~PoolExecutor();

  /// Requires  called once, before anything else
  /// Errors    out_of_memory: no memory, or the system has no thread left
  Status start() noexcept;

  void parallel_for(std::uint32_t n_tasks, Task task, void* context) noexcept override;
  std::uint32_t concurrency() const noexcept override { return n_threads_; }

 private:
  void destroy() noexcept override;
  static void work(void* pool) noexcept;
  void publish(std::uint32_t n_tasks, Task task, void* context) noexcept;
  void run_tasks(std::uint64_t job) noexcept;
  void wait_for_others() noexcept;

  static constexpr std::size_t kCacheLine = 64;

  // Written for every job, read by every thread: one cache line travels.
  alignas(kCacheLine) std::atomic<std::uint64_t> job_{0};
  std::atomic<Task> task_{nullptr};
  std::atomic<void*> context_{nullptr};
  std::atomic<std::uint32_t> n_tasks_{0};
  std::atomic<bool> stops_{false};
  alignas(kCacheLine) std::atomic<std::uint32_t> n_unfinished_{0};
  alignas(kCacheLine) std::atomic<bool> is_busy_{false};
  std::uint32_t n_threads_;
  std::uint32_t spin_microseconds_;
  WaitPoint job_published_;
  WaitPoint job_finished_;
  Array<NativeThread> threads_;
};

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_THREADING_POOL_EXECUTOR_HPP
