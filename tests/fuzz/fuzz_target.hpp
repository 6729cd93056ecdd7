// SPDX-License-Identifier: MIT
// The entry point of every fuzz target, in libFuzzer's form.
#ifndef LOQUAT_TESTS_FUZZ_FUZZ_TARGET_HPP
#define LOQUAT_TESTS_FUZZ_FUZZ_TARGET_HPP

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// Ends the program with `claim` in the output, where a fuzzer sees it, if a claim about the code does not hold.
#define LOQUAT_FUZZ_CHECK(claim)                                                      \
  do {                                                                                \
    if (!(claim)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #claim); \
      std::abort();                                                                   \
    }                                                                                 \
  } while (false)

#endif  // LOQUAT_TESTS_FUZZ_FUZZ_TARGET_HPP
