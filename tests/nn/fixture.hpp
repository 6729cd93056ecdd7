// SPDX-License-Identifier: MIT
// A Context on chosen kernels and threads, with slots that are poisoned.
#ifndef LOQUAT_TESTS_NN_FIXTURE_HPP
#define LOQUAT_TESTS_NN_FIXTURE_HPP

#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

#include "kernels/kernels.hpp"
#include "nn/context.hpp"
#include "support/catch.hpp"
#include "threading/executors.hpp"

namespace loquat_test {

/// Bytes aligned to 64, filled with 0xFF (NaN as floats).
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t n) : data_(static_cast<std::byte*>(::operator new (n + 64, std::align_val_t{64}))) {
    std::memset(data_, 0xFF, n + 64);
  }
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;
  ~AlignedBytes() { ::operator delete (data_, std::align_val_t{64}); }
  std::byte* data() const { return data_; }

 private:
  std::byte* data_;
};

class ContextFixture {
 public:
  ContextFixture(loquat::Level level, std::uint32_t threads, std::size_t slot_bytes)
      : executor_(make_executor(threads)), slots_(threads * slot_bytes) {
    context.executor = executor_.get();
    context.kernels = loquat::kernels::find_kernels(level);
    context.slots = slots_.data();
    context.slot_bytes = slot_bytes;
  }
  loquat::nn::Context context;

 private:
  static loquat::ExecutorHandle make_executor(std::uint32_t threads) {
    auto executor = loquat::ExecutorHandle::create({.count = threads}, {});
    REQUIRE(executor);
    return std::move(*executor);
  }
  loquat::ExecutorHandle executor_;
  AlignedBytes slots_;
};

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_NN_FIXTURE_HPP
