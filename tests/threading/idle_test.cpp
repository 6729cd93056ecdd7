// SPDX-License-Identifier: MIT
// Idle executors leave the processor alone.
#include <thread>

#include "support/catch.hpp"
#include "support/process_meter.hpp"
#include "threading/made_executors.hpp"

using namespace loquat;
using namespace std::chrono_literals;

namespace {

std::chrono::nanoseconds idle_cpu_time_after_work(Executor& executor) {
  for (int i = 0; i < 100; ++i)
    executor.parallel_for(
        16, [](void*, std::uint32_t) noexcept {}, nullptr);
  std::this_thread::sleep_for(50ms);
  const loquat_test::CpuMeter meter;
  std::this_thread::sleep_for(1s);
  return meter.used();
}

}  // namespace

TEST_CASE("50 ms after a loop an executor burns less than 10 ms in 2 s (T2)") {
  for (const ExecutorKind kind : {ExecutorKind::pool, ExecutorKind::openmp}) {
    if (!parse_executor(to_string(kind))) continue;
    INFO("executor " << to_string(kind));
    const ExecutorHandle executor = loquat_test::make_executor(kind, 4);
    CHECK(idle_cpu_time_after_work(*executor) < 5ms);
  }
}

TEST_CASE("spinning ends after the time that was set, and may be zero (T2)") {
  // 100 loops with 5 ms between them: the one pool thread burns 2 ms of each if it may spin so long, and next to nothing if not.
  const auto burnt = [](std::uint32_t spin_microseconds) {
    const ExecutorHandle pool = loquat_test::make_executor(ExecutorKind::pool, 2, spin_microseconds);
    const loquat_test::CpuMeter meter;
    for (int i = 0; i < 100; ++i) {
      (*pool).parallel_for(
          2, [](void*, std::uint32_t) noexcept {}, nullptr);
      std::this_thread::sleep_for(5ms);
    }
    return meter.used();
  };
  const auto parked = burnt(0);
  const auto spinning = burnt(2000);
  INFO("parked " << parked.count() << " ns, spinning " << spinning.count() << " ns");
  CHECK(parked < 50ms);
  CHECK(spinning < 350ms);
  CHECK(spinning > parked);
}
