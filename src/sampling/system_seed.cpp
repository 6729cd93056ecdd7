// SPDX-License-Identifier: MIT
// Direct system calls: std::random_device may throw, allocate or give the same numbers each time.
#include "sampling/system_seed.hpp"

#if defined(_WIN32)
#include <windows.h>
// bcrypt.h needs the types of windows.h.
#include <bcrypt.h>
#elif defined(__linux__)
#include <sys/random.h>
#else
#include <stdlib.h>
#endif

#include "base/error.hpp"

namespace loquat::inline LOQUAT_ABI::sampling {

namespace {

bool fill_randomly(std::uint64_t& bits) noexcept {
#if defined(_WIN32)
  return BCryptGenRandom(nullptr, reinterpret_cast<unsigned char*>(&bits), sizeof bits,
                         BCRYPT_USE_SYSTEM_PREFERRED_RNG) == 0;
#elif defined(__linux__)
  return getrandom(&bits, sizeof bits, 0) == static_cast<long>(sizeof bits);
#else
  arc4random_buf(&bits, sizeof bits);
  return true;
#endif
}

}  // namespace

Result<std::uint64_t> system_seed() noexcept {
  std::uint64_t bits = 0;
  if (!fill_randomly(bits)) {
    return make_error(ErrorCode::io, "a random seed was asked for, but the operating system gave no random bytes");
  }
  return bits;
}

}  // namespace loquat::inline LOQUAT_ABI::sampling
