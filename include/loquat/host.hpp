// SPDX-License-Identifier: MIT
#ifndef LOQUAT_HOST_HPP
#define LOQUAT_HOST_HPP

#include <loquat/config.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

// What a host program may replace: memory, threads and log. All are optional; each must outlive what uses it.
//
//   loquat::Host host{.allocator = &my_allocator, .executor = &my_jobs, .log = &my_log};
//   auto model = loquat::Model::load("model.gguf", {.host = host});
//
// The library calls them without holding a lock of its own, and expects them not to throw.

namespace loquat::inline LOQUAT_ABI {

/// What a block of memory is for; out-of-memory errors name it.
enum class MemoryTag : std::uint8_t { weights, cache, scratch, tokenizer, metadata, text, session };
LOQUAT_API const char* to_string(MemoryTag tag) noexcept;

/// Where all memory of the library comes from.
///
/// Threads   called from any thread that calls the library, and from no thread of ours
class LOQUAT_API Allocator {
 public:
  /// Returns `bytes` bytes aligned to `alignment` (a power of two), or null. bytes > 0.
  virtual void* allocate(std::size_t bytes, std::size_t alignment, MemoryTag tag) noexcept = 0;
  /// Gives back a block with the same numbers it was allocated with.
  virtual void deallocate(void* block, std::size_t bytes, std::size_t alignment, MemoryTag tag) noexcept = 0;

 protected:
  ~Allocator() = default;
};

/// The process's own heap; used where Host::allocator is null.
LOQUAT_API Allocator& default_allocator() noexcept;

/// Runs parallel loops. Implementations: inline, own pool, OpenMP (built in), the host's job system (derive).
class LOQUAT_API Executor {
 public:
  using Task = void (*)(void* context, std::uint32_t index) noexcept;

  /// Calls task(context, i) once for every i in [0, n_tasks) and returns when all have returned. Tasks may run on
  /// any threads, in any order, also one after the other on the caller's thread: none waits for another.
  /// Must be callable from several threads at the same time.
  virtual void parallel_for(std::uint32_t n_tasks, Task task, void* context) noexcept = 0;
  /// Number of tasks that are worth starting at once, at least 1. Constant during the executor's life.
  virtual std::uint32_t concurrency() const noexcept = 0;

 protected:
  ~Executor() = default;
};

enum class LogLevel : std::uint8_t { debug, info, warning, error };

/// Receives what the library would say; without one it says nothing (promise O1).
///
/// Threads   called on the thread that made the call into the library, never after the model is destroyed
class LOQUAT_API LogSink {
 public:
  virtual void write(LogLevel level, std::string_view message) noexcept = 0;

 protected:
  ~LogSink() = default;
};

/// What the host replaces. Null members mean the library's own.
struct Host {
  Allocator* allocator = nullptr;
  Executor* executor = nullptr;
  LogSink* log = nullptr;
};

/// A flag that ends a running call from any thread. Reusable after reset().
///
/// Threads   request() and reset() from any thread or signal handler, lock-free (promise C1)
class StopToken {
 public:
  StopToken() noexcept = default;
  StopToken(const StopToken&) = delete;
  StopToken& operator=(const StopToken&) = delete;

  void request() noexcept { requested_.store(true, std::memory_order_release); }
  void reset() noexcept { requested_.store(false, std::memory_order_release); }
  bool is_requested() const noexcept { return requested_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> requested_{false};
};

/// A view of a StopToken for option structs: `{.stop_token = stop}`. The token must outlive the call.
class StopRef {
 public:
  constexpr StopRef() noexcept = default;
  StopRef(const StopToken& token) noexcept : token_(&token) {}  // NOLINT: implicit
  StopRef(const StopToken&&) = delete;

  bool is_requested() const noexcept { return token_ != nullptr && token_->is_requested(); }

 private:
  const StopToken* token_ = nullptr;
};

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_HOST_HPP
