// SPDX-License-Identifier: MIT
// expect: unused|ignoring|nodiscard
// The same for a Status.
#include <loquat/result.hpp>

loquat::Status work();

bool use() {
#ifdef LOQUAT_WRONG
  work();
  return true;
#else
  return static_cast<bool>(work());
#endif
}
