// SPDX-License-Identifier: MIT
// The OpenMP executor, for programs that already run an OpenMP team and want no second set of threads.
#ifndef LOQUAT_THREADING_OPENMP_EXECUTOR_HPP
#define LOQUAT_THREADING_OPENMP_EXECUTOR_HPP

#include <loquat/result.hpp>

#include <cstdint>

#include "threading/executors.hpp"

namespace loquat::inline LOQUAT_ABI {

/// True where the build found OpenMP.
bool is_openmp_built() noexcept;
/// The error for builds without it.
Error openmp_not_built() noexcept;

/// Teams of `n_threads`, the caller's included. The runtime makes one for each calling thread, keeps its
/// threads until the process ends, and serves a call from inside a task on that task's own thread.
///
/// Errors    out_of_memory: no memory for the object; not_built. A runtime that gets no thread from the
/// system ends the
///           process itself: one reason why the pool is the default
Result<OwnedExecutor*> make_openmp_executor(Allocator& allocator, std::uint32_t n_threads) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_THREADING_OPENMP_EXECUTOR_HPP
