// SPDX-License-Identifier: MIT
// Ids to text piece by piece.
#include "support/catch.hpp"
#include "support/data.hpp"
#include "text/support.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

StreamDecoder make(const Tokenizer& tokenizer, const DecodeOptions& options = {}) {
  auto decoder = StreamDecoder::create(tokenizer, options);
  REQUIRE(decoder);
  return std::move(*decoder);
}
std::string push(StreamDecoder& decoder, Token id) {
  auto piece = decoder.push(id);
  REQUIRE(piece);
  return std::string(*piece);
}
std::string flush(StreamDecoder& decoder) {
  auto piece = decoder.flush();
  REQUIRE(piece);
  return std::string(*piece);
}

}  // namespace

TEST_CASE("an emoji in four tokens comes as one piece, when it is whole (S1, report 58)") {
  const Tokenizer tokenizer = Vocabulary::bpe().made();
  const Ids ids = encode(tokenizer, "\xF0\x9F\x98\x80");
  REQUIRE(ids.size() == 4);
  StreamDecoder decoder = make(tokenizer);
  CHECK(push(decoder, ids[0]).empty());
  CHECK(push(decoder, ids[1]).empty());
  CHECK(push(decoder, ids[2]).empty());
  CHECK(push(decoder, ids[3]) == "\xF0\x9F\x98\x80");
  CHECK(flush(decoder).empty());
}

TEST_CASE("a cut-off character comes at the flush as one replacement mark, and the decoder is as new (S1)") {
  const Tokenizer tokenizer = Vocabulary::bpe().made();
  StreamDecoder decoder = make(tokenizer);
  for (const Token id : encode(tokenizer, "\xF0\x9F\x98")) CHECK(push(decoder, id).empty());
  CHECK(flush(decoder) == "\xEF\xBF\xBD");
  CHECK(flush(decoder).empty());
  CHECK(push(decoder, tokenizer.find("a")) == "a");
}

TEST_CASE("broken bytes become one mark a maximal part, as soon as that is certain (S1)") {
  const Tokenizer tokenizer = Vocabulary::bpe().made();
  StreamDecoder decoder = make(tokenizer);
  const Ids ids = encode(tokenizer,
                         "\xE2\x82"
                         "A\xFF");
  REQUIRE(ids.size() == 4);
  CHECK(push(decoder, ids[0]).empty());
  CHECK(push(decoder, ids[1]).empty());
  CHECK(push(decoder, ids[2]) ==
        "\xEF\xBF\xBD"
        "A");
  CHECK(push(decoder, ids[3]) == "\xEF\xBF\xBD");
}

TEST_CASE("control tokens show only on demand (S1)") {
  const Tokenizer tokenizer = Vocabulary::bpe().made();
  const Ids ids = encode(tokenizer, "<|im_start|>in<|im_end|>", {.special = Special::tokens});
  CHECK(stream(tokenizer, ids) == "in");
  CHECK(stream(tokenizer, ids, {.show_special = true}) == "<|im_start|>in<|im_end|>");
  CHECK(decode(tokenizer, ids) == "in");
}

TEST_CASE("the dummy space is dropped once, also behind hidden tokens and after a flush") {
  const Tokenizer tokenizer = Vocabulary::spm().made();
  const Token the = tokenizer.find("\xE2\x96\x81the");
  StreamDecoder decoder = make(tokenizer);
  CHECK(push(decoder, 1).empty());
  CHECK(push(decoder, the) == "the");
  CHECK(push(decoder, the) == " the");
  CHECK(flush(decoder).empty());
  CHECK(push(decoder, the) == "the");
  CHECK(stream(tokenizer, {the}, {.keep_leading_space = true}) == " the");
}

TEST_CASE("an id outside the vocabulary is refused and changes nothing (A4)") {
  const Tokenizer tokenizer = Vocabulary::bpe().made();
  const Token size = static_cast<Token>(tokenizer.vocabulary_size());
  StreamDecoder decoder = make(tokenizer);
  const Ids euro = encode(tokenizer, "\xE2\x82\xAC");
  CHECK(push(decoder, euro[0]).empty());
  for (const Token bad : {-1, size, size + 1, std::numeric_limits<Token>::max(), std::numeric_limits<Token>::min()}) {
    CHECK(decoder.push(bad).code() == ErrorCode::invalid_argument);
    const Ids among{0, bad, 0};
    auto text = tokenizer.decode(among);
    CHECK(text.code() == ErrorCode::invalid_argument);
    CHECK(text.error().offset() == 1);
    CHECK(tokenizer.token_text(bad).empty());
  }
  CHECK(push(decoder, euro[1]).empty());
  CHECK(push(decoder, euro[2]) == "\xE2\x82\xAC");
}

TEST_CASE("streams of random ids are the decoding of all of them, ill-formed parts replaced (K7, S4)") {
  for (const Vocabulary& vocabulary : {Vocabulary::bpe(), Vocabulary::spm()}) {
    const Tokenizer tokenizer = vocabulary.made();
    LOQUAT_TEST_DATA(data, 11);
    for (int round = 0; round < 500; ++round) {
      Ids ids;
      for (std::int64_t n = data.whole(0, 40); n > 0; --n) {
        ids.push_back(static_cast<Token>(data.whole(0, static_cast<std::int64_t>(tokenizer.vocabulary_size()) - 1)));
      }
      const DecodeOptions options{.show_special = round % 2 == 0, .keep_leading_space = round % 3 == 0};
      if (stream(tokenizer, ids, options) != replace_ill_formed(decode(tokenizer, ids, options)))
        FAIL_CHECK("round " << round);
    }
  }
}

TEST_CASE("a tokenizer outlives nothing it needs: a decoder keeps its vocabulary (E1)") {
  auto decoder = [] {
    const Tokenizer tokenizer = Vocabulary::bpe().made();
    return make(tokenizer);
  }();
  CHECK(push(decoder, Token{'a'}) == "a");
  CHECK(StreamDecoder::create(Tokenizer()).code() == ErrorCode::invalid_argument);
}
