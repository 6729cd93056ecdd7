// SPDX-License-Identifier: MIT
// Choosing an executor. Inline is one object for all, as it has no state.
#include "threading/executors.hpp"

#include <loquat/cpu.hpp>

#include "base/error.hpp"
#include "threading/openmp_executor.hpp"
#include "threading/pool_executor.hpp"

namespace loquat::inline LOQUAT_ABI {

namespace {

constexpr std::uint32_t kMostThreads = 1024;

class InlineExecutor final : public Executor {
 public:
  void parallel_for(std::uint32_t n_tasks, Task task, void* context) noexcept override {
    for (std::uint32_t i = 0; i < n_tasks; ++i) task(context, i);
  }
  std::uint32_t concurrency() const noexcept override { return 1; }
};

constinit InlineExecutor inline_executor;

std::uint32_t thread_count(std::uint32_t wanted) noexcept {
  if (wanted != 0) return wanted;
  const std::uint32_t derived = default_thread_count(query_cpu_resources());
  return derived < kMostThreads ? derived : kMostThreads;
}

}  // namespace

Result<ExecutorHandle> ExecutorHandle::create(const ThreadOptions& options, const Host& host) noexcept {
  if (options.count > kMostThreads) {
    return make_error(ErrorCode::invalid_argument, "thread count must be 0..{}, it is {}", kMostThreads, options.count)
        .with_name("threads.count");
  }
  if (options.executor > ExecutorKind::openmp) {
    return make_error(ErrorCode::invalid_argument, "executor must be 0..{}, it is {}",
                      static_cast<unsigned>(ExecutorKind::openmp), static_cast<unsigned>(options.executor))
        .with_name("threads.executor");
  }
  if (host.executor != nullptr) return ExecutorHandle(*host.executor);
  if (options.executor == ExecutorKind::openmp && !is_openmp_built()) return openmp_not_built();
  if (options.executor == ExecutorKind::inline_) return ExecutorHandle(inline_executor);
  const std::uint32_t n_threads = thread_count(options.count);
  if (n_threads == 1) return ExecutorHandle(inline_executor);

  Allocator& allocator = host.allocator != nullptr ? *host.allocator : default_allocator();
  if (options.executor == ExecutorKind::openmp) {
    LOQUAT_ASSIGN_OR_RETURN(OwnedExecutor * openmp, make_openmp_executor(allocator, n_threads));
    return ExecutorHandle(openmp);
  }
  Ref<PoolExecutor> pool = make_ref<PoolExecutor>(allocator, allocator, n_threads, options.spin_microseconds);
  if (!pool) return out_of_memory(sizeof(PoolExecutor), "the thread pool");
  LOQUAT_RETURN_IF_ERROR(pool->start());
  return ExecutorHandle(pool.detach());
}

const char* to_string(ExecutorKind kind) noexcept {
  switch (kind) {
    case ExecutorKind::automatic: return "auto";
    case ExecutorKind::inline_: return "inline";
    case ExecutorKind::pool: return "pool";
    case ExecutorKind::openmp: return "openmp";
  }
  return "unknown";
}

Result<ExecutorKind> parse_executor(std::string_view name) noexcept {
  for (const ExecutorKind kind :
       {ExecutorKind::automatic, ExecutorKind::inline_, ExecutorKind::pool, ExecutorKind::openmp}) {
    if (name != to_string(kind)) continue;
    if (kind == ExecutorKind::openmp && !is_openmp_built()) return openmp_not_built();
    return kind;
  }
  return make_error(ErrorCode::invalid_argument, "executor must be auto, inline, pool or openmp, it is '{}'",
                    fmt::string_view(name.data(), name.size()));
}

}  // namespace loquat::inline LOQUAT_ABI
