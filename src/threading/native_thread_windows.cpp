// SPDX-License-Identifier: MIT
// Threads and sleeping on Windows.
#include "threading/native_thread.hpp"

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

namespace loquat::inline LOQUAT_ABI {

static_assert(sizeof(SRWLOCK) == sizeof(void*) && sizeof(CONDITION_VARIABLE) == sizeof(void*));

bool NativeThread::start_native(NativeEntry entry, void* context) noexcept {
  constexpr SIZE_T kStackBytes = SIZE_T{1} << 20;
  handle_ = CreateThread(nullptr, kStackBytes, entry, context, STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr);
  is_running_ = handle_ != nullptr;
  return is_running_;
}

void NativeThread::join() noexcept {
  if (!is_running_) return;
  WaitForSingleObject(handle_, INFINITE);
  CloseHandle(handle_);
  is_running_ = false;
}

void yield_thread() noexcept { SwitchToThread(); }

WaitPoint::~WaitPoint() = default;

void WaitPoint::lock() noexcept { AcquireSRWLockExclusive(reinterpret_cast<SRWLOCK*>(&mutex_)); }
void WaitPoint::unlock() noexcept { ReleaseSRWLockExclusive(reinterpret_cast<SRWLOCK*>(&mutex_)); }
void WaitPoint::sleep() noexcept {
  SleepConditionVariableSRW(reinterpret_cast<CONDITION_VARIABLE*>(&condition_), reinterpret_cast<SRWLOCK*>(&mutex_),
                            INFINITE, 0);
}

void WaitPoint::wake_all_locked() noexcept {
  WakeAllConditionVariable(reinterpret_cast<CONDITION_VARIABLE*>(&condition_));
}

void WaitPoint::wake_sleepers(std::uint32_t n, std::uint32_t n_waiting) noexcept {
  // Passing through the lock: whoever has announced itself is asleep now, or sees the changed condition.
  lock();
  unlock();
  auto* condition = reinterpret_cast<CONDITION_VARIABLE*>(&condition_);
  if (n >= n_waiting) {
    WakeAllConditionVariable(condition);
  } else {
    for (std::uint32_t i = 0; i < n; ++i) WakeConditionVariable(condition);
  }
}

}  // namespace loquat::inline LOQUAT_ABI

#endif
