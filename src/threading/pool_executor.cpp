// SPDX-License-Identifier: MIT
#include "threading/pool_executor.hpp"

#include "base/error.hpp"

namespace loquat::inline LOQUAT_ABI {

namespace {

constexpr std::uint64_t make_job(std::uint32_t number, std::uint32_t n_unclaimed) noexcept {
  return std::uint64_t{number} << 32 | n_unclaimed;
}
constexpr std::uint32_t job_number(std::uint64_t job) noexcept { return static_cast<std::uint32_t>(job >> 32); }
constexpr std::uint32_t n_unclaimed_tasks(std::uint64_t job) noexcept { return static_cast<std::uint32_t>(job); }

}  // namespace

PoolExecutor::PoolExecutor(Allocator& allocator, std::uint32_t n_threads, std::uint32_t spin_microseconds) noexcept
    : OwnedExecutor(allocator),
      n_threads_(n_threads),
      spin_microseconds_(spin_microseconds),
      threads_(allocator, kTag) {}

PoolExecutor::~PoolExecutor() {
  stops_.store(true, std::memory_order_seq_cst);
  job_published_.wake(n_threads_);
  threads_.release();  // joins
}

void PoolExecutor::destroy() noexcept { destroy_object(this); }

Status PoolExecutor::start() noexcept {
  const std::size_t n_own = n_threads_ - 1;
  if (!threads_.resize(n_own)) return out_of_memory(n_own * sizeof(NativeThread), "the thread pool");
  for (std::size_t i = 0; i < n_own; ++i) {
    if (!threads_[i].start<&PoolExecutor::work>(this)) {
      return make_error(ErrorCode::out_of_memory, "out of threads: the system gave {} of {} for the thread pool", i,
                        n_own);
    }
  }
  return {};
}

void PoolExecutor::work(void* pool) noexcept {
  auto& self = *static_cast<PoolExecutor*>(pool);
  std::uint32_t last_seen = 0;
  const auto has_news = [&]() noexcept {
    return job_number(self.job_.load(std::memory_order_seq_cst)) != last_seen ||
           self.stops_.load(std::memory_order_seq_cst);
  };
  for (;;) {
    if (!spin_until(has_news, self.spin_microseconds_)) self.job_published_.wait_until(has_news);
    if (self.stops_.load(std::memory_order_relaxed)) return;
    const std::uint64_t job = self.job_.load(std::memory_order_acquire);
    last_seen = job_number(job);
    self.run_tasks(job);
  }
}

void PoolExecutor::parallel_for(std::uint32_t n_tasks, Task task, void* context) noexcept {
  const bool is_mine = n_tasks > 1 && n_threads_ > 1 && !is_busy_.exchange(true, std::memory_order_acquire);
  if (!is_mine) {
    for (std::uint32_t i = 0; i < n_tasks; ++i) task(context, i);
    return;
  }
  publish(n_tasks, task, context);
  run_tasks(job_.load(std::memory_order_relaxed));
  wait_for_others();
  is_busy_.store(false, std::memory_order_release);
}

void PoolExecutor::publish(std::uint32_t n_tasks, Task task, void* context) noexcept {
  // Nobody can claim a task of the previous job (none is left), so these may change under late readers.
  task_.store(task, std::memory_order_relaxed);
  context_.store(context, std::memory_order_relaxed);
  n_tasks_.store(n_tasks, std::memory_order_relaxed);
  n_unfinished_.store(n_tasks, std::memory_order_relaxed);
  const std::uint32_t number = job_number(job_.load(std::memory_order_relaxed)) + 1;
  job_.store(make_job(number, n_tasks), std::memory_order_seq_cst);
  job_published_.wake(n_tasks - 1);
}

void PoolExecutor::run_tasks(std::uint64_t job) noexcept {
  const std::uint32_t number = job_number(job);
  std::uint32_t n_done = 0;
  while (job_number(job) == number && n_unclaimed_tasks(job) != 0) {
    // Read before the claim: a claim that succeeds proves that the job was still the same one. (Numbers
    // repeat after 2^32 jobs, at 1 us each more than an hour between these loads and the claim.)
    const Task task = task_.load(std::memory_order_relaxed);
    void* const context = context_.load(std::memory_order_relaxed);
    const std::uint32_t index = n_tasks_.load(std::memory_order_relaxed) - n_unclaimed_tasks(job);
    if (!job_.compare_exchange_weak(job, job - 1, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
    task(context, index);
    ++n_done;
    job = job_.load(std::memory_order_acquire);
  }
  if (n_done == 0) return;
  if (n_unfinished_.fetch_sub(n_done, std::memory_order_seq_cst) == n_done) job_finished_.wake(1);
}

void PoolExecutor::wait_for_others() noexcept {
  const auto is_finished = [this]() noexcept { return n_unfinished_.load(std::memory_order_seq_cst) == 0; };
  if (!spin_until(is_finished, spin_microseconds_)) job_finished_.wait_until(is_finished);
}

}  // namespace loquat::inline LOQUAT_ABI
