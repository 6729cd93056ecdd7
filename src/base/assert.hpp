// SPDX-License-Identifier: MIT
#ifndef LOQUAT_BASE_ASSERT_HPP
#define LOQUAT_BASE_ASSERT_HPP

// Preconditions between our own parts, checked once by the caller. Debug builds (LOQUAT_DEBUG_CHECKS) stop in the
// debugger; release builds assume nothing and check nothing. Never used on input.
#if defined(LOQUAT_DEBUG_CHECKS)
#define LOQUAT_ASSERT(condition) ((condition) ? static_cast<void>(0) : __builtin_trap())
#else
#define LOQUAT_ASSERT(condition) (static_cast<void>(0))
#endif

#endif  // LOQUAT_BASE_ASSERT_HPP
