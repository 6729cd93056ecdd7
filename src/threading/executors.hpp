// SPDX-License-Identifier: MIT
// The built-in executors: inline, own pool, OpenMP; and the handle that holds one of them or the host's.
#ifndef LOQUAT_THREADING_EXECUTORS_HPP
#define LOQUAT_THREADING_EXECUTORS_HPP

#include <loquat/executor.hpp>
#include <loquat/host.hpp>
#include <loquat/result.hpp>

#include <utility>

#include "base/ref.hpp"

namespace loquat::inline LOQUAT_ABI {

/// An executor shared by handles. The last one destroys it, which joins its threads (promise T8).
class OwnedExecutor : public Executor, public RefCounted {
 public:
  static constexpr MemoryTag kTag = MemoryTag::session;
  Allocator& allocator() const noexcept { return *allocator_; }
  void release() noexcept {
    if (drop()) destroy();
  }

 protected:
  explicit OwnedExecutor(Allocator& allocator) noexcept : allocator_(&allocator) {}
  ~OwnedExecutor() = default;
  /// Ends and deallocates the object: only its own class knows the size.
  virtual void destroy() noexcept = 0;
  template <class T>
  static void destroy_object(T* object) noexcept {
    Allocator& allocator = object->allocator();
    object->~T();
    allocator.deallocate(object, sizeof(T), alignof(T), kTag);
  }

 private:
  Allocator* allocator_;
};

/// A shared handle that works for host executors (not owned) and ours (owned).
class ExecutorHandle {
 public:
  ExecutorHandle() noexcept = default;
  ExecutorHandle(ExecutorHandle&& other) noexcept
      : executor_(std::exchange(other.executor_, nullptr)), owned_(std::exchange(other.owned_, nullptr)) {}
  ExecutorHandle(const ExecutorHandle& other) noexcept : executor_(other.executor_), owned_(other.owned_) {
    if (owned_ != nullptr) owned_->retain();
  }
  ExecutorHandle& operator=(ExecutorHandle other) noexcept {
    std::swap(executor_, other.executor_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~ExecutorHandle() {
    if (owned_ != nullptr) owned_->release();
  }

  /// The host's executor if it brings one, else a new one of the wanted kind. Thread count 1 and
  /// ExecutorKind::inline_ create no thread (promise T7).
  ///
  /// Errors    invalid_argument: count outside 0..1024, or no such kind; not_built: OpenMP; out_of_memory:
  /// memory or
  ///           threads
  static Result<ExecutorHandle> create(const ThreadOptions& options, const Host& host) noexcept;

  Executor& operator*() const noexcept { return *executor_; }
  Executor* get() const noexcept { return executor_; }

 private:
  explicit ExecutorHandle(Executor& not_owned) noexcept : executor_(&not_owned) {}
  explicit ExecutorHandle(OwnedExecutor* owned) noexcept : executor_(owned), owned_(owned) {}

  Executor* executor_ = nullptr;
  OwnedExecutor* owned_ = nullptr;
};

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_THREADING_EXECUTORS_HPP
