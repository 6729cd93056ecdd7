// SPDX-License-Identifier: MIT
// A small byte-level BPE vocabulary for tests of session logic: 256 bytes, a few longer pieces, three control tokens.
#ifndef LOQUAT_TESTS_SUPPORT_TOY_VOCABULARY_HPP
#define LOQUAT_TESTS_SUPPORT_TOY_VOCABULARY_HPP

#include <loquat/tokenizer.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace loquat_test {

/// Ids: a byte is its own value; then the pieces; then the control tokens.
struct ToyVocabulary {
  loquat::Tokenizer tokenizer;
  loquat::Token end_of_text = -1;  ///< "<|end|>": declared end of sequence
  loquat::Token end_of_turn = -1;  ///< "<|im_end|>": not declared, known by its text
  loquat::Token marker = -1;       ///< "<|marker|>": a control token that does not end anything
  std::size_t size = 0;

  /// The id of a piece, or of a single byte.
  loquat::Token id(std::string_view piece) const;
};

/// `pieces` are whole tokens of their own, without merges: only scripts produce them.
ToyVocabulary make_toy_vocabulary(const std::vector<std::string>& pieces);

/// GPT-2's printable spelling of a byte string.
std::string byte_level(std::string_view bytes);

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SUPPORT_TOY_VOCABULARY_HPP
