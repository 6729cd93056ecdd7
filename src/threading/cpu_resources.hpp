// SPDX-License-Identifier: MIT
// How query_cpu_resources() reads Linux: from the files under /proc and /sys, which tests replace by a folder
// of their own. Only reads; numbers that cannot be read stay unknown.
#ifndef LOQUAT_THREADING_CPU_RESOURCES_HPP
#define LOQUAT_THREADING_CPU_RESOURCES_HPP

#include <loquat/cpu.hpp>

#include <bitset>
#include <cstddef>
#include <string_view>

namespace loquat::inline LOQUAT_ABI {

/// Most logical processors that are looked at.
inline constexpr std::size_t kMostProcessors = 4096;
using ProcessorSet = std::bitset<kMostProcessors>;

/// "0-3,8,10-11" as a set; false for anything else. Ids beyond the set are left out.
bool parse_processor_list(std::string_view text, ProcessorSet& set) noexcept;
/// Cores of cgroup v2's cpu.max, "200000 100000" -> 2.0; 0 for "max 100000" or anything else.
double parse_cpu_max(std::string_view text) noexcept;

/// The container's quota in cores: the least of all groups from this process's own up to the root, v2 and v1;
/// 0: none. `root` is "" for the machine itself.
double read_cgroup_quota(std::string_view root) noexcept;
/// Fills quota, physical and performance cores, counting only processors in `allowed`.
CpuResources read_linux_resources(std::string_view root, const ProcessorSet& allowed) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_THREADING_CPU_RESOURCES_HPP
