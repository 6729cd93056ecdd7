// SPDX-License-Identifier: MIT
// expect: could not convert|no viable|cannot convert|conversion
// A Result does not turn into a bool by itself: `bool ok = call();` would hide which error it was.
#include <loquat/result.hpp>

bool use(const loquat::Result<int>& result) {
#ifdef LOQUAT_WRONG
  const bool is_good = result;
#else
  const bool is_good = static_cast<bool>(result);
#endif
  return is_good;
}
