// SPDX-License-Identifier: MIT
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/died.hpp"
#include "support/process_meter.hpp"
#include "support/small_stack.hpp"

using namespace std::chrono_literals;

TEST_CASE("the CPU meter counts work and not sleep") {
  const loquat_test::CpuMeter idle;
  std::this_thread::sleep_for(50ms);
  CHECK(idle.used() < 20ms);
  const loquat_test::CpuMeter busy;
  volatile unsigned sum = 0;
  while (busy.used() < 5ms) sum = sum + 1;
  CHECK(busy.used() >= 5ms);
}

TEST_CASE("threads, files and memory of the process are counted") {
  const std::size_t threads = loquat_test::n_threads();
  std::thread another([] { std::this_thread::sleep_for(100ms); });
  CHECK(loquat_test::n_threads() == threads + 1);
  another.join();

  const std::size_t files = loquat_test::n_open_files();
  std::FILE* file = std::tmpfile();
  CHECK(loquat_test::n_open_files() == files + 1);
  std::fclose(file);
  CHECK(loquat_test::n_open_files() == files);

  const std::size_t resident = loquat_test::resident_bytes();
  std::vector<char> block(std::size_t{32} << 20, 'x');
  CHECK(loquat_test::resident_bytes() >= resident + (std::size_t{30} << 20));
  CHECK(block.back() == 'x');
}

TEST_CASE("a small stack holds what fits, ends what does not, and passes exceptions on (T9)") {
  const auto use_stack = [](std::size_t bytes) {
    auto* block = static_cast<volatile char*>(__builtin_alloca(bytes));
    for (std::size_t i = 0; i < bytes; i += 512) block[bytes - 1 - i] = 1;  // downwards, as a stack grows
  };
  CHECK(loquat_test::signal_that_ends([&] { loquat_test::run_on_small_stack(256, [&] { use_stack(100000); }); }) == 0);
  CHECK(loquat_test::signal_that_ends([&] { loquat_test::run_on_small_stack(256, [&] { use_stack(2000000); }); }) ==
        SIGSEGV);
  CHECK_THROWS_AS(loquat_test::run_on_small_stack(64, [] { throw std::runtime_error("x"); }), std::runtime_error);
}

TEST_CASE("a child that ends itself is told from one that comes to its end") {
  CHECK(loquat_test::signal_that_ends([] {}) == 0);
  CHECK(loquat_test::signal_that_ends([] { std::abort(); }) == SIGABRT);
}
