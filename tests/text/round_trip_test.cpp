// SPDX-License-Identifier: MIT
// What goes in comes out: random bytes, spaces, long tokens, streams of any ids.
#include <string>

#include "base/utf8.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "text/support.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

std::string random_bytes(Data& data, std::size_t n) {
  std::string text;
  for (const std::byte byte : data.bytes(n)) text.push_back(static_cast<char>(byte));
  return text;
}

/// Letters, marks, spaces and signs of many scripts, with broken bytes between.
std::string random_text(Data& data, std::size_t n) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i) {
    char bytes[4];
    switch (data.whole(0, 5)) {
      case 0: text += ' '; break;
      case 1: text += static_cast<char>(data.whole(0, 127)); break;
      case 2: text.append(bytes, utf8::encode(static_cast<std::uint32_t>(data.whole(0x80, 0xD7FF)), bytes)); break;
      case 3: text.append(bytes, utf8::encode(static_cast<std::uint32_t>(data.whole(0xE000, 0x10FFFF)), bytes)); break;
      case 4: text.append(bytes, utf8::encode(static_cast<std::uint32_t>(data.whole(0x300, 0x36F)), bytes)); break;
      default: text += static_cast<char>(data.whole(128, 255)); break;
    }
  }
  return text;
}

const char* const kRules[] = {"gpt-2",  "smollm",         "llama-bpe",   "qwen2",       "qwen35",
                              "gpt-4o", "tekken",         "mpt",         "falcon",      "default",
                              "refact", "deepseek-coder", "deepseek-v3", "deepseek-llm"};

}  // namespace

TEST_CASE("byte-level BPE gives random bytes back under every pre-split rule (K2, K7)") {
  for (const char* rule : kRules) {
    const Tokenizer tokenizer = Vocabulary::bpe(rule).made();
    LOQUAT_TEST_DATA(data, 7);
    for (int round = 0; round < 300; ++round) {
      const std::string text = round % 2 == 0 ? random_bytes(data, 80) : random_text(data, 60);
      const Ids ids = encode(tokenizer, text, {.normalize = false});
      if (decode(tokenizer, ids) != text) FAIL_CHECK(rule << " round " << round);
      if (stream(tokenizer, ids) != replace_ill_formed(text)) FAIL_CHECK(rule << " streamed, round " << round);
    }
  }
}

TEST_CASE("SentencePiece gives random bytes back, the space mark read as a space (K2, K7)") {
  for (const bool prefix : {true, false}) {
    Vocabulary vocabulary = Vocabulary::spm();
    vocabulary.add_space_prefix = prefix;
    const Tokenizer tokenizer = vocabulary.made();
    LOQUAT_TEST_DATA(data, 8);
    for (int round = 0; round < 500; ++round) {
      const std::string text = round % 2 == 0 ? random_bytes(data, 80) : random_text(data, 60);
      if (text.find("\xE2\x96\x81") != std::string::npos || text.find("<tool>") != std::string::npos) continue;
      const Ids ids = encode(tokenizer, text);
      if (decode(tokenizer, ids) != text) FAIL_CHECK("round " << round);
      if (stream(tokenizer, ids) != replace_ill_formed(text)) FAIL_CHECK("streamed, round " << round);
    }
  }
}

TEST_CASE("leading spaces survive: BPE exactly, SentencePiece by its one dummy space (K7, report 18)") {
  const Tokenizer bpe = Vocabulary::bpe().made();
  const Tokenizer spm = Vocabulary::spm().made();
  for (const std::string text : {"", " ", "  ", "\t", "\n", " and", "  and", "and ", "\n\n and"}) {
    CHECK(decode(bpe, encode(bpe, text)) == text);
    CHECK(decode(spm, encode(spm, text)) == text);
    CHECK(stream(spm, encode(spm, text)) == text);
    if (!text.empty()) CHECK(decode(spm, encode(spm, text), {.keep_leading_space = true}) == " " + text);
  }
  CHECK(encode(spm, "").empty());
}

TEST_CASE("text behind a special token gets its own dummy space in SentencePiece (report 17)") {
  const Tokenizer tokenizer = Vocabulary::spm().made();
  const Ids ids = encode(tokenizer, "the<s>the", {.special = Special::tokens});
  const Token the = tokenizer.find("\xE2\x96\x81the");
  CHECK(ids == Ids{the, 1, the});
  CHECK(encode(tokenizer, "<s>  the", {.special = Special::tokens}) ==
        Ids{1, tokenizer.find("\xE2\x96\x81\xE2\x96\x81"), the});
}

TEST_CASE("tokens of any length come back whole (K10, report 20)") {
  Vocabulary vocabulary = Vocabulary::bpe();
  std::string spaces;
  for (int i = 0; i < 64; ++i) spaces += "\xC4\xA0";
  const Token wide = vocabulary.add(spaces, 1);
  const std::string name(300, 'n');
  const Token named = vocabulary.add(name, 4);
  const Tokenizer tokenizer = vocabulary.made();
  CHECK(decode(tokenizer, {wide}) == std::string(64, ' '));
  CHECK(decode(tokenizer, {named}) == name);
  CHECK(stream(tokenizer, {wide, named}) == std::string(64, ' ') + name);
  CHECK(encode(tokenizer, "a" + name + "a").size() == 3);
}

TEST_CASE("a byte without a token vanishes and is counted (K2)") {
  Vocabulary vocabulary = Vocabulary::bpe();
  vocabulary.tables.tokens[static_cast<std::size_t>('x')] = "[not x]";
  text::BuildReport report;
  REQUIRE(vocabulary.make(default_allocator(), &report));
  CHECK(report.bytes_without_token == 1);
  const Tokenizer tokenizer = vocabulary.made();
  CHECK(decode(tokenizer, encode(tokenizer, "axbxx")) == "ab");
  Array<Token> ids;
  text::EncodeReport encoded;
  REQUIRE(text::encode_into(tokenizer, "axbxx", {}, {}, ids, &encoded));
  CHECK(encoded.bytes_without_token == 3);
}

TEST_CASE("without byte tokens an unknown character becomes the unknown token, or vanishes and is counted (K2)") {
  Vocabulary vocabulary = Vocabulary::spm();
  for (auto& type : vocabulary.tables.types) type = type == 6 ? 5 : type;
  CHECK(encode(vocabulary.made(), "\xE6\x97\xA5") == Ids{vocabulary.made().find("\xE2\x96\x81"), 0});
  vocabulary.special.unknown = -1;
  vocabulary.tables.types[0] = 1;
  const Tokenizer tokenizer = vocabulary.made();
  Array<Token> ids;
  text::EncodeReport encoded;
  REQUIRE(text::encode_into(tokenizer, "\xE6\x97\xA5", {}, {}, ids, &encoded));
  CHECK(encoded.bytes_without_token == 3);
}
