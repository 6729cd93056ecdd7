// SPDX-License-Identifier: MIT
// Shapes of the generated Unicode tables; text/unicode.hpp and text/nfc.hpp are the ways to ask them.
#ifndef LOQUAT_TEXT_UNICODE_TABLES_HPP
#define LOQUAT_TEXT_UNICODE_TABLES_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>

namespace loquat::inline LOQUAT_ABI::text::unicode_tables {

inline constexpr std::uint32_t kBlock = 128;  ///< code points per block of the two-stage table

struct Range {
  std::uint32_t first;
  std::uint32_t last;
  std::uint8_t value;
};
struct Decomposition {
  std::uint32_t code_point;
  std::uint32_t first;
  std::uint32_t second;  ///< 0: a single code point
};
struct Composition {
  std::uint32_t first;
  std::uint32_t second;
  std::uint32_t composed;
};

extern const std::uint8_t kCategoryIndex[];  ///< block of every 128 code points from 0 on
extern const std::size_t kCategoryIndex_size;
extern const std::uint8_t kCategoryBlocks[];  ///< [blocks * 128] text::Category
extern const std::size_t kCategoryBlocks_size;
extern const Range kCategoryRanges[];  ///< beyond the index: the rest is unassigned
extern const std::size_t kCategoryRanges_size;
extern const Range kCombiningClasses[];  ///< ascending; elsewhere 0
extern const std::size_t kCombiningClasses_size;
extern const Decomposition kDecompositions[];  ///< canonical, one step, ascending, without Hangul syllables
extern const std::size_t kDecompositions_size;
extern const Composition kCompositions[];  ///< ascending by (first, second), without Hangul syllables
extern const std::size_t kCompositions_size;
extern const Range kNfcUnstable[];  ///< code points that NFC may change where they stand
extern const std::size_t kNfcUnstable_size;

}  // namespace loquat::inline LOQUAT_ABI::text::unicode_tables

#endif  // LOQUAT_TEXT_UNICODE_TABLES_HPP
