// SPDX-License-Identifier: MIT
// What a piece of code writes to standard output and standard error, by any way (promise O1).
#ifndef LOQUAT_TESTS_SUPPORT_CAPTURE_HPP
#define LOQUAT_TESTS_SUPPORT_CAPTURE_HPP

#include <functional>
#include <string>

namespace loquat_test {

struct Captured {
  std::string out;
  std::string err;
};

/// Runs `function` with descriptors 1 and 2 pointing at temporary files, and gives what arrived there.
///
/// Threads   the whole process is redirected: no other test may print meanwhile; no checks inside `function`
Captured capture_output(const std::function<void()>& function);

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SUPPORT_CAPTURE_HPP
