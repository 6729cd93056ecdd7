// SPDX-License-Identifier: MIT
// Bits of CPUID leaves 1 and 7 and of XCR0 (Intel SDM volume 2, CPUID; volume 1, chapter 13). An instruction set counts
// only if the operating system has switched its registers on: otherwise the first such instruction would end the process.
#include "kernels/cpu_features.hpp"

#include <cstdint>

#if defined(__x86_64__) || defined(_M_X64)
#define LOQUAT_X86_64 1
#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <cpuid.h>
#include <immintrin.h>
#endif
#endif

namespace loquat::inline LOQUAT_ABI::kernels {

#if defined(LOQUAT_X86_64)

namespace {

struct CpuidRegisters {
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
};

/// All zero where the processor lacks the leaf.
CpuidRegisters read_cpuid(std::uint32_t leaf) noexcept {
  CpuidRegisters registers;
#if defined(_MSC_VER)
  int values[4];
  __cpuid(values, 0);
  if (static_cast<std::uint32_t>(values[0]) < leaf) return registers;
  __cpuidex(values, static_cast<int>(leaf), 0);
  registers = {static_cast<std::uint32_t>(values[0]), static_cast<std::uint32_t>(values[1]),
               static_cast<std::uint32_t>(values[2]), static_cast<std::uint32_t>(values[3])};
#else
  __get_cpuid_count(leaf, 0, &registers.eax, &registers.ebx, &registers.ecx, &registers.edx);
#endif
  return registers;
}

/// Which register files the operating system saves. The processor must have OSXSAVE.
#if !defined(_MSC_VER)
__attribute__((target("xsave")))
#endif
std::uint64_t
read_xcr0() noexcept {
  return _xgetbv(0);
}

constexpr bool has_all(std::uint64_t bits, std::uint64_t wanted) noexcept {
  return (bits & wanted) == wanted;
}
constexpr std::uint32_t bit(int index) noexcept {
  return std::uint32_t{1} << index;
}

// Leaf 1, ecx
constexpr std::uint32_t kFma = bit(12);
constexpr std::uint32_t kOsxsave = bit(27);
constexpr std::uint32_t kAvx = bit(28);
constexpr std::uint32_t kF16c = bit(29);
// Leaf 7, ebx
constexpr std::uint32_t kAvx2 = bit(5);
constexpr std::uint32_t kAvx512 = bit(16) | bit(17) | bit(28) | bit(30) | bit(31);  // F, DQ, CD, BW, VL
// Leaf 7, ecx
constexpr std::uint32_t kAvx512Vnni = bit(11);
// XCR0
constexpr std::uint64_t kYmmState = 0x6;   // XMM, upper halves of YMM
constexpr std::uint64_t kZmmState = 0xE6;  // those, and masks, upper halves of ZMM0..15, ZMM16..31

}  // namespace

CpuFeatures detect_cpu_features() noexcept {
  CpuFeatures features;
  const CpuidRegisters basic = read_cpuid(1);
  if (!has_all(basic.ecx, kOsxsave)) return features;
  const CpuidRegisters extended = read_cpuid(7);
  const std::uint64_t saved = read_xcr0();
  features.has_avx2 =
      has_all(saved, kYmmState) && has_all(basic.ecx, kFma | kAvx | kF16c) && has_all(extended.ebx, kAvx2);
  features.has_avx512vnni = features.has_avx2 && has_all(saved, kZmmState) && has_all(extended.ebx, kAvx512) &&
                            has_all(extended.ecx, kAvx512Vnni);
  return features;
}

#else

CpuFeatures detect_cpu_features() noexcept {
  return {};
}

#endif

}  // namespace loquat::inline LOQUAT_ABI::kernels
