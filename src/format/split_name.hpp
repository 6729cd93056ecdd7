// SPDX-License-Identifier: MIT
// Names of the files of a split model: "model-00002-of-00005.gguf" (llama.cpp, gguf-split).
#ifndef LOQUAT_FORMAT_SPLIT_NAME_HPP
#define LOQUAT_FORMAT_SPLIT_NAME_HPP

#include <loquat/array.hpp>

#include <cstdint>
#include <string_view>

namespace loquat::inline LOQUAT_ABI::gguf {

struct SplitName {
  std::string_view prefix;   ///< everything before "-00002-of-00005.gguf"
  std::uint32_t number = 0;  ///< from 1, as written
  std::uint32_t count = 0;
};

/// The most files that five digits can number.
inline constexpr std::uint32_t kMostParts = 99999;

/// False where the name does not have the form.
bool parse_split_name(std::string_view path, SplitName& name) noexcept;
/// Appends the path of part `number` (from 1); false when memory ran out.
///
/// Requires  number and count at most kMostParts
[[nodiscard]] bool make_split_name(std::string_view prefix, std::uint32_t number, std::uint32_t count,
                                   String& path) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::gguf

#endif  // LOQUAT_FORMAT_SPLIT_NAME_HPP
