// SPDX-License-Identifier: MIT
// expect: deleted
// A StopRef of a temporary StopToken would dangle at once.
#include <loquat/host.hpp>

bool use() {
  loquat::StopToken token;
#ifdef LOQUAT_WRONG
  const loquat::StopRef stop = loquat::StopToken();
#else
  const loquat::StopRef stop = token;
#endif
  return stop.is_requested() || token.is_requested();
}
