// SPDX-License-Identifier: MIT
// loquat generate: a line of JSON for every request, whatever its neighbours are.
#include <string>
#include <vector>

#include "program.hpp"
#include "support/catch.hpp"

namespace loquat_test {

namespace {

using Ids = std::vector<int>;

Ids ids_of(const Json& line) { return line["ids"].numbers<int>(); }

std::string ids_text(const Ids& ids) {
  std::string text;
  for (const int id : ids) text += (text.empty() ? "" : ", ") + std::to_string(id);
  return "[" + text + "]";
}

std::vector<Json> answers(const Program& program, const Words& options, const std::string& requests) {
  Words words = {"generate", program.model()};
  words.insert(words.end(), options.begin(), options.end());
  const Outcome outcome = program.run(words, requests);
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  return outcome.lines();
}

}  // namespace

TEST_CASE("generate: the same prompt as tokens, text and messages gives the same answer") {
  const Program program;
  // What kToyChatTemplate makes of the message, with the control tokens' texts.
  const std::string rendered = "<|im_start|>user\\nAny rooms?<|im_end|>\\n<|im_start|>assistant\\n";
  const std::string input = "{\"text\": \"" + rendered + "\", \"parse_special\": true}\n";
  const Ids prompt = ids_of(program.run({"tokenize", program.model()}, input).lines().at(0));
  const std::vector<Json> lines = answers(program, {"-n", "12"},
                                          "{\"tokens\": " + ids_text(prompt) + "}\n" + "{\"prompt\": \"" + rendered +
                                              "\", \"parse_special\": true, \"max_tokens\": 12}\n" +
                                              "{\"messages\": [{\"role\": \"user\", \"content\": \"Any rooms?\"}]}\n");
  REQUIRE(lines.size() == 3);
  for (const Json& line : lines) {
    CHECK(ids_of(line) == ids_of(lines[0]));
    CHECK(line["text"].string == lines[0]["text"].string);
    CHECK(line["usage"]["prompt_tokens"].as<std::size_t>() == prompt.size());
    CHECK(line["usage"]["generated_tokens"].as<std::size_t>() == line["ids"].size());
    CHECK(line["finish"].string == "max_tokens");
    CHECK(line["timing"]["prefill_s"].number > 0);
    CHECK(line["timing"]["decode_s"].number > 0);
    CHECK(line["timing"]["first_token_s"].number > 0);
  }
  CHECK(lines[0]["ids"].size() == 12);
}

TEST_CASE("generate: text of control tokens in a message stays text (K6)") {
  const Program program;
  const std::vector<Json> lines = answers(program, {"-n", "1"},
                                          "{\"messages\": [{\"role\": \"user\", \"content\": \"<|im_end|>\"}]}\n"
                                          "{\"messages\": [{\"role\": \"user\", \"content\": \"\"}]}\n");
  CHECK(lines.at(0)["usage"]["prompt_tokens"].number > lines.at(1)["usage"]["prompt_tokens"].number + 1);
}

TEST_CASE("generate: a stop text ends the answer in front of it, given alone or in a list (S2)") {
  const Program program;
  const std::string request = "{\"prompt\": \"the cat\", \"max_tokens\": 24, \"ignore_eos\": true";
  const Json free = answers(program, {}, request + "}\n").at(0);
  const std::string& text = free["text"].string;
  std::size_t at = 4;  // a letter that JSON needs no escape for, and its first place
  while (at < text.size() && !(text[at] > ' ' && text[at] < 0x7F && text[at] != '"' && text[at] != '\\')) ++at;
  REQUIRE(at < text.size());
  const std::string stop(1, text[at]);
  const std::vector<Json> lines =
      answers(program, {},
              request + ", \"stop\": \"" + stop + "\"}\n" + request + ", \"stop\": [\"not there at all\", \"" + stop +
                  "\"]}\n" + request + ", \"stop\": []}\n");
  REQUIRE(lines.size() == 3);
  for (const Json& line : {lines[0], lines[1]}) {
    CHECK(line["finish"].string == "stop_text");
    CHECK(line["text"].string == text.substr(0, text.find(stop)));
  }
  CHECK(lines[2]["text"].string == text);
}

TEST_CASE("generate: the seed decides the draw, up to the largest, and is told (D3, Z6)") {
  const Program program;
  const std::string hot = "{\"prompt\": \"the\", \"max_tokens\": 16, \"temperature\": 5, \"top_k\": 0, \"top_p\": 1";
  const std::vector<Json> lines = answers(program, {},
                                          hot + ", \"seed\": 7}\n" + hot + ", \"seed\": 8}\n" + hot +
                                              ", \"seed\": 7}\n" + hot + ", \"seed\": 18446744073709551615}\n");
  REQUIRE(lines.size() == 4);
  CHECK(ids_of(lines[0]) == ids_of(lines[2]));
  CHECK(ids_of(lines[0]) != ids_of(lines[1]));
  CHECK(lines[1]["seed"].number == 8);
  CHECK(lines[3]["seed"].number == 18446744073709551615.0);
  const std::vector<Json> from_options = answers(program, {"--seed", "7", "--temp=5", "--top-k=0", "--top-p=1"},
                                                 "{\"prompt\": \"the\", \"max_tokens\": 16}\n");
  CHECK(ids_of(from_options.at(0)) == ids_of(lines[0]));
  const Words random = {"generate", program.model(), "--seed", "random", "-n", "1"};
  const std::string twice = "{\"prompt\": \"the\"}\n{\"prompt\": \"the\"}\n";
  const Outcome outcome = program.run(random, twice);
  CHECK(outcome.out.find("\"seed\": ") != std::string::npos);
  CHECK(outcome.lines().at(0)["seed"].number != outcome.lines().at(1)["seed"].number);
}

TEST_CASE("generate: a request does not depend on those before it") {
  const Program program;
  const std::string request = "{\"prompt\": \"the cat sat\", \"max_tokens\": 10}\n";
  const std::vector<Json> lines =
      answers(program, {}, request + "{\"prompt\": \"the cat\", \"temperature\": 2, \"seed\": 3}\n" + request);
  REQUIRE(lines.size() == 3);
  CHECK(ids_of(lines[0]) == ids_of(lines[2]));
}

TEST_CASE("generate: bad requests get errors, good ones among them their answers; exit code 1") {
  const Program program;
  std::string too_long;
  for (int i = 0; i < 600; ++i) too_long += i == 0 ? "1" : ", 1";
  const std::vector<std::string> bad = {"{\"prompt\": \"cut",
                                        "{}",
                                        "[]",
                                        "{\"prompt\": 5}",
                                        "{\"prompt\": \"\"}",
                                        "{\"tokens\": []}",
                                        "{\"tokens\": [1, -2]}",
                                        "{\"tokens\": [1, 1000000]}",
                                        "{\"tokens\": \"1\"}",
                                        "{\"tokens\": [" + too_long + "]}",
                                        "{\"messages\": \"hi\"}",
                                        "{\"messages\": [{\"role\": \"user\"}]}",
                                        "{\"prompt\": \"a\", \"max_tokens\": -1}",
                                        "{\"prompt\": \"a\", \"max_tokens\": 2.5}",
                                        "{\"prompt\": \"a\", \"temperature\": -1}",
                                        "{\"prompt\": \"a\", \"temperature\": \"hot\"}",
                                        "{\"prompt\": \"a\", \"temperature\": 1e999}",
                                        "{\"prompt\": \"a\", \"top_p\": 1.5}",
                                        "{\"prompt\": \"a\", \"seed\": -1}",
                                        "{\"prompt\": \"a\", \"stop\": [\"\"]}",
                                        "{\"prompt\": \"a\", \"stop\": [1]}"};
  const std::string good = "{\"prompt\": \"the cat\", \"max_tokens\": 2.0}\n";
  std::string input;
  for (const std::string& request : bad) input += request + "\n" + good;
  const Outcome outcome = program.run({"generate", program.model()}, input);
  CHECK(outcome.code == 1);
  const std::vector<Json> lines = outcome.lines();
  REQUIRE(lines.size() == 2 * bad.size());
  for (std::size_t i = 0; i < bad.size(); ++i) {
    INFO(bad[i].substr(0, 80));
    CHECK(lines[2 * i].has("error"));
    CHECK(lines[2 * i + 1].has("ids"));
    CHECK(lines[2 * i + 1]["ids"].size() == 2);
    CHECK(outcome.complains("line " + std::to_string(2 * i + 1) + ": "));
  }
}

TEST_CASE("generate: no token to draw, and a context that fills up, are told in the answer (C5, V5)") {
  const Program program;
  const std::vector<Json> lines = answers(program, {"--context", "16"},
                                          "{\"prompt\": \"the cat\", \"max_tokens\": 0}\n{\"prompt\": \"the\", "
                                          "\"max_tokens\": 99, \"ignore_eos\": true}\n");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["ids"].size() == 0);
  CHECK(lines[0]["finish"].string == "max_tokens");
  CHECK(lines[1]["finish"].string == "context_full");
  CHECK(lines[1]["ids"].size() <= 16);
}

}  // namespace loquat_test
