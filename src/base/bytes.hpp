// SPDX-License-Identifier: MIT
// Little-endian loads and stores that do not care about alignment.
#ifndef LOQUAT_BASE_BYTES_HPP
#define LOQUAT_BASE_BYTES_HPP

#include <loquat/config.hpp>

#include <bit>
#include <cstring>
#include <type_traits>

namespace loquat::inline LOQUAT_ABI {

static_assert(std::endian::native == std::endian::little, "big-endian machines are not supported: GGUF data is used in place");

template <class T>
T load(const void* from) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store(void* to, const T& value) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(to, &value, sizeof value);
}

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_BASE_BYTES_HPP
