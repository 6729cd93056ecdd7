// SPDX-License-Identifier: MIT
#include "support/guard_buffer.hpp"

#include <signal.h>

#include "support/catch.hpp"
#include "support/died.hpp"

using loquat_test::Guard;
using loquat_test::GuardBuffer;
using loquat_test::signal_that_ends;

TEST_CASE("a guard buffer may be used to its ends, and one byte further is a fault") {
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, std::size_t{4096}, std::size_t{5000}}) {
    INFO("size " << size);
    GuardBuffer after(size);
    GuardBuffer before(size, Guard::before);
    volatile std::byte* a = after.data();
    volatile std::byte* b = before.data();
    const auto write_ends = [&] {
      a[size - 1] = std::byte{1};
      b[0] = std::byte{1};
    };
    CHECK(signal_that_ends(write_ends) == 0);
    CHECK(signal_that_ends([&] { a[size] = std::byte{1}; }) == SIGSEGV);
    CHECK(signal_that_ends([&] { b[-1] = std::byte{1}; }) == SIGSEGV);
  }
}

TEST_CASE("a guard buffer notices writes into its slack") {
  GuardBuffer after(100);
  CHECK(after.is_intact());
  const_cast<volatile std::byte*>(after.data())[-1] = std::byte{0};
  CHECK_FALSE(after.is_intact());
  GuardBuffer before(100, Guard::before);
  before.data()[99] = std::byte{0};
  CHECK(before.is_intact());
  const_cast<volatile std::byte*>(before.data())[100] = std::byte{0};
  CHECK_FALSE(before.is_intact());
}

TEST_CASE("a protected guard buffer can be read and not written, and a guarded copy has its values") {
  const float values[] = {1, 2, 3};
  loquat_test::GuardedCopy<float> copy{std::span<const float>(values)};
  copy.buffer().protect();
  CHECK(copy.span()[2] == 3);
  volatile float* data = copy.data();
  CHECK(signal_that_ends([&] { data[0] = 5; }) == SIGSEGV);
}
