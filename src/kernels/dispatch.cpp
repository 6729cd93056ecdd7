// SPDX-License-Identifier: MIT
// Levels: which are built, which this machine can run, which is best. The only file that knows all of them; CMake
// defines LOQUAT_HAS_LEVEL_NAME for each level that is compiled in. Nothing is stored: a level is looked up when a model
// is loaded, and the model keeps the table's address.
#include <cstddef>

#include "base/error.hpp"
#include "kernels/cpu_features.hpp"
#include "kernels/kernels.hpp"
#include "kernels/reference/parts.hpp"
#if defined(LOQUAT_HAS_LEVEL_BASELINE)
#include "kernels/baseline/parts.hpp"
#endif
#if defined(LOQUAT_HAS_LEVEL_AVX2)
#include "kernels/avx2/parts.hpp"
#endif
#if defined(LOQUAT_HAS_LEVEL_AVX512VNNI)
#include "kernels/avx512vnni/parts.hpp"
#endif

namespace loquat::inline LOQUAT_ABI {
namespace {

using kernels::KernelTable;

struct LevelEntry {
  Level level;
  const char* name;
  const KernelTable* table;  ///< null: not built
  bool is_built;             ///< said apart: under GCC's sanitizers an address compared with null is no constant
};

// clang-format off
/// Ascending: the last one that is available is the best. Each level needs what the one before it needs.
constexpr LevelEntry kEntries[] = {
    {Level::reference, "reference", &kernels::reference::table, true},
#if defined(LOQUAT_HAS_LEVEL_BASELINE)
    {Level::baseline, "baseline", &kernels::baseline::table, true},
#else
    {Level::baseline, "baseline", nullptr, false},
#endif
#if defined(LOQUAT_HAS_LEVEL_AVX2)
    {Level::avx2, "avx2", &kernels::avx2::table, true},
#else
    {Level::avx2, "avx2", nullptr, false},
#endif
#if defined(LOQUAT_HAS_LEVEL_AVX512VNNI)
    {Level::avx512vnni, "avx512vnni", &kernels::avx512vnni::table, true},
#else
    {Level::avx512vnni, "avx512vnni", nullptr, false},
#endif
};
// clang-format on
constexpr std::size_t kLevels = sizeof kEntries / sizeof kEntries[0];

constexpr bool entries_are_in_order() noexcept {
  for (std::size_t i = 0; i < kLevels; ++i) {
    if (static_cast<std::size_t>(kEntries[i].level) != i + 1) return false;
  }
  return true;
}
static_assert(entries_are_in_order(), "entry i must be level i + 1");

/// The highest level that this machine's instructions suffice for, built or not.
Level highest_runnable() noexcept {
  const kernels::CpuFeatures features = kernels::detect_cpu_features();
  if (features.has_avx512vnni) return Level::avx512vnni;
  return features.has_avx2 ? Level::avx2 : Level::baseline;
}

/// What levels() answers on a machine whose highest runnable level is given.
struct LevelList {
  LevelInfo infos[kLevels];
};

constexpr LevelList list_for(Level highest) noexcept {
  LevelList list{};
  for (std::size_t i = 0; i < kLevels; ++i) {
    const LevelEntry& entry = kEntries[i];
    list.infos[i] = {entry.level, entry.name, entry.is_built, entry.is_built && entry.level <= highest};
  }
  return list;
}

constexpr LevelList kUpToBaseline = list_for(Level::baseline);
constexpr LevelList kUpToAvx2 = list_for(Level::avx2);
constexpr LevelList kUpToAvx512Vnni = list_for(Level::avx512vnni);

}  // namespace

std::span<const LevelInfo> levels() noexcept {
  switch (highest_runnable()) {
    case Level::avx512vnni:
      return kUpToAvx512Vnni.infos;
    case Level::avx2:
      return kUpToAvx2.infos;
    default:
      return kUpToBaseline.infos;
  }
}

Level best_level() noexcept {
  Level best = Level::reference;
  for (const LevelInfo& info : levels()) {
    if (info.is_available) best = info.level;
  }
  return best;
}

const char* to_string(Level level) noexcept {
  for (const LevelEntry& entry : kEntries) {
    if (entry.level == level) return entry.name;
  }
  return "automatic";
}

Result<Level> parse_level(std::string_view name) noexcept {
  if (name == "automatic") return Level::automatic;
  for (const LevelEntry& entry : kEntries) {
    if (name == entry.name) return entry.level;
  }
  return make_error(ErrorCode::invalid_argument,
                    "expected a level (automatic, reference, baseline, avx2, avx512vnni), found \"{}\"",
                    fmt::string_view(name.data(), name.size()));
}

namespace kernels {

const KernelTable* find_kernels(Level level) noexcept {
  if (level == Level::automatic) level = best_level();
  for (const LevelInfo& info : levels()) {
    if (info.level == level && info.is_available) return kEntries[static_cast<std::size_t>(level) - 1].table;
  }
  return nullptr;
}

}  // namespace kernels

}  // namespace loquat::inline LOQUAT_ABI
