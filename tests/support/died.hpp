// SPDX-License-Identifier: MIT
// Whether a piece of code ends its process with a signal, tried in a child process.
#ifndef LOQUAT_TESTS_SUPPORT_DIED_HPP
#define LOQUAT_TESTS_SUPPORT_DIED_HPP

#include <functional>

namespace loquat_test {

/// Runs `function` in a forked child, and gives the number of the signal that ended it; 0 if it came to its end.
/// What it prints is thrown away.
int signal_that_ends(const std::function<void()>& function);

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SUPPORT_DIED_HPP
