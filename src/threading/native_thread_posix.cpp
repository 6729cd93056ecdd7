// SPDX-License-Identifier: MIT
// Threads and sleeping on POSIX systems.
#include "threading/native_thread.hpp"

#if !defined(_WIN32)

#include <sched.h>
#include <signal.h>

namespace loquat::inline LOQUAT_ABI {

bool NativeThread::start_native(NativeEntry entry, void* context) noexcept {
  constexpr std::size_t kStackBytes = std::size_t{1} << 20;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  is_running_ = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                pthread_create(&handle_, &attributes, entry, context) == 0;
  pthread_attr_destroy(&attributes);
  return is_running_;
}

void NativeThread::join() noexcept {
  if (is_running_) pthread_join(handle_, nullptr);
  is_running_ = false;
}

void NativeThread::leave_signals_to_host() noexcept {
  // A thread's own faults stay unblocked, so that the host's crash reporter sees them.
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&blocked, fault);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
}

void yield_thread() noexcept { sched_yield(); }

WaitPoint::~WaitPoint() {
  pthread_cond_destroy(&condition_);
  pthread_mutex_destroy(&mutex_);
}

void WaitPoint::lock() noexcept { pthread_mutex_lock(&mutex_); }
void WaitPoint::unlock() noexcept { pthread_mutex_unlock(&mutex_); }
void WaitPoint::sleep() noexcept { pthread_cond_wait(&condition_, &mutex_); }

void WaitPoint::wake_all_locked() noexcept { pthread_cond_broadcast(&condition_); }

void WaitPoint::wake_sleepers(std::uint32_t n, std::uint32_t n_waiting) noexcept {
  // Passing through the lock: whoever has announced itself is asleep now, or sees the changed condition.
  lock();
  unlock();
  if (n >= n_waiting) {
    pthread_cond_broadcast(&condition_);
  } else {
    for (std::uint32_t i = 0; i < n; ++i) pthread_cond_signal(&condition_);
  }
}

}  // namespace loquat::inline LOQUAT_ABI

#endif
