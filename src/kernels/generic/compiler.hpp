// SPDX-License-Identifier: MIT
// What kernels ask of the compiler. A register tile is an array of vectors that lives in registers only if every loop
// over it is unrolled and every function that takes it is inlined.
#ifndef LOQUAT_KERNELS_GENERIC_COMPILER_HPP
#define LOQUAT_KERNELS_GENERIC_COMPILER_HPP

#if defined(_MSC_VER) && !defined(__clang__)
#define LOQUAT_KERNEL_INLINE __forceinline
#define LOQUAT_KERNEL_NOINLINE __declspec(noinline)
#define LOQUAT_UNROLL
#else
#define LOQUAT_KERNEL_INLINE inline __attribute__((always_inline))
#define LOQUAT_KERNEL_NOINLINE __attribute__((noinline))
#define LOQUAT_UNROLL _Pragma("GCC unroll 32")
#endif

/// Keeps GCC from regrouping a chain of vector additions into a tree (-ftree-reassoc): a tree needs all its products at
/// once, spills half of them, and costs a third of the speed. No instruction.
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
#define LOQUAT_KEEP_CHAIN(vector) asm("" : "+x"(vector))
#else
#define LOQUAT_KEEP_CHAIN(vector) static_cast<void>(vector)
#endif

#endif  // LOQUAT_KERNELS_GENERIC_COMPILER_HPP
