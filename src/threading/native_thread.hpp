// SPDX-License-Identifier: MIT
// Threads and sleeping, straight from the system: std::thread reports failure by throwing, and
// std::atomic::wait keeps its waiters in a table that (as a unique symbol) would forbid unloading a plug-in
// that holds this library.
#ifndef LOQUAT_THREADING_NATIVE_THREAD_HPP
#define LOQUAT_THREADING_NATIVE_THREAD_HPP

#include <loquat/config.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

#if !defined(_WIN32)
#include <pthread.h>
#endif
#if defined(__x86_64__) || defined(__i386__) || defined(_M_X64)
#include <emmintrin.h>
#endif

namespace loquat::inline LOQUAT_ABI {

/// A joinable thread with a 1 MiB stack that leaves the process's signals to the host's threads.
class NativeThread {
 public:
  NativeThread() noexcept = default;
  NativeThread(NativeThread&& other) noexcept
      : handle_(other.handle_), is_running_(std::exchange(other.is_running_, false)) {}
  NativeThread& operator=(NativeThread&&) = delete;
  ~NativeThread() { join(); }

  /// Calls entry(context) on a new thread; false when the system has none left.
  template <void (*entry)(void*) noexcept>
  [[nodiscard]] bool start(void* context) noexcept {
    return start_native(&run<entry>, context);
  }
  /// Waits for its end; does nothing where none was started.
  void join() noexcept;

 private:
#if defined(_WIN32)
  using Handle = void*;
  using NativeResult = unsigned long;
  using NativeEntry = NativeResult(__stdcall*)(void*);
  template <void (*entry)(void*) noexcept>
  static NativeResult __stdcall run(void* context) {
    entry(context);
    return 0;
  }
#else
  using Handle = pthread_t;
  using NativeResult = void*;
  using NativeEntry = NativeResult (*)(void*);
  template <void (*entry)(void*) noexcept>
  static NativeResult run(void* context) {
    leave_signals_to_host();
    entry(context);
    return nullptr;
  }
  static void leave_signals_to_host() noexcept;
#endif
  bool start_native(NativeEntry entry, void* context) noexcept;

  Handle handle_{};
  bool is_running_ = false;
};

/// Lets another thread of this core run.
void yield_thread() noexcept;

/// Tells the core that this is a busy wait: 40 to 140 cycles on x86, a no-op elsewhere.
inline void relax_core() noexcept {
#if defined(__x86_64__) || defined(__i386__) || defined(_M_X64)
  _mm_pause();
#endif
}

/// Waits busily for a condition on atomics, at most `microseconds`; false when that time is over.
///
/// Every round of about 1.5 us ends with a yield: where threads outnumber cores, the one that is waited for
/// needs this core (promise T4), and where they do not, a yield costs 0.3 us.
template <class Condition>
bool spin_until(Condition is_met, std::uint32_t microseconds) noexcept {
  constexpr int kLooksARound = 32;
  if (is_met()) return true;
  if (microseconds == 0) return false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  do {
    for (int i = 0; i < kLooksARound; ++i) {
      if (is_met()) return true;
      relax_core();
    }
    yield_thread();
  } while (std::chrono::steady_clock::now() < end);
  return is_met();
}

/// Where threads sleep until a condition on atomics holds. Waking costs one load while nobody sleeps.
///
/// Requires  the waker changes the condition with sequential consistency before it calls wake(): either it
/// sees the
///           sleeper's count, or the sleeper sees the change
class WaitPoint {
 public:
  WaitPoint() noexcept = default;
  WaitPoint(const WaitPoint&) = delete;
  WaitPoint& operator=(const WaitPoint&) = delete;
  ~WaitPoint();

  template <class Condition>
  void wait_until(Condition is_met) noexcept {
    n_waiting_.fetch_add(1, std::memory_order_seq_cst);
    lock();
    while (!is_met()) sleep();
    unlock();
    n_waiting_.fetch_sub(1, std::memory_order_relaxed);
  }
  /// Makes the change and wakes all, holding the lock throughout: a sleeper that may destroy this object as soon as it
  /// is awake does so only after the waker has let go of it.
  template <class Change>
  void change_and_wake_all(Change change) noexcept {
    lock();
    change();
    wake_all_locked();
    unlock();
  }
  /// Wakes at least min(n, sleepers) threads.
  void wake(std::uint32_t n) noexcept {
    const std::uint32_t n_waiting = n_waiting_.load(std::memory_order_seq_cst);
    if (n_waiting != 0) wake_sleepers(n, n_waiting);
  }

 private:
  void lock() noexcept;
  void unlock() noexcept;
  void sleep() noexcept;
  void wake_all_locked() noexcept;
  void wake_sleepers(std::uint32_t n, std::uint32_t n_waiting) noexcept;

  std::atomic<std::uint32_t> n_waiting_{0};
#if defined(_WIN32)
  void* mutex_ = nullptr;      // SRWLOCK, whose initial value is null
  void* condition_ = nullptr;  // CONDITION_VARIABLE, likewise
#else
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition_ = PTHREAD_COND_INITIALIZER;
#endif
};

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_THREADING_NATIVE_THREAD_HPP
