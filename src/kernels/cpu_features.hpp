// SPDX-License-Identifier: MIT
// What the machine can run. Asks the processor each time (a virtual machine may take microseconds for it): for load
// time, not for loops.
#ifndef LOQUAT_KERNELS_CPU_FEATURES_HPP
#define LOQUAT_KERNELS_CPU_FEATURES_HPP

#include <loquat/config.hpp>

namespace loquat::inline LOQUAT_ABI::kernels {

/// Instruction sets that the processor has and the operating system saves the registers of.
struct CpuFeatures {
  bool has_avx2 = false;        ///< AVX2, FMA and F16C
  bool has_avx512vnni = false;  ///< those, and AVX-512 F, DQ, CD, BW, VL and VNNI
};

CpuFeatures detect_cpu_features() noexcept;

}  // namespace loquat::inline LOQUAT_ABI::kernels

#endif  // LOQUAT_KERNELS_CPU_FEATURES_HPP
