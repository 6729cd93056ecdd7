// SPDX-License-Identifier: MIT
#ifndef LOQUAT_CPU_HPP
#define LOQUAT_CPU_HPP

#include <loquat/config.hpp>
#include <loquat/result.hpp>

#include <cstdint>
#include <span>
#include <string_view>

// Which instruction sets the kernels were built for, which this machine has, and which one a model uses.
// Every level gives the same bits (promise D2); forcing a lower one is for tests and for comparing.
//
//   for (const loquat::LevelInfo& level : loquat::levels()) put(level.name);
//   auto model = loquat::Model::load("model.gguf", {.level = loquat::Level::avx2});

namespace loquat::inline LOQUAT_ABI {

/// Kernel levels in ascending order of preference. `automatic` is the best one available.
enum class Level : std::uint8_t { automatic, reference, baseline, avx2, avx512vnni };

struct LevelInfo {
  Level level;
  const char* name;   ///< "avx2"
  bool is_built;      ///< compiled into this library
  bool is_available;  ///< built, and this machine can run it
};

/// All levels but `automatic`, ascending.
LOQUAT_API std::span<const LevelInfo> levels() noexcept;
/// The level that `automatic` stands for on this machine.
LOQUAT_API Level best_level() noexcept;
LOQUAT_API const char* to_string(Level level) noexcept;
/// Errors    invalid_argument: no such name; the message lists the names
LOQUAT_API Result<Level> parse_level(std::string_view name) noexcept;

/// Numbers that default_thread_count() decides by; zero or negative means unknown.
struct CpuResources {
  std::uint32_t affinity_cores = 0;     ///< logical processors this process may run on
  double quota_cores = 0;               ///< container quota in cores, e.g. 7.65; 0: none
  std::uint32_t performance_cores = 0;  ///< fast cores of a hybrid processor; 0: all alike
  std::uint32_t physical_cores = 0;     ///< cores without their second hardware threads
};
/// Reads affinity mask, cgroup quota and core kinds. Never changes them.
LOQUAT_API CpuResources query_cpu_resources() noexcept;
/// min(affinity, floor(quota), performance cores, physical cores), each where known, and at least 1 (promise T3).
LOQUAT_API std::uint32_t default_thread_count(const CpuResources& resources) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_CPU_HPP
