// SPDX-License-Identifier: MIT
// expect: unused|ignoring|nodiscard
// A Result that nobody looks at is an error that nobody sees.
#include <loquat/cpu.hpp>

void use() {
#ifdef LOQUAT_WRONG
  loquat::parse_level("avx2");
#else
  (void)loquat::parse_level("avx2");
#endif
}
