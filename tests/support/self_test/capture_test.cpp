// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "support/capture.hpp"
#include "support/catch.hpp"

TEST_CASE("the capture sees every way of printing") {
  const auto captured = loquat_test::capture_output([] {
    std::cout << "a";
    std::cout.flush();
    std::printf("b");
    std::fflush(stdout);
    if (write(STDOUT_FILENO, "c", 1) != 1) std::printf("write failed");
    std::cerr << "d";
    std::fprintf(stderr, "e");
  });
  CHECK(captured.out == "abc");
  CHECK(captured.err == "de");
}

TEST_CASE("the capture of silence is empty, and output works after it") {
  const auto silent = loquat_test::capture_output([] {});
  CHECK(silent.out.empty());
  CHECK(silent.err.empty());
  const auto nested = loquat_test::capture_output([] {
    loquat_test::capture_output([] { std::printf("inner"); });
    std::printf("outer");
  });
  CHECK(nested.out == "outer");
}
