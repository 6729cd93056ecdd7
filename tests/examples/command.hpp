// SPDX-License-Identifier: MIT
// Runs a program and catches what it writes.
#ifndef LOQUAT_TESTS_EXAMPLES_COMMAND_HPP
#define LOQUAT_TESTS_EXAMPLES_COMMAND_HPP

#include <array>
#include <cstdio>
#include <string>

#if !defined(_WIN32)
#include <sys/wait.h>
#endif

#include "support/catch.hpp"

namespace loquat_test {

struct Outcome {
  int code = -1;
  std::string output;  ///< both streams, or standard output alone

  bool says(const std::string& text) const { return output.find(text) != std::string::npos; }
};

inline std::string quoted(const std::string& text) { return '"' + text + '"'; }

/// Runs a command line with `input` (a file, or nothing) as its standard input.
inline Outcome run(const std::string& command, const std::string& input = "/dev/null", bool with_errors = true) {
  Outcome outcome;
  const std::string whole = command + (with_errors ? " 2>&1" : "") + " <" + quoted(input);
#if defined(_WIN32)
  std::FILE* pipe = _popen(whole.c_str(), "rb");
#else
  std::FILE* pipe = popen(whole.c_str(), "r");
#endif
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> buffer{};
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    outcome.output.append(buffer.data(), n);
  }
#if defined(_WIN32)
  outcome.code = _pclose(pipe);
#else
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
#endif
  return outcome;
}

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_EXAMPLES_COMMAND_HPP
