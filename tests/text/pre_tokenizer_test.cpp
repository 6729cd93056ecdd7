// SPDX-License-Identifier: MIT
// Where each pre-split rule cuts. The recorded references (reference_ids_test) cover more; these show the rules.
#include "text/pre_tokenizer.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/data.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

std::vector<std::string> cut(const char* rule, std::string_view text) {
  const text::PreTokenizerRule* found = text::find_pre_tokenizer(rule);
  REQUIRE(found != nullptr);
  text::PreTokenizer pieces(*found, text);
  std::vector<std::string> all;
  for (std::string_view piece; pieces.next(piece);) all.emplace_back(piece);
  return all;
}
using Pieces = std::vector<std::string>;

}  // namespace

TEST_CASE("pieces of any bytes are not empty and join to the text, under every rule (K2)") {
  LOQUAT_TEST_DATA(data, 21);
  for (const text::PreTokenizerRule& rule : text::pre_tokenizer_rules()) {
    for (int round = 0; round < 200; ++round) {
      std::string text;
      for (std::int64_t n = data.whole(0, 60); n > 0; --n) {
        // Bytes that meet often in text: spaces, newlines, letters, digits, signs, and parts of longer characters.
        constexpr std::string_view kBytes = " \n\r\tab's19.,/\xE2\x80\xA8\xCC\x81\xFF\xC3\xA9";
        text.push_back(
            data.whole(0, 3) == 0
                ? static_cast<char>(data.whole(0, 255))
                : kBytes[static_cast<std::size_t>(data.whole(0, static_cast<std::int64_t>(kBytes.size()) - 1))]);
      }
      std::string joined;
      bool has_empty = false;
      text::PreTokenizer pieces(rule, text);
      for (std::string_view piece; pieces.next(piece);) {
        joined += piece;
        has_empty |= piece.empty();
      }
      if (joined != text || has_empty) FAIL_CHECK(rule.name << " round " << round);
    }
  }
}

TEST_CASE("no rule has more passes than the scanner holds, and names are unique") {
  const auto rules = text::pre_tokenizer_rules();
  for (const text::PreTokenizerRule& rule : rules) {
    CHECK(rule.passes.size() >= 1);
    CHECK(rule.passes.size() <= text::PreTokenizer::kMaxPasses);
    CHECK(text::find_pre_tokenizer(rule.name) == &rule);
  }
  CHECK(text::find_pre_tokenizer("no such rule") == nullptr);
  CHECK(text::find_pre_tokenizer("") == nullptr);
}

TEST_CASE("GPT-2 keeps one space with the word, and contractions in small letters apart (K1)") {
  CHECK(cut("gpt-2", "I'll  go, 'S") == Pieces{"I", "'ll", " ", " go", ",", " '", "S"});
  CHECK(cut("gpt-2", "a\n\n b  ") == Pieces{"a", "\n\n", " b", "  "});
  CHECK(cut("gpt-2", "x123y") == Pieces{"x", "123", "y"});
}

TEST_CASE("digits stand alone, in threes, or together (K1)") {
  CHECK(cut("smollm", "a 1234") == Pieces{"a", " ", "1", "2", "3", "4"});
  CHECK(cut("qwen2", "a 1234") == Pieces{"a", " ", "1", "2", "3", "4"});
  CHECK(cut("llama-bpe", "a 12345") == Pieces{"a", " ", "123", "45"});
  CHECK(cut("falcon", "a 12345") == Pieces{"a", " ", "123", "45"});
}

TEST_CASE(
    "Llama 3 takes one sign into the word, newlines with the signs before them, and white space to its last newline "
    "(K1)") {
  CHECK(cut("llama-bpe", "\"it'S)\n\n  \n  x") == Pieces{"\"it", "'S", ")\n\n", "  \n", " ", " x"});
  CHECK(cut("llama-bpe", "it'\xC5\xBF") == Pieces{"it", "'\xC5\xBF"});
}

TEST_CASE("the letter-case rule ends a word before the next capital that starts one (K1)") {
  CHECK(cut("gpt-4o", "HTTPServer'S parseXML") == Pieces{"HTTPServer'S", " parse", "XML"});
  CHECK(cut("gpt-4o", "CamelCase") == Pieces{"Camel", "Case"});
  CHECK(cut("tekken", "it's") == Pieces{"it", "'s"});
  CHECK(cut("gpt-4o", "\xE2\x91\xA0/\n/a") == Pieces{"\xE2\x91\xA0", "/\n/", "a"});
}

TEST_CASE("marks belong to words where the published pattern says so (K1)") {
  CHECK(cut("qwen2", "e\xCC\x81t") == Pieces{"e", "\xCC\x81t"});
  CHECK(cut("qwen35", "e\xCC\x81t") == Pieces{"e\xCC\x81t"});
  CHECK(cut("gpt-4o", "e\xCC\x81t") == Pieces{"e\xCC\x81t"});
}

TEST_CASE("white space before a letter of another pass is cut once, however long (K3)") {
  const std::string text = std::string(200'000, ' ') + "\xE4\xB8\xAD";
  CHECK(cut("deepseek-llm", text) == Pieces{std::string(200'000, ' '), "\xE4\xB8\xAD"});
}
