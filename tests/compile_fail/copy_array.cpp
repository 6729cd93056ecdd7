// SPDX-License-Identifier: MIT
// expect: deleted
// Arrays move; a copy can fail, so it is a call with an answer.
#include <loquat/array.hpp>

bool use(const loquat::Array<int>& from) {
#ifdef LOQUAT_WRONG
  const loquat::Array<int> copy = from;
  return copy.empty();
#else
  loquat::Array<int> copy;
  return copy.copy_from(from);
#endif
}
