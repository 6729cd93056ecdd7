// SPDX-License-Identifier: MIT
// The only file that is compiled with OpenMP on (where the build found it).
#include "threading/openmp_executor.hpp"

#include "base/error.hpp"

namespace loquat::inline LOQUAT_ABI {

#if defined(_OPENMP)

namespace {

class OpenmpExecutor final : public OwnedExecutor {
 public:
  OpenmpExecutor(Allocator& allocator, std::uint32_t n_threads) noexcept
      : OwnedExecutor(allocator), n_threads_(n_threads) {}

  void parallel_for(std::uint32_t n_tasks, Task task, void* context) noexcept override {
    // Always the full team, also for fewer tasks: GCC's runtime ends and makes threads when the size changes.
    const int n_threads = static_cast<int>(n_threads_);
#pragma omp parallel for schedule(dynamic, 1) num_threads(n_threads)
    for (std::uint32_t i = 0; i < n_tasks; ++i) task(context, i);
  }
  std::uint32_t concurrency() const noexcept override { return n_threads_; }

 private:
  void destroy() noexcept override { destroy_object(this); }

  std::uint32_t n_threads_;
};

}  // namespace

bool is_openmp_built() noexcept { return true; }

Result<OwnedExecutor*> make_openmp_executor(Allocator& allocator, std::uint32_t n_threads) noexcept {
  Ref<OpenmpExecutor> executor = make_ref<OpenmpExecutor>(allocator, allocator, n_threads);
  if (!executor) return out_of_memory(sizeof(OpenmpExecutor), "the OpenMP executor");
  return static_cast<OwnedExecutor*>(executor.detach());
}

#else

bool is_openmp_built() noexcept { return false; }

Result<OwnedExecutor*> make_openmp_executor(Allocator&, std::uint32_t) noexcept { return openmp_not_built(); }

#endif

Error openmp_not_built() noexcept {
  return {ErrorCode::not_built,
          "executor openmp: this library was built without OpenMP; there are auto, inline and pool"};
}

}  // namespace loquat::inline LOQUAT_ABI
