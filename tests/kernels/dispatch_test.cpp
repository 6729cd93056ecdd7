// SPDX-License-Identifier: MIT
#include <set>
#include <string>

#include "kernels/cpu_features.hpp"
#include "kernels/kernels.hpp"
#include "support/catch.hpp"

using namespace loquat;

TEST_CASE("levels are listed ascending, each with a name that is parsed back (B4)") {
  std::set<std::string> names;
  Level last = Level::automatic;
  for (const LevelInfo& info : levels()) {
    CHECK(info.level > last);
    last = info.level;
    CHECK(names.insert(info.name).second);
    CHECK(std::string(to_string(info.level)) == info.name);
    const Result<Level> parsed = parse_level(info.name);
    REQUIRE(parsed);
    CHECK(*parsed == info.level);
  }
  REQUIRE(parse_level("automatic"));
  CHECK(*parse_level("automatic") == Level::automatic);
  CHECK(std::string(to_string(Level::automatic)) == "automatic");
}

TEST_CASE("an available level is built and has a table of its own, any other has none (B5)") {
  std::set<const kernels::KernelTable*> tables;
  for (const LevelInfo& info : levels()) {
    CAPTURE(info.name);
    const kernels::KernelTable* table = kernels::find_kernels(info.level);
    CHECK((table != nullptr) == info.is_available);
    if (info.is_available) {
      CHECK(info.is_built);
      CHECK(table->level == info.level);
      CHECK(tables.insert(table).second);
    }
  }
}

TEST_CASE("the reference level is always there, and automatic is the highest available level") {
  CHECK(levels().front().level == Level::reference);
  CHECK(levels().front().is_available);
  Level highest = Level::reference;
  for (const LevelInfo& info : levels()) {
    if (info.is_available) highest = info.level;
  }
  CHECK(best_level() == highest);
  CHECK(kernels::find_kernels(Level::automatic) == kernels::find_kernels(highest));
}

TEST_CASE("an unknown level's name is refused with the names that exist") {
  for (const char* name : {"", "AVX2", "avx", "avx2 ", "sse9"}) {
    const Result<Level> parsed = parse_level(name);
    REQUIRE(!parsed);
    CHECK(parsed.error().code() == ErrorCode::invalid_argument);
    for (const LevelInfo& info : levels()) CHECK(parsed.error().message().find(info.name) != std::string_view::npos);
  }
}

#if defined(__x86_64__) && defined(__GNUC__)
TEST_CASE("detected instruction sets equal those the compiler's run-time finds") {
  const kernels::CpuFeatures features = kernels::detect_cpu_features();
  const bool has_avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  const bool has_avx512vnni = has_avx2 && __builtin_cpu_supports("avx512f") != 0 &&
                              __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512cd") != 0 &&
                              __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
                              __builtin_cpu_supports("avx512vnni") != 0;
  CHECK(features.has_avx2 == has_avx2);
  CHECK(features.has_avx512vnni == has_avx512vnni);
}
#endif
