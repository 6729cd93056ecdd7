// SPDX-License-Identifier: MIT
// The library on the host's own memory, threads and log.
//
//   04_host_hooks MODEL.gguf
//
// All three hooks are optional, and each must outlive the models and sessions that use it.
#include <loquat/loquat.hpp>

#include <atomic>
#include <cstdio>
#include <map>
#include <new>
#include <string_view>
#include <thread>
#include <vector>

namespace {

int fail(const loquat::Error& error) {
  std::fprintf(stderr, "error (%s): %s\n", loquat::to_string(error.code()), error.c_str());
  return 1;
}

// Memory: a game hands out blocks of its own heaps here. This one counts, and refuses beyond a budget: the library then
// gives ErrorCode::out_of_memory, with the purpose and the size, and takes nothing with it.
class BudgetAllocator final : public loquat::Allocator {
 public:
  explicit BudgetAllocator(std::size_t budget) : budget_(budget) {}

  void* allocate(std::size_t bytes, std::size_t alignment, loquat::MemoryTag tag) noexcept override {
    if (used_.fetch_add(bytes) + bytes > budget_) {
      used_ -= bytes;
      std::fprintf(stderr, "[refused %zu bytes for %s]\n", bytes, loquat::to_string(tag));
      return nullptr;
    }
    return ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
  }
  void deallocate(void* block, std::size_t bytes, std::size_t alignment, loquat::MemoryTag) noexcept override {
    ::operator delete (block, std::align_val_t{alignment});
    used_ -= bytes;
  }
  std::size_t used() const { return used_; }

 private:
  std::size_t budget_;
  std::atomic<std::size_t> used_{0};
};

// Threads: a game gives the tasks to its job system. Tasks never wait for each other, so any order on any number of
// threads will do, and the result has the same bits. Starting threads for each loop, as here, is simple and slow.
class JobSystem final : public loquat::Executor {
 public:
  void parallel_for(std::uint32_t n_tasks, Task task, void* context) noexcept override {
    ++loops_;
    std::atomic<std::uint32_t> next{0};
    const auto work = [&] {
      for (std::uint32_t i = next++; i < n_tasks; i = next++) task(context, i);
    };
    if (n_tasks < 64) return work();  // not worth a thread of its own
    std::thread helper(work);
    work();
    helper.join();
  }
  std::uint32_t concurrency() const noexcept override { return 2; }
  long loops() const { return loops_; }

 private:
  std::atomic<long> loops_{0};
};

// Log: without a sink the library says nothing, ever.
class Console final : public loquat::LogSink {
 public:
  void write(loquat::LogLevel level, std::string_view message) noexcept override {
    constexpr const char* kNames[] = {"debug", "info", "warning", "error"};
    std::printf("[%s] %.*s\n", kNames[static_cast<int>(level)], static_cast<int>(message.size()), message.data());
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s MODEL.gguf\n", argv[0]);
    return 2;
  }
  BudgetAllocator memory(std::size_t{4} << 30);
  JobSystem jobs;
  Console console;
  const loquat::Host host{.allocator = &memory, .executor = &jobs, .log = &console};
  {
    auto model = loquat::Model::load(argv[1], {.host = host});
    if (!model) return fail(model.error());
    std::printf("the model holds %zu KiB of our memory\n", memory.used() / 1024);
    auto session = loquat::Session::create(*model, {.context = 256});  // uses the model's host
    if (!session) return fail(session.error());
    std::printf("with a session, %zu KiB\n", memory.used() / 1024);
    auto reply = session->generate("Our own threads say:", {.max_tokens = 8, .sampling = {.temperature = 0}});
    if (!reply) return fail(reply.error());
    std::printf("%.*s\n", static_cast<int>(reply->text.size()), reply->text.data());
    std::printf("%ld parallel loops ran on our jobs\n", jobs.loops());
  }
  std::printf("all is given back: %zu bytes left\n", memory.used());
  return memory.used() == 0 ? 0 : 1;
}
