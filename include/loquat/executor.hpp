// SPDX-License-Identifier: MIT
#ifndef LOQUAT_EXECUTOR_HPP
#define LOQUAT_EXECUTOR_HPP

#include <loquat/config.hpp>
#include <loquat/result.hpp>

#include <cstdint>
#include <string_view>

namespace loquat::inline LOQUAT_ABI {

/// Which of the built-in executors runs parallel loops, where the host brings none.
/// `automatic` is inline for one thread and the pool otherwise. Results are the same bits with all of them.
enum class ExecutorKind : std::uint8_t { automatic, inline_, pool, openmp };

LOQUAT_API const char* to_string(ExecutorKind kind) noexcept;
/// Names: auto, inline, pool, openmp.
///
/// Errors    invalid_argument: no such name; not_built: OpenMP was not compiled in
LOQUAT_API Result<ExecutorKind> parse_executor(std::string_view name) noexcept;

/// How a model's or session's threads are set up.
struct ThreadOptions {
  std::uint32_t count = 0;  ///< threads including the caller's; 0: default_thread_count(query_cpu_resources()), 1..1024
  ExecutorKind executor = ExecutorKind::automatic;
  std::uint32_t spin_microseconds = 50;  ///< how long an idle pool thread spins before it parks; 0: parks at once
};

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_EXECUTOR_HPP
