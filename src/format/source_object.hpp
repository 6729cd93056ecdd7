// SPDX-License-Identifier: MIT
// Making a Source in the host's memory, and what every kind of file source checks first.
#ifndef LOQUAT_FORMAT_SOURCE_OBJECT_HPP
#define LOQUAT_FORMAT_SOURCE_OBJECT_HPP

#include <new>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "format/source.hpp"

namespace loquat::inline LOQUAT_ABI::gguf {

template <class T, class... A>
Result<OwnedSource> make_source(Allocator& allocator, A&&... arguments) noexcept {
  void* block = allocator.allocate(sizeof(T), alignof(T), MemoryTag::metadata);
  if (block == nullptr) return out_of_memory(sizeof(T), "a model file's source");
  return OwnedSource(::new (block) T(std::forward<A>(arguments)...), allocator, sizeof(T), alignof(T));
}

/// Longer than any system takes: Windows stops at 32767 characters, Linux at 4095 bytes.
inline constexpr std::size_t kMostPathBytes = 65536;

/// Errors    invalid_argument: empty, too long, or a zero byte inside, where the system would silently stop reading
inline Status check_path(std::string_view path) noexcept {
  if (path.empty()) return make_error(ErrorCode::invalid_argument, "the path of the model file is empty");
  if (path.size() > kMostPathBytes) {
    return make_error(ErrorCode::invalid_argument, "the path of the model file has {} bytes, at most {} can be used",
                      path.size(), kMostPathBytes);
  }
  if (path.find('\0') == std::string_view::npos) return {};
  return make_error(ErrorCode::invalid_argument, "the path of the model file has a zero byte at index {}",
                    path.find('\0'));
}

}  // namespace loquat::inline LOQUAT_ABI::gguf

#endif  // LOQUAT_FORMAT_SOURCE_OBJECT_HPP
