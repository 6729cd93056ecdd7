// SPDX-License-Identifier: MIT
// loquat tokenize: texts to ids and back, any bytes, a line of JSON for a line of JSON.
#include <string>
#include <vector>

#include "program.hpp"
#include "support/catch.hpp"

namespace loquat_test {

namespace {

std::string all_bytes() {
  std::string bytes;
  for (int value = 0; value < 256; ++value) bytes += static_cast<char>(value);
  return bytes;
}

const std::vector<std::string> kTexts = {"hello world",
                                         "",
                                         "a",
                                         "  two  spaces\n\n\ttab\r\n",
                                         "na\xC3\xAFve \xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\xA6\x9C",
                                         std::string("zero\0byte", 9),
                                         "\xFF\xFE\xC3\x28\x80 cut \xE6\x97",
                                         "<|im_start|>user",
                                         all_bytes()};

std::string ids_line(const Json& encoded) {
  std::string text;
  for (const Json& id : encoded["ids"].array) text += (text.empty() ? "" : ", ") + std::to_string(id.as<int>());
  return "{\"ids\": [" + text + "]}\n";
}

}  // namespace

TEST_CASE("tokenize: any bytes come back from their ids, through base64 (K2, K7)") {
  for (const ToyTokenizer kind : {ToyTokenizer::bpe, ToyTokenizer::spm}) {
    const Program program({.tokenizer = kind});
    std::string input;
    for (const std::string& text : kTexts) input += "{\"text_b64\": \"" + to_base64(text) + "\"}\n";
    const Outcome encoded = program.run({"tokenize", program.model()}, input);
    CHECK(encoded.code == 0);
    CHECK(encoded.err.empty());
    const std::vector<Json> ids = encoded.lines();
    REQUIRE(ids.size() == kTexts.size());
    std::string back;
    for (const Json& line : ids) back += ids_line(line);
    const std::vector<Json> decoded = program.run({"tokenize", program.model(), "--decode"}, back).lines();
    REQUIRE(decoded.size() == kTexts.size());
    for (std::size_t i = 0; i < kTexts.size(); ++i) CHECK(from_base64(decoded[i]["text_b64"].string) == kTexts[i]);
  }
}

TEST_CASE("tokenize: plain text in JSON means the same as its base64, escapes and surrogate pairs included") {
  const Program program;
  const std::string parrot = "\xF0\x9F\xA6\x9C";
  const Outcome outcome = program.run({"tokenize", program.model(), "--json"},
                                      "{\"text\": \"tab\\t\\\"\\u00e9\\ud83e\\udd9c\"}\n"
                                      "{\"text_b64\": \"" +
                                          to_base64("tab\t\"\xC3\xA9" + parrot) +
                                          "\"}\n"
                                          "{\"text\": \"" +
                                          parrot +
                                          "\"}\r\n\n"
                                          "{\"text_b64\": \"" +
                                          to_base64(parrot) + "\"}");
  CHECK(outcome.code == 0);
  const std::vector<Json> lines = outcome.lines();
  REQUIRE(lines.size() == 4);
  CHECK(lines[0]["ids"].numbers<int>() == lines[1]["ids"].numbers<int>());
  CHECK(lines[2]["ids"].numbers<int>() == lines[3]["ids"].numbers<int>());
  CHECK(!lines[3]["ids"].array.empty());
}

TEST_CASE("tokenize: control tokens only where asked, and BOS only where asked and wanted by the file (K4, K5)") {
  const Program with_bos({.add_bos = true});
  const Json file = with_bos.run({"info", with_bos.model(), "--json"}).json();
  const int bos = file["tokenizer"]["bos"].as<int>();
  const std::string input =
      "{\"text\": \"<|im_end|>\"}\n"
      "{\"text\": \"<|im_end|>\", \"parse_special\": true}\n"
      "{\"text\": \"a\", \"add_special\": true}\n"
      "{\"text\": \"a\", \"add_special\": false}\n";
  const std::vector<Json> lines = with_bos.run({"tokenize", with_bos.model()}, input).lines();
  REQUIRE(lines.size() == 4);
  CHECK(lines[0]["ids"].size() > 1);
  CHECK(lines[1]["ids"].numbers<int>() == std::vector<int>{file["tokenizer"]["eos"].as<int>()});
  CHECK(lines[2]["ids"].numbers<int>() == std::vector<int>{bos, 'a'});
  CHECK(lines[3]["ids"].numbers<int>() == std::vector<int>{'a'});
  const Program without;
  CHECK(without.run({"tokenize", without.model()}, input).lines().at(2)["ids"].numbers<int>() == std::vector<int>{'a'});
}

TEST_CASE("tokenize: a broken line gets its error, is told with its number, and the others their answers") {
  const Program program;
  const std::vector<std::string> broken = {"{\"text\": \"cut",
                                           "not json",
                                           "{\"text\": \"a\"} more",
                                           "{\"text\": 5}",
                                           "{}",
                                           "[1, 2]",
                                           "{\"text\": \"\\x\"}",
                                           "{\"text\": \"a\",}",
                                           "{\"text_b64\": \"QQ*=\"}",
                                           "{\"text_b64\": \"QQQQQ\"}",
                                           "{\"text_b64\": \"QQ=Q\"}",
                                           "{\"text\": \"a\", \"parse_special\": 1}",
                                           "{\"text\": \"a\", \"normalize\": 01}",
                                           "{\"text\": \"a\", \"x\": .5}",
                                           "\xFF\xFE",
                                           std::string(100000, '[')};
  std::string input;
  for (const std::string& line : broken) input += line + "\n{\"text\": \"a\"}\n";
  const Outcome outcome = program.run({"tokenize", program.model()}, input);
  CHECK(outcome.code == 1);
  const std::vector<Json> lines = outcome.lines();
  REQUIRE(lines.size() == 2 * broken.size());
  for (std::size_t i = 0; i < broken.size(); ++i) {
    INFO(broken[i].substr(0, 80));
    CHECK(lines[2 * i].has("error"));
    CHECK(lines[2 * i + 1]["ids"].numbers<int>() == std::vector<int>{'a'});
    CHECK(outcome.complains("line " + std::to_string(2 * i + 1) + ": "));
  }
}

TEST_CASE("tokenize --decode: ids outside the vocabulary and things that are no ids are refused (A4)") {
  const Program program;
  const std::string vocabulary = std::to_string(toy_vocabulary_size(ToyTokenizer::bpe));
  const std::vector<std::string> broken = {"{\"ids\": [-1]}",          "{\"ids\": [97, " + vocabulary + "]}",
                                           "{\"ids\": [99999999999]}", "{\"ids\": [1.5]}",
                                           "{\"ids\": [\"a\"]}",       "{\"ids\": 97}",
                                           "{\"text\": \"a\"}"};
  std::string input;
  for (const std::string& line : broken) input += line + "\n";
  const Outcome outcome = program.run({"tokenize", program.model(), "--decode"}, input + "{\"ids\": [97]}\n");
  CHECK(outcome.code == 1);
  const std::vector<Json> lines = outcome.lines();
  REQUIRE(lines.size() == broken.size() + 1);
  for (std::size_t i = 0; i < broken.size(); ++i) CHECK(lines[i].has("error"));
  CHECK(from_base64(lines.back()["text_b64"].string) == "a");
}

}  // namespace loquat_test
