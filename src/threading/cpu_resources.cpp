// SPDX-License-Identifier: MIT
// How many threads this process should use, and what that is derived from on each system.
#include "threading/cpu_resources.hpp"

#if defined(__linux__)
#include <sched.h>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#elif defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <unistd.h>
#endif

namespace loquat::inline LOQUAT_ABI {

std::uint32_t default_thread_count(const CpuResources& resources) noexcept {
  std::uint32_t count = 0;
  const auto limit_to = [&count](std::uint32_t cores) noexcept {
    if (cores != 0 && (count == 0 || cores < count)) count = cores;
  };
  limit_to(resources.affinity_cores);
  limit_to(resources.performance_cores);
  limit_to(resources.physical_cores);
  // A quota is rounded down: the last part of a core would stop all threads at the end of every period.
  const double quota = resources.quota_cores;
  if (quota > 0 && quota < 4294967295.0) limit_to(quota < 1 ? 1 : static_cast<std::uint32_t>(quota));
  return count == 0 ? 1 : count;
}

#if defined(__linux__)

CpuResources query_cpu_resources() noexcept {
  unsigned long mask[kMostProcessors / (8 * sizeof(unsigned long))] = {};
  ProcessorSet allowed;
  if (sched_getaffinity(0, sizeof mask, reinterpret_cast<cpu_set_t*>(mask)) == 0) {
    constexpr std::size_t kBits = 8 * sizeof(unsigned long);
    for (std::size_t i = 0; i < kMostProcessors; ++i) allowed[i] = (mask[i / kBits] >> (i % kBits) & 1) != 0;
  }
  return read_linux_resources("", allowed);
}

#elif defined(__APPLE__)

namespace {
std::uint32_t read_sysctl(const char* name) noexcept {
  std::int32_t value = 0;
  std::size_t size = sizeof value;
  return sysctlbyname(name, &value, &size, nullptr, 0) == 0 && value > 0 ? static_cast<std::uint32_t>(value) : 0;
}
}  // namespace

CpuResources query_cpu_resources() noexcept {
  return {.affinity_cores = read_sysctl("hw.logicalcpu"),
          .performance_cores = read_sysctl("hw.perflevel0.physicalcpu"),
          .physical_cores = read_sysctl("hw.physicalcpu")};
}

#elif defined(_WIN32)

CpuResources query_cpu_resources() noexcept {
  CpuResources resources;
  DWORD_PTR allowed = 0;
  DWORD_PTR machine = 0;
  if (!GetProcessAffinityMask(GetCurrentProcess(), &allowed, &machine)) return resources;
  for (DWORD_PTR mask = allowed; mask != 0; mask &= mask - 1) ++resources.affinity_cores;

  // One record a core; EfficiencyClass is higher for faster cores and 0 where all are alike.
  constexpr DWORD kBytes = 32768;
  alignas(SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX) char buffer[kBytes];
  DWORD size = kBytes;
  auto* first = reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(buffer);
  if (!GetLogicalProcessorInformationEx(RelationProcessorCore, first, &size)) return resources;
  BYTE fastest = 0;
  for (DWORD at = 0; at < size;) {
    const auto& core = *reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(buffer + at);
    at += core.Size;
    if ((core.Processor.GroupMask[0].Mask & allowed) == 0) continue;
    ++resources.physical_cores;
    const BYTE speed = core.Processor.EfficiencyClass;
    if (speed > fastest) resources.performance_cores = 0;
    if (speed > fastest) fastest = speed;
    if (speed == fastest && fastest != 0) ++resources.performance_cores;
  }
  return resources;
}

#else

CpuResources query_cpu_resources() noexcept {
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return {.affinity_cores = online > 0 ? static_cast<std::uint32_t>(online) : 0};
}

#endif

}  // namespace loquat::inline LOQUAT_ABI
