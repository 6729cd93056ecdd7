// SPDX-License-Identifier: MIT
// Runs a function on a thread with a small stack: audio threads, coroutines and engines have little (promises T9, K3).
#ifndef LOQUAT_TESTS_SUPPORT_SMALL_STACK_HPP
#define LOQUAT_TESTS_SUPPORT_SMALL_STACK_HPP

#include <cstddef>
#include <functional>

namespace loquat_test {

/// Runs `function` on a thread with `kilobytes` KiB of stack (and a guard page below) and waits for it. Overflowing it
/// is a segmentation fault. Catch2's checks may be used inside; nothing else of the test runs meanwhile.
///
/// With address sanitizer the stack is four times as large, as its red zones make frames larger.
void run_on_small_stack(std::size_t kilobytes, const std::function<void()>& function);

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SUPPORT_SMALL_STACK_HPP
