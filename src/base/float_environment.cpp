// SPDX-License-Identifier: MIT
#include "base/float_environment.hpp"

#if defined(__x86_64__) || defined(_M_X64) || defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace loquat::inline LOQUAT_ABI {

#if defined(__x86_64__) || defined(_M_X64) || defined(__SSE2__)

// MXCSR: all exceptions masked, round to nearest, no flush-to-zero, no denormals-are-zero.
namespace {
constexpr unsigned kDefaultMode = 0x1F80;
}

FloatEnvironment::FloatEnvironment() noexcept : saved_(_mm_getcsr()) {
  if ((saved_ & ~0x3Fu) != kDefaultMode) _mm_setcsr(kDefaultMode);
}
FloatEnvironment::~FloatEnvironment() {
  _mm_setcsr(static_cast<unsigned>(saved_));
}

#elif defined(__aarch64__)

FloatEnvironment::FloatEnvironment() noexcept {
  saved_ = __builtin_aarch64_get_fpcr();
  __builtin_aarch64_set_fpcr(0);
}
FloatEnvironment::~FloatEnvironment() {
  __builtin_aarch64_set_fpcr(static_cast<unsigned>(saved_));
}

#else

FloatEnvironment::FloatEnvironment() noexcept : saved_(0) {}
FloatEnvironment::~FloatEnvironment() = default;

#endif

}  // namespace loquat::inline LOQUAT_ABI
