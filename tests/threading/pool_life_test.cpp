// SPDX-License-Identifier: MIT
// Birth and death of the pool: threads, memory, handles.
#include <sys/resource.h>

#include <loquat/cpu.hpp>

#include "support/catch.hpp"
#include "support/died.hpp"
#include "support/fail_nth_allocator.hpp"
#include "support/host_state.hpp"
#include "support/process_meter.hpp"
#include "threading/made_executors.hpp"

using namespace loquat;

namespace {
void nothing(void*, std::uint32_t) noexcept {}
}  // namespace

TEST_CASE("a pool has one thread fewer than its count, and none is left when its last handle goes (T8)") {
  const std::size_t before = loquat_test::n_threads();
  for (int i = 0; i < 50; ++i) {
    ExecutorHandle first = loquat_test::make_executor(ExecutorKind::pool, 4);
    if (i % 2 == 0) (*first).parallel_for(10, nothing, nullptr);
    CHECK(loquat_test::n_threads() == before + 3);
    ExecutorHandle second = first;
    ExecutorHandle third = std::move(first);
    CHECK(first.get() == nullptr);
    second = third;
    third = ExecutorHandle();
    (*second).parallel_for(10, nothing, nullptr);
    CHECK(loquat_test::n_threads() == before + 3);
  }
  CHECK(loquat_test::n_threads() == before);
}

TEST_CASE("every failing allocation of an executor is an error and leaves nothing behind (M3)") {
  for (const ExecutorKind kind : {ExecutorKind::pool, ExecutorKind::openmp}) {
    if (!parse_executor(to_string(kind))) continue;
    const std::size_t threads_before = loquat_test::n_threads();
    loquat_test::FailNthAllocator allocator;
    std::size_t n_failures = 0;
    for (std::size_t n = 1;; ++n) {
      allocator.fail_nth(n);
      const auto made = ExecutorHandle::create({.count = 4, .executor = kind}, {.allocator = &allocator});
      if (allocator.n_failed() == 0) {
        CHECK(made);
        break;
      }
      ++n_failures;
      REQUIRE_FALSE(made);
      CHECK(made.error().code() == ErrorCode::out_of_memory);
      CHECK(allocator.live_bytes() == 0);
    }
    CHECK(n_failures > 0);
    CHECK(allocator.live_bytes() == 0);
    CHECK(allocator.n_misused() == 0);
    CHECK(loquat_test::n_threads() == threads_before);
  }
}

#if !defined(__SANITIZE_ADDRESS__)  // whose shadow memory alone is beyond any such limit
TEST_CASE("a system without threads is an out-of-memory error, and the host lives on (M3)") {
  // In a child process, whose address space is limited so that stacks of 1 MiB no longer fit.
  const int ended_by = loquat_test::signal_that_ends([] {
    const rlimit little{std::size_t{512} << 20, std::size_t{512} << 20};
    setrlimit(RLIMIT_AS, &little);
    const auto made = ExecutorHandle::create({.count = 1024, .executor = ExecutorKind::pool}, {});
    if (made || made.error().code() != ErrorCode::out_of_memory || loquat_test::n_threads() != 1) __builtin_trap();
    const auto smaller = ExecutorHandle::create({.count = 4, .executor = ExecutorKind::pool}, {});
    if (!smaller) __builtin_trap();
  });
  CHECK(ended_by == 0);
}
#endif

TEST_CASE("making, using and ending executors leaves the host's state as it was (H4, T5)") {
  const auto before = loquat_test::HostState::take();
  loquat_test::for_each_executor([](Executor& executor) { executor.parallel_for(32, nothing, nullptr); });
  (void)query_cpu_resources();
  CHECK(before.difference_to(loquat_test::HostState::take()).empty());
}
