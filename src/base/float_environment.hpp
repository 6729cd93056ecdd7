// SPDX-License-Identifier: MIT
// Floating-point mode of the calling thread: round to nearest even, denormals kept. Bits must not depend on what the
// host has set (promises D1, H4), so every parallel region runs inside one of these.
#ifndef LOQUAT_BASE_FLOAT_ENVIRONMENT_HPP
#define LOQUAT_BASE_FLOAT_ENVIRONMENT_HPP

#include <loquat/config.hpp>

#include <cstdint>

namespace loquat::inline LOQUAT_ABI {

/// Sets the default mode, and puts the previous one back when it goes.
class FloatEnvironment {
 public:
  FloatEnvironment() noexcept;
  ~FloatEnvironment();
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  std::uint64_t saved_;
};

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_BASE_FLOAT_ENVIRONMENT_HPP
