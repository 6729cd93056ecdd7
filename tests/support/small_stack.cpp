// SPDX-License-Identifier: MIT
#include "support/small_stack.hpp"

#include <pthread.h>

#include <exception>
#include <stdexcept>

namespace loquat_test {

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kFrameGrowth = 4;
#else
constexpr std::size_t kFrameGrowth = 1;
#endif

struct Call {
  const std::function<void()>* function;
  std::exception_ptr thrown;
};

void* run(void* argument) {
  auto& call = *static_cast<Call*>(argument);
  try {
    (*call.function)();
  } catch (...) {
    call.thrown = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void run_on_small_stack(std::size_t kilobytes, const std::function<void()>& function) {
  Call call{&function, nullptr};
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  const bool is_started = pthread_attr_setstacksize(&attributes, kilobytes * 1024 * kFrameGrowth) == 0 &&
                          pthread_create(&thread, &attributes, &run, &call) == 0;
  pthread_attr_destroy(&attributes);
  if (!is_started) throw std::runtime_error("no thread with such a stack");
  pthread_join(thread, nullptr);
  if (call.thrown) std::rethrow_exception(call.thrown);
}

}  // namespace loquat_test
