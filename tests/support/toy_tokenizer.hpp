// SPDX-License-Identifier: MIT
// The vocabularies of toy models.
#ifndef LOQUAT_TESTS_SUPPORT_TOY_TOKENIZER_HPP
#define LOQUAT_TESTS_SUPPORT_TOY_TOKENIZER_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace loquat_test {

struct ToyVocabularyTables {
  std::vector<std::string> tokens;
  std::vector<std::int32_t> types;  ///< GGUF token_type: 1 normal, 2 unknown, 3 control, 4 user-defined, 6 byte
  std::vector<float> scores;        ///< SPM only
  std::vector<std::string> merges;  ///< BPE only
  std::uint32_t bos = 0;
  std::uint32_t eos = 0;
};

ToyVocabularyTables make_toy_bpe();
ToyVocabularyTables make_toy_spm();

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SUPPORT_TOY_TOKENIZER_HPP
