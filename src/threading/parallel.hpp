// SPDX-License-Identifier: MIT
// The one way work is spread over threads: tiles handed out one by one by a counter (promise T6), so that a
// slow core takes fewer. Works over any Executor, also one that runs its tasks one after the other.
#ifndef LOQUAT_THREADING_PARALLEL_HPP
#define LOQUAT_THREADING_PARALLEL_HPP

#include <loquat/host.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/float_environment.hpp"

namespace loquat::inline LOQUAT_ABI {

/// Calls body(tile, slot) once for every tile in [0, n_tiles).
///
/// Requires  body is noexcept in effect, and tiles are independent. `slot` < executor.concurrency() is not
/// shared by
///           two bodies that run at the same time: use it to pick scratch memory
/// Threads   the caller's and the executor's; the caller's floating-point mode is set to the default inside
/// and put
///           back after (a host may have changed rounding or denormals)
/// Cost      no allocation; one atomic add a tile
template <class Body>
void parallel_tiles(Executor& executor, std::size_t n_tiles, Body&& body) noexcept {
  if (n_tiles == 0) return;
  struct Work {
    std::atomic<std::size_t> next{0};
    std::size_t n_tiles;
    std::remove_reference_t<Body>* body;
  } work{.n_tiles = n_tiles, .body = &body};
  const std::size_t concurrency = executor.concurrency();
  const std::size_t n_tasks = n_tiles < concurrency ? n_tiles : concurrency;
  const auto run = [](void* context, std::uint32_t slot) noexcept {
    auto& shared = *static_cast<Work*>(context);
    const FloatEnvironment default_mode;
    for (std::size_t tile = shared.next.fetch_add(1, std::memory_order_relaxed); tile < shared.n_tiles;
         tile = shared.next.fetch_add(1, std::memory_order_relaxed)) {
      (*shared.body)(tile, static_cast<std::size_t>(slot));
    }
  };
  if (n_tasks == 1) {
    run(&work, 0);
  } else {
    executor.parallel_for(static_cast<std::uint32_t>(n_tasks), run, &work);
  }
}

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_THREADING_PARALLEL_HPP
