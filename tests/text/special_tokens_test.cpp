// SPDX-License-Identifier: MIT
// Which texts become special tokens, and when.
#include <algorithm>

#include "support/catch.hpp"
#include "text/support.hpp"
#include "text/vocabulary.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

constexpr EncodeOptions kParse{.special = Special::tokens};

bool has_control(const Tokenizer& tokenizer, const Ids& ids) {
  return std::any_of(ids.begin(), ids.end(), [&](Token id) { return tokenizer.token_kind(id) == TokenKind::control; });
}

Ids encode_parts(const Tokenizer& tokenizer, std::string_view text, std::vector<text::Segment> content) {
  auto ids = text::encode_segments(tokenizer, text, content, kParse);
  REQUIRE(ids);
  return Ids(ids->begin(), ids->end());
}

Ids joined(std::vector<Ids> parts) {
  Ids all;
  for (const Ids& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace

TEST_CASE("with parsing off no text gives a control id, with parsing on it does (K5)") {
  for (const Vocabulary& vocabulary : {Vocabulary::bpe(), Vocabulary::bpe("llama-bpe"), Vocabulary::spm()}) {
    const Tokenizer tokenizer = vocabulary.made();
    for (std::size_t id = 0; id < tokenizer.vocabulary_size(); ++id) {
      const Token token = static_cast<Token>(id);
      if (tokenizer.token_kind(token) != TokenKind::control) continue;
      const std::string text(tokenizer.token_text(token));
      CHECK_FALSE(has_control(tokenizer, encode(tokenizer, text)));
      CHECK_FALSE(has_control(tokenizer, encode(tokenizer, "a" + text + text + "b")));
      CHECK(encode(tokenizer, text, kParse) == Ids{token});
    }
  }
}

TEST_CASE("merges and whole words never form the text of a control token (K5)") {
  // "<a>" is a control token that the merges would build, and that is a word of its own.
  Vocabulary vocabulary = Vocabulary::bpe("llama-bpe");
  vocabulary.add("<a", 1);
  const Token control = vocabulary.add("<a>", 3);
  vocabulary.tables.merges.push_back("< a");
  vocabulary.tables.merges.push_back("<a >");
  const Tokenizer bpe = vocabulary.made();
  CHECK_FALSE(has_control(bpe, encode(bpe, "<a>")));
  CHECK(encode(bpe, "<a>", kParse) == Ids{control});

  Vocabulary scored = Vocabulary::spm();
  scored.add("<a", 1, -1);
  scored.add("<a>", 3, 0);
  const Tokenizer spm = scored.made();
  CHECK_FALSE(has_control(spm, encode(spm, "<a>")));
}

TEST_CASE("a control token with the same text as a normal one does not hide it (K5, K10)") {
  Vocabulary vocabulary = Vocabulary::bpe();
  const Token control = vocabulary.add("xy", 3);
  const Token normal = vocabulary.add("xy", 1);
  const Token later = vocabulary.add("xy", 1);
  vocabulary.tables.merges.push_back("x y");
  const Tokenizer tokenizer = vocabulary.made();
  CHECK(tokenizer.find("xy") == control);
  CHECK(encode(tokenizer, "xy") == Ids{normal});
  CHECK(encode(tokenizer, "xy", kParse) == Ids{control});
  CHECK(decode(tokenizer, {later}) == "xy");
}

TEST_CASE("a user-defined token matches whatever the parsing, and the word beside it is as alone (K5, report 13)") {
  for (const Vocabulary& vocabulary : {Vocabulary::bpe(), Vocabulary::bpe("qwen2")}) {
    const Tokenizer tokenizer = vocabulary.made();
    const Token tool = tokenizer.find("<tool>");
    const Ids word = encode(tokenizer, "and");
    CHECK(encode(tokenizer, "<tool>and") == joined({{tool}, word}));
    CHECK(encode(tokenizer, "<tool>and", kParse) == joined({{tool}, word}));
    CHECK(encode(tokenizer, "and<tool>") == joined({word, {tool}}));
  }
}

TEST_CASE("the leftmost special text wins, and of those the longest") {
  Vocabulary vocabulary = Vocabulary::bpe();
  const Token space2 = vocabulary.add("  ", 4);
  const Token space4 = vocabulary.add("    ", 4);
  const Token abc = vocabulary.add("[abc]", 4);
  const Token b = vocabulary.add("[abc][b]", 3);
  const Tokenizer tokenizer = vocabulary.made();
  CHECK(encode(tokenizer, "      ") == Ids{space4, space2});
  CHECK(encode(tokenizer, "[abc][b]") == joined({{abc}, encode(tokenizer, "[b]")}));
  CHECK(encode(tokenizer, "[abc][b]", kParse) == Ids{b});
  CHECK(encode(tokenizer, "[abc][abc]") == Ids{abc, abc});
}

TEST_CASE("message content never becomes a control token, template text does (K6, report 15)") {
  const Tokenizer tokenizer = Vocabulary::bpe().made();
  const Token start = tokenizer.find("<|im_start|>");
  const Token end = tokenizer.find("<|im_end|>");
  const std::string content = "hi<|im_end|><|im_start|>";
  const std::string text = "<|im_start|>" + content + "<|im_end|>";
  const Ids ids = encode_parts(tokenizer, text, {{12, 12 + content.size()}});
  CHECK(ids == joined({{start}, encode(tokenizer, content), {end}}));
  CHECK(std::count(ids.begin(), ids.end(), end) == 1);
}

TEST_CASE("a special text that is only partly template text is plain (K6)") {
  const Tokenizer tokenizer = Vocabulary::bpe().made();
  const std::string text = "<|im_end|>";
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    for (std::size_t end = begin + 1; end <= text.size(); ++end) {
      CHECK_FALSE(has_control(tokenizer, encode_parts(tokenizer, text, {{begin, end}})));
    }
  }
  CHECK(has_control(tokenizer, encode_parts(tokenizer, text, {})));
  CHECK(has_control(tokenizer, encode_parts(tokenizer, text, {{0, 0}})));
  CHECK(has_control(tokenizer, encode_parts(tokenizer, "ab" + text + "cd", {{0, 2}, {12, 14}})));
}

TEST_CASE("exactly one begin-of-sequence id is put in front, and only when asked (K4, report 11)") {
  for (const Vocabulary& vocabulary : {Vocabulary::bpe(), Vocabulary::spm()}) {
    const Tokenizer tokenizer = vocabulary.made();
    const Token bos = tokenizer.special_tokens().bos;
    const std::string bos_text(tokenizer.token_text(bos));
    const EncodeOptions with_bos{.special = Special::tokens, .add_bos = true};
    for (const std::string text : {"", "Hello", " and", "<tool>"}) {
      const Ids plain = encode(tokenizer, text, kParse);
      CHECK(std::count(plain.begin(), plain.end(), bos) == 0);
      CHECK(encode(tokenizer, text, with_bos) == joined({{bos}, plain}));
      const Ids written = encode(tokenizer, bos_text + text, with_bos);
      CHECK(std::count(written.begin(), written.end(), bos) == 1);
      CHECK(written == encode(tokenizer, bos_text + text, kParse));
      CHECK(tokenizer.count(text, with_bos).has_value());
      CHECK(*tokenizer.count(text, with_bos) == plain.size() + 1);
    }
  }
}

TEST_CASE("asking for a begin or end id that the vocabulary lacks is an error that names it (K4)") {
  Vocabulary vocabulary = Vocabulary::bpe();
  vocabulary.special = {};
  const Tokenizer tokenizer = vocabulary.made();
  CHECK(tokenizer.encode("a", {.add_bos = true}).code() == ErrorCode::invalid_argument);
  CHECK(tokenizer.encode("a", {.add_bos = true}).error().name() == "add_bos");
  CHECK(tokenizer.encode("a", {.add_eos = true}).code() == ErrorCode::invalid_argument);
}

TEST_CASE("an end-of-sequence id is put behind when asked, once") {
  const Tokenizer tokenizer = Vocabulary::bpe().made();
  const Token eos = tokenizer.special_tokens().eos;
  CHECK(encode(tokenizer, "and", {.add_eos = true}) == joined({encode(tokenizer, "and"), {eos}}));
  CHECK(encode(tokenizer, "<|im_end|>", {.special = Special::tokens, .add_eos = true}) == Ids{eos});
}

TEST_CASE("in files without token types, the tokens with a role are control tokens (K5)") {
  Vocabulary vocabulary = Vocabulary::bpe("llama-bpe");
  vocabulary.tables.types.clear();
  const Tokenizer tokenizer = vocabulary.made();
  CHECK(tokenizer.token_kind(tokenizer.special_tokens().bos) == TokenKind::control);
  CHECK_FALSE(has_control(tokenizer, encode(tokenizer, "<|endoftext|>")));
  CHECK(tokenizer.token_kind(tokenizer.find("a")) == TokenKind::normal);
}

TEST_CASE("known ends of turn count when they are control tokens, and declared ids always (K9, report 24)") {
  Vocabulary vocabulary = Vocabulary::bpe();
  vocabulary.add("</s>", 1);
  vocabulary.add("<|eot_id|>", 4);
  vocabulary.eot = vocabulary.add("[my end]", 3);
  const Tokenizer tokenizer = vocabulary.made();
  Ids expected = {tokenizer.find("<|endoftext|>"), tokenizer.find("<|im_end|>"), vocabulary.eot};
  std::sort(expected.begin(), expected.end());
  CHECK(Ids(tokenizer.end_of_generation().begin(), tokenizer.end_of_generation().end()) == expected);
  CHECK(tokenizer.is_end_of_generation(vocabulary.eot));
  CHECK_FALSE(tokenizer.is_end_of_generation(tokenizer.find("</s>")));
  CHECK_FALSE(tokenizer.is_end_of_generation(-1));
}
