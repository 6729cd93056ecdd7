// SPDX-License-Identifier: MIT
// Every executor that this build can make, and one as a host would bring it, for tests that hold for all of them.
#ifndef LOQUAT_TESTS_THREADING_MADE_EXECUTORS_HPP
#define LOQUAT_TESTS_THREADING_MADE_EXECUTORS_HPP

#include <cstdint>

#include "support/catch.hpp"
#include "threading/executors.hpp"

namespace loquat_test {

inline loquat::ExecutorHandle make_executor(loquat::ExecutorKind kind, std::uint32_t n_threads,
                                            std::uint32_t spin_microseconds = 50) {
  auto made = loquat::ExecutorHandle::create(
      {.count = n_threads, .executor = kind, .spin_microseconds = spin_microseconds}, {});
  INFO(made.error().message());
  REQUIRE(made);
  return *made;
}

/// A host's executor of the simplest kind: last task first, all on the caller's thread.
class BackwardsExecutor final : public loquat::Executor {
 public:
  explicit BackwardsExecutor(std::uint32_t concurrency) : concurrency_(concurrency) {}
  void parallel_for(std::uint32_t n_tasks, Task task, void* context) noexcept override {
    while (n_tasks > 0) task(context, --n_tasks);
  }
  std::uint32_t concurrency() const noexcept override { return concurrency_; }

 private:
  std::uint32_t concurrency_;
};

/// Calls function(executor) for inline, pool and (where built) OpenMP with 1..8 threads, and for a host's.
template <class Function>
void for_each_executor(Function&& function) {
  using loquat::ExecutorKind;
  for (std::uint32_t n = 1; n <= 8; ++n) {
    for (const ExecutorKind kind : {ExecutorKind::inline_, ExecutorKind::pool, ExecutorKind::openmp}) {
      if (!loquat::parse_executor(loquat::to_string(kind))) continue;
      INFO("executor " << loquat::to_string(kind) << ", threads " << n);
      function(*make_executor(kind, n));
    }
    INFO("executor of the host, concurrency " << n);
    BackwardsExecutor host(n);
    function(host);
  }
}

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_THREADING_MADE_EXECUTORS_HPP
