// SPDX-License-Identifier: MIT
// What this process uses: processor time (T2), threads (T7, T8), memory and open files (M1).
#ifndef LOQUAT_TESTS_SUPPORT_PROCESS_METER_HPP
#define LOQUAT_TESTS_SUPPORT_PROCESS_METER_HPP

#include <chrono>
#include <cstddef>

namespace loquat_test {

/// Processor time of all threads of this process since its start.
std::chrono::nanoseconds process_cpu_time();
std::size_t n_threads();
std::size_t n_open_files();
std::size_t resident_bytes();

/// Processor time from construction on.
class CpuMeter {
 public:
  CpuMeter() : start_(process_cpu_time()) {}
  std::chrono::nanoseconds used() const { return process_cpu_time() - start_; }

 private:
  std::chrono::nanoseconds start_;
};

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SUPPORT_PROCESS_METER_HPP
