// SPDX-License-Identifier: MIT
// Catch2 v3 or v2, whichever is there.
#ifndef LOQUAT_TESTS_SUPPORT_CATCH_HPP
#define LOQUAT_TESTS_SUPPORT_CATCH_HPP

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#endif  // LOQUAT_TESTS_SUPPORT_CATCH_HPP
