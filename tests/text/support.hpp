// SPDX-License-Identifier: MIT
// Vocabularies and recorded cases for the tests of this folder.
#ifndef LOQUAT_TESTS_TEXT_SUPPORT_HPP
#define LOQUAT_TESTS_TEXT_SUPPORT_HPP

#include <loquat/tokenizer.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/toy_tokenizer.hpp"
#include "text/vocabulary.hpp"

namespace loquat_test {

using Ids = std::vector<loquat::Token>;

/// A vocabulary in memory that can be changed before the tokenizer is made.
struct Vocabulary {
  std::string model = "gpt2";
  std::optional<std::string> pre = "gpt-2";
  ToyVocabularyTables tables;
  loquat::SpecialTokens special;
  std::optional<bool> add_space_prefix;
  loquat::Token eot = -1;

  /// The toy vocabularies, with their special ids.
  static Vocabulary bpe(std::string pre = "gpt-2");
  static Vocabulary spm();
  loquat::Token add(std::string spelling, std::int32_t type, float score = 0);
  loquat::Result<loquat::Tokenizer> make(loquat::Allocator& allocator = loquat::default_allocator(),
                                         loquat::text::BuildReport* report = nullptr) const;
  /// Fails the test where it cannot be made.
  loquat::Tokenizer made() const;
};

/// The published vocabularies beside the checkout. Fails the test where one does not load.
loquat::Tokenizer load_vocabulary(const std::filesystem::path& vectors, const std::string& name);

/// One line of NAME.cases.jsonl.
struct Case {
  std::string text;
  Ids ids;
  Ids ids_without_nfc;  ///< `ids` where the line has none
  std::string decoded;  ///< `text` where the line has none
  bool parse_special = false;
  std::string group;
};
std::vector<Case> read_cases(const std::filesystem::path& path);

/// Empty ids stand for an error, which fails the test.
Ids encode(const loquat::Tokenizer& tokenizer, std::string_view text, const loquat::EncodeOptions& options = {});
std::string decode(const loquat::Tokenizer& tokenizer, const Ids& ids, const loquat::DecodeOptions& options = {});
/// All pieces of a stream, joined, with the final flush.
std::string stream(const loquat::Tokenizer& tokenizer, const Ids& ids, const loquat::DecodeOptions& options = {});
/// `bytes` with ill-formed parts as U+FFFD, by another way than the library's: the table of well-formed sequences.
std::string replace_ill_formed(std::string_view bytes);

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_TEXT_SUPPORT_HPP
