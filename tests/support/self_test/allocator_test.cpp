// SPDX-License-Identifier: MIT
#include <loquat/array.hpp>

#include "support/catch.hpp"
#include "support/fail_nth_allocator.hpp"

using namespace loquat;
using loquat_test::FailNthAllocator;

TEST_CASE("the fail-nth allocator fails the nth allocation only, or all from the nth on") {
  FailNthAllocator allocator;
  const auto try_three = [&] {
    std::string answers;
    for (int i = 0; i < 3; ++i) {
      void* block = allocator.allocate(8, 8, MemoryTag::text);
      answers += block != nullptr ? '+' : '-';
      if (block != nullptr) allocator.deallocate(block, 8, 8, MemoryTag::text);
    }
    return answers;
  };
  allocator.fail_nth(2);
  CHECK(try_three() == "+-+");
  CHECK(allocator.n_failed() == 1);
  allocator.fail_from(2);
  CHECK(try_three() == "+--");
  CHECK(allocator.n_allocations() == 3);
  allocator.fail_nth(FailNthAllocator::kNever);
  CHECK(try_three() == "+++");
  CHECK(allocator.live_blocks() == 0);
}

TEST_CASE("the fail-nth allocator tracks live bytes, their tags and the peak") {
  FailNthAllocator allocator;
  {
    Array<char> a(allocator, MemoryTag::cache);
    REQUIRE(a.reserve(100));
    Array<char> b(allocator, MemoryTag::text);
    REQUIRE(b.reserve(50));
    CHECK(allocator.live_bytes() == 150);
    CHECK(allocator.live_bytes(MemoryTag::cache) == 100);
    CHECK(allocator.live_bytes(MemoryTag::text) == 50);
    CHECK(allocator.live_blocks() == 2);
  }
  CHECK(allocator.live_bytes() == 0);
  CHECK(allocator.peak_bytes() == 150);
  allocator.reset_peak();
  CHECK(allocator.peak_bytes() == 0);
  CHECK(allocator.n_misused() == 0);
}

TEST_CASE("the fail-nth allocator keeps a limit of bytes") {
  FailNthAllocator allocator;
  allocator.limit_bytes(100);
  Array<char> a(allocator);
  REQUIRE(a.reserve(60));
  Array<char> b(allocator);
  CHECK_FALSE(b.reserve(41));
  CHECK(b.reserve(40));
}

TEST_CASE("the fail-nth allocator notices blocks given back with wrong numbers") {
  FailNthAllocator allocator;
  void* block = allocator.allocate(16, 8, MemoryTag::text);
  allocator.deallocate(block, 17, 8, MemoryTag::text);
  CHECK(allocator.n_misused() == 1);
  allocator.deallocate(block, 16, 8, MemoryTag::text);
  CHECK(allocator.n_misused() == 2);
  block = allocator.allocate(16, 8, MemoryTag::text);
  allocator.deallocate(block, 16, 8, MemoryTag::cache);
  CHECK(allocator.n_misused() == 3);
}
