// SPDX-License-Identifier: MIT
// Which ids end a generation (promise K9).
#ifndef LOQUAT_TEXT_END_OF_GENERATION_HPP
#define LOQUAT_TEXT_END_OF_GENERATION_HPP

#include <loquat/array.hpp>

#include "text/token_table.hpp"
#include "text/vocabulary.hpp"

namespace loquat::inline LOQUAT_ABI::text {

/// Declared ids (eos, eot, eom) and control tokens with the text of a known end of turn; ascending, without repeats.
/// False when memory ran out.
[[nodiscard]] bool find_end_of_generation(const TokenTable& table, const VocabularySource& source,
                                          Array<Token>& ids) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::text

#endif  // LOQUAT_TEXT_END_OF_GENERATION_HPP
