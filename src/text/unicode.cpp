// SPDX-License-Identifier: MIT
// Look-ups in the generated tables: a two-stage table for what is common, binary search for the rest.
#include "text/unicode.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "text/unicode_tables.hpp"

namespace loquat::inline LOQUAT_ABI::text {

namespace {

using unicode_tables::Range;

/// Value of the range that holds the code point, or `otherwise`. Ranges ascend and do not overlap.
std::uint8_t value_in(std::span<const Range> ranges, std::uint32_t code_point, std::uint8_t otherwise) noexcept {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), code_point,
                                      [](std::uint32_t value, const Range& range) { return value < range.first; });
  if (after == ranges.begin()) return otherwise;
  const Range& range = *(after - 1);
  return code_point <= range.last ? range.value : otherwise;
}

}  // namespace

Category category_of(std::uint32_t code_point) noexcept {
  const std::size_t block = code_point / unicode_tables::kBlock;
  if (block < unicode_tables::kCategoryIndex_size) {
    const std::size_t begin = std::size_t{unicode_tables::kCategoryIndex[block]} * unicode_tables::kBlock;
    return static_cast<Category>(unicode_tables::kCategoryBlocks[begin + code_point % unicode_tables::kBlock]);
  }
  const std::span<const Range> ranges(unicode_tables::kCategoryRanges, unicode_tables::kCategoryRanges_size);
  return static_cast<Category>(value_in(ranges, code_point, static_cast<std::uint8_t>(Category::other)));
}

bool is_white_space(std::uint32_t code_point) noexcept {
  if (code_point < 0x80) return code_point == ' ' || (code_point >= 9 && code_point <= 13);
  return code_point == 0x85 || category_of(code_point) == Category::separator;
}

std::uint8_t combining_class(std::uint32_t code_point) noexcept {
  if (code_point < 0x300) return 0;  // U+0300 is the first mark
  return value_in({unicode_tables::kCombiningClasses, unicode_tables::kCombiningClasses_size}, code_point, 0);
}

}  // namespace loquat::inline LOQUAT_ABI::text
