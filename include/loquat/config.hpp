// SPDX-License-Identifier: MIT
#ifndef LOQUAT_CONFIG_HPP
#define LOQUAT_CONFIG_HPP

// Everything that depends on the compiler or on how the library was built. A consumer may predefine LOQUAT_API.

/// The inline namespace: two versions of the library can live in one process (promise B3). One who needs two copies of
/// the same version predefines another name, for the library and for its own sources.
#if !defined(LOQUAT_ABI)
#define LOQUAT_ABI v0_1
#endif

/// Marks what a shared build exports.
#if !defined(LOQUAT_API)
#if defined(_WIN32)
#if defined(LOQUAT_BUILDING_SHARED)
#define LOQUAT_API __declspec(dllexport)
#elif defined(LOQUAT_SHARED)
#define LOQUAT_API __declspec(dllimport)
#else
#define LOQUAT_API
#endif
#else
#define LOQUAT_API __attribute__((visibility("default")))
#endif
#endif

/// 1 where the including translation unit has exceptions. Layouts never depend on it.
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
#define LOQUAT_HAS_EXCEPTIONS 1
#else
#define LOQUAT_HAS_EXCEPTIONS 0
#endif

#endif  // LOQUAT_CONFIG_HPP
