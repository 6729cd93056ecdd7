// SPDX-License-Identifier: MIT
// More threads than cores, and how little an empty loop costs.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "support/catch.hpp"
#include "threading/made_executors.hpp"
#include "threading/parallel.hpp"

using namespace loquat;
using Clock = std::chrono::steady_clock;

namespace {

/// Loops a second, each of 64 tiles of about 2 us: as small as the steps of one token get.
double loops_a_second(Executor& executor) {
  std::atomic<unsigned> sink{0};
  auto body = [&](std::size_t tile, std::size_t) {
    unsigned value = static_cast<unsigned>(tile);
    for (int i = 0; i < 1500; ++i) value = value * 1664525u + 1013904223u;
    sink.fetch_add(value, std::memory_order_relaxed);
  };
  double best = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    constexpr int kLoops = 300;
    const auto start = Clock::now();
    for (int i = 0; i < kLoops; ++i) parallel_tiles(executor, 64, body);
    best = std::max(best, kLoops / std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

}  // namespace

TEST_CASE("four times more threads than cores keep a third of the best throughput (T4)") {
  const std::uint32_t cores = std::max(1u, std::thread::hardware_concurrency());
  double best = 0;
  for (std::uint32_t n = 1; n <= cores; n *= 2) {
    best = std::max(best, loops_a_second(*loquat_test::make_executor(ExecutorKind::pool, n)));
  }
  for (const std::uint32_t spin_microseconds : {0u, 50u}) {
    const ExecutorHandle crowd = loquat_test::make_executor(ExecutorKind::pool, 4 * cores, spin_microseconds);
    const double crowded = loops_a_second(*crowd);
    INFO("loops a second: best " << best << ", with " << 4 * cores << " threads " << crowded << ", spin "
                                 << spin_microseconds);
    CHECK(crowded * 3 >= best);
  }
}
