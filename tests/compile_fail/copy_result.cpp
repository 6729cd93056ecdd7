// SPDX-License-Identifier: MIT
// expect: deleted
// A Result moves its value.
#include <loquat/result.hpp>

bool use(loquat::Result<int>& from) {
#ifdef LOQUAT_WRONG
  const loquat::Result<int> copy = from;
#else
  const loquat::Result<int> copy = static_cast<loquat::Result<int>&&>(from);
#endif
  return copy.has_value();
}
