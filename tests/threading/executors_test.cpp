// SPDX-License-Identifier: MIT
// What every executor promises: each index exactly once, from several callers, nested, whatever the thread count.
#include "threading/executors.hpp"

#include <atomic>
#include <cfenv>
#include <loquat/cpu.hpp>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/process_meter.hpp"
#include "support/small_stack.hpp"
#include "threading/made_executors.hpp"
#include "threading/parallel.hpp"

using namespace loquat;
using loquat_test::for_each_executor;
using loquat_test::make_executor;

namespace {

/// Counts how often each index is run.
struct Tally {
  std::vector<std::atomic<std::uint32_t>> counts;
  explicit Tally(std::size_t n) : counts(n) {}
  static void add(void* context, std::uint32_t index) noexcept {
    static_cast<Tally*>(context)->counts[index].fetch_add(1, std::memory_order_relaxed);
  }
  bool is_all(std::uint32_t expected) const {
    for (const auto& count : counts) {
      if (count.load() != expected) return false;
    }
    return true;
  }
};

}  // namespace

TEST_CASE("every executor runs each index exactly once, for any number of tasks (T1)") {
  for_each_executor([](Executor& executor) {
    for (const std::uint32_t n_tasks : {0u, 1u, 2u, 3u, 7u, 8u, 9u, 100u, 1000u}) {
      INFO("tasks " << n_tasks);
      Tally tally(n_tasks);
      executor.parallel_for(n_tasks, &Tally::add, &tally);
      CHECK(tally.is_all(1));
    }
  });
}

TEST_CASE("results of a loop are seen by the caller when it returns (T1)") {
  for_each_executor([](Executor& executor) {
    std::vector<std::uint64_t> squares(64);  // plain memory: the executor orders it
    bool is_right = true;
    for (std::uint64_t round = 0; round < 500; ++round) {
      auto body = [&](std::size_t i, std::size_t) { squares[i] = (i + round) * (i + round); };
      parallel_tiles(executor, squares.size(), body);
      for (std::uint64_t i = 0; i < squares.size(); ++i) is_right &= squares[i] == (i + round) * (i + round);
    }
    CHECK(is_right);
  });
}

TEST_CASE("an executor serves several calling threads at the same time (T1, E1)") {
  for_each_executor([](Executor& executor) {
    constexpr int kCallers = 4;
    constexpr int kRounds = 100;
    std::atomic<int> n_wrong{0};
    std::vector<std::thread> callers;
    for (int i = 0; i < kCallers; ++i) {
      callers.emplace_back([&] {
        for (int round = 0; round < kRounds; ++round) {
          Tally tally(static_cast<std::size_t>(5 + round % 7));
          executor.parallel_for(static_cast<std::uint32_t>(tally.counts.size()), &Tally::add, &tally);
          if (!tally.is_all(1)) ++n_wrong;
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    CHECK(n_wrong == 0);
  });
}

TEST_CASE("a task may start a loop on its own executor (T1)") {
  for_each_executor([](Executor& executor) {
    struct Outer {
      Executor* executor;
      Tally tally{6 * 10};
    } outer{&executor};
    executor.parallel_for(
        6,
        [](void* context, std::uint32_t i) noexcept {
          struct Inner {
            Outer* outer;
            std::uint32_t i;
          } inner{static_cast<Outer*>(context), i};
          inner.outer->executor->parallel_for(
              10,
              [](void* nested, std::uint32_t j) noexcept {
                const Inner& self = *static_cast<Inner*>(nested);
                Tally::add(&self.outer->tally, self.i * 10 + j);
              },
              &inner);
        },
        &outer);
    CHECK(outer.tally.is_all(1));
  });
}

TEST_CASE("tiles run once each, and no two bodies at the same time have one slot (T6)") {
  for_each_executor([](Executor& executor) {
    for (const std::size_t n_tiles : {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{333}}) {
      Tally tally(n_tiles);
      std::vector<std::atomic<int>> users(executor.concurrency());
      std::atomic<int> n_shared{0};
      auto body = [&](std::size_t tile, std::size_t slot) {
        if (users[slot].fetch_add(1) != 0) ++n_shared;
        Tally::add(&tally, static_cast<std::uint32_t>(tile));
        users[slot].fetch_sub(1);
      };
      parallel_tiles(executor, n_tiles, body);
      CHECK(tally.is_all(1));
      CHECK(n_shared == 0);
    }
  });
}

TEST_CASE("a slow task does not keep the other threads from the rest (T6)") {
  const ExecutorHandle pool = make_executor(ExecutorKind::pool, 2);
  std::atomic<int> n_others{0};
  bool is_slow_last = false;
  auto body = [&](std::size_t tile, std::size_t) {
    if (tile != 0) {
      ++n_others;
      return;
    }
    // Runs until the other thread has done all other tiles: ends only if these do not wait for this one.
    for (int i = 0; i < 5000 && n_others < 99; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    is_slow_last = n_others == 99;
  };
  parallel_tiles(*pool, 100, body);
  CHECK(is_slow_last);
}

TEST_CASE("thread count 1 and the inline executor make no thread and use no memory (T7)") {
  const std::size_t before = loquat_test::n_threads();
  for (const ExecutorKind kind : {ExecutorKind::automatic, ExecutorKind::inline_, ExecutorKind::pool}) {
    const ExecutorHandle handle = make_executor(kind, kind == ExecutorKind::inline_ ? 8 : 1);
    const std::thread::id caller = std::this_thread::get_id();
    bool is_caller = true;
    auto body = [&](std::size_t, std::size_t) { is_caller &= std::this_thread::get_id() == caller; };
    parallel_tiles(*handle, 20, body);
    CHECK(is_caller);
    CHECK((*handle).concurrency() == 1);
    CHECK(loquat_test::n_threads() == before);
  }
}

TEST_CASE("loops work from a thread with a 256 KiB stack (T9)") {
  loquat_test::run_on_small_stack(256, [] {
    (void)query_cpu_resources();
    for_each_executor([](Executor& executor) {
      Tally tally(50);
      executor.parallel_for(50, &Tally::add, &tally);
      CHECK(tally.is_all(1));
    });
  });
}

TEST_CASE("the floating-point mode of the host does not reach the tiles, and is kept (D1, H4)") {
  const auto rounds_up = [] {
    const volatile float one = 1;
    const volatile float little = 0x1p-30f;
    return one + little > 1;
  };
  for_each_executor([&](Executor& executor) {
    std::atomic<int> n_wrong{0};
    auto body = [&](std::size_t, std::size_t) {
      if (rounds_up()) ++n_wrong;
    };
    std::fesetround(FE_UPWARD);
    const bool is_up_before = rounds_up();
    parallel_tiles(executor, 1, body);
    parallel_tiles(executor, 20, body);
    const bool is_up_after = rounds_up();
    std::fesetround(FE_TONEAREST);
    CHECK(is_up_before);
    CHECK(n_wrong == 0);
    CHECK(is_up_after);
  });
}
