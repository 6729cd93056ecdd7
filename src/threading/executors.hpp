// SPDX-License-Identifier: MIT
// The built-in executors: inline, own pool, OpenMP.
#ifndef LOQUAT_THREADING_EXECUTORS_HPP
#define LOQUAT_THREADING_EXECUTORS_HPP

#include <loquat/executor.hpp>
#include <loquat/host.hpp>
#include <loquat/result.hpp>

#include "base/ref.hpp"

namespace loquat::inline LOQUAT_ABI {

/// An executor that a Ref owns. The last Ref joins all threads (promise T8).
class OwnedExecutor : public Executor, public RefCounted {
 public:
  static constexpr MemoryTag kTag = MemoryTag::session;
  Allocator& allocator() const noexcept { return *allocator_; }
  virtual ~OwnedExecutor() = default;

 protected:
  explicit OwnedExecutor(Allocator& allocator) noexcept : allocator_(&allocator) {}

 private:
  Allocator* allocator_;
};

/// A shared handle that works for host executors (not owned) and ours (owned).
class ExecutorHandle {
 public:
  ExecutorHandle() noexcept = default;
  ExecutorHandle(ExecutorHandle&&) noexcept = default;
  ExecutorHandle& operator=(ExecutorHandle&&) noexcept = default;
  ExecutorHandle(const ExecutorHandle& other) noexcept;
  ExecutorHandle& operator=(const ExecutorHandle& other) noexcept;
  ~ExecutorHandle();

  /// The host's executor if it brings one, else a new one of the wanted kind. Thread count 1 and ExecutorKind::inline_
  /// create no thread (promise T7).
  ///
  /// Errors    invalid_argument: count outside 0..1024; not_built: OpenMP; out_of_memory: memory or threads
  static Result<ExecutorHandle> create(const ThreadOptions& options, const Host& host) noexcept;

  Executor& operator*() const noexcept { return *executor_; }
  Executor* get() const noexcept { return executor_; }

 private:
  Executor* executor_ = nullptr;
  OwnedExecutor* owned_ = nullptr;
};

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_THREADING_EXECUTORS_HPP
