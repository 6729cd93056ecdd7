// SPDX-License-Identifier: MIT
// Unicode Normalization Form C (UAX #15) over UTF-8. Some published tokenizers apply it to text before splitting it.
#ifndef LOQUAT_TEXT_NFC_HPP
#define LOQUAT_TEXT_NFC_HPP

#include <loquat/array.hpp>

#include <string_view>

namespace loquat::inline LOQUAT_ABI::text {

/// Whether normalizing is worth a try: false where no code point can change (most text), and where the text is not
/// UTF-8. Such text is not normalized at all, so that its bytes come back as they went in (promise K2).
///
/// Cost      O(text)
bool needs_nfc(std::string_view text) noexcept;

/// Replaces `normalized` by the NFC of `text`. Bytes that are not UTF-8 stay as they are, and nothing composes across them.
/// False when memory ran out.
///
/// Cost      O(text), also for a run of marks of any length (sorted by counting)
[[nodiscard]] bool normalize_nfc(std::string_view text, String& normalized) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::text

#endif  // LOQUAT_TEXT_NFC_HPP
