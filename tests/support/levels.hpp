// SPDX-License-Identifier: MIT
// Runs a test once for every kernel level that this machine has (promise Q1).
#ifndef LOQUAT_TESTS_SUPPORT_LEVELS_HPP
#define LOQUAT_TESTS_SUPPORT_LEVELS_HPP

#include <loquat/cpu.hpp>

#include "support/catch.hpp"

namespace loquat_test {

/// Calls function(level) for each available level, lowest first; a failing check prints the level's name.
template <class Function>
void for_each_level(Function&& function) {
  for (const loquat::LevelInfo& level : loquat::levels()) {
    if (!level.is_available) continue;
    INFO("level " << level.name);
    function(level.level);
  }
}

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SUPPORT_LEVELS_HPP
