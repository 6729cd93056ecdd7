// SPDX-License-Identifier: MIT
// loquat run and loquat chat: answers as they stream, conversations fed by standard input, Ctrl-C.
#include <algorithm>
#include <string>

#include "program.hpp"
#include "support/catch.hpp"

namespace loquat_test {

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

/// What came after the last prompt sign but one: the answer to the last line.
std::string last_answer(const std::string& out) {
  const std::size_t end = out.rfind("> ");
  const std::size_t begin = out.rfind("> ", end - 1) + 2;
  return out.substr(begin, end - begin);
}

/// A function, since the default template is a constant of another unit.
ToyModelOptions toy() { return {.context_length = 2048}; }

/// A model that goes on and on at temperature 0: the logits of its last four tokens, all control or user-defined and
/// the end tokens among them, are 0, and the largest of 280 random ones is not.
GgufImage endless_model() {
  GgufWriter writer = toy_model_writer({.context_length = 30000});
  Bytes& rows = writer.tensor_data("output.weight");
  const std::size_t row_bytes = rows.size() / toy_vocabulary_size(ToyTokenizer::bpe);
  std::fill(rows.end() - static_cast<std::ptrdiff_t>(4 * row_bytes), rows.end(), std::byte{0});
  return writer.build();
}

}  // namespace

TEST_CASE("run: streams what --json tells, with the summary apart, raw and in the template") {
  const Program program(toy());
  const Words raw = {"run", program.model(), "-p", "the cat", "-n", "12", "--raw", "--temp", "0"};
  Words json_words = raw;
  json_words.push_back("--json");
  const Outcome streamed = program.run(raw);
  INFO(streamed.err);
  REQUIRE(streamed.code == 0);
  CHECK(streamed.complains("tok/s"));
  const Outcome json_outcome = program.run(json_words);
  CHECK(json_outcome.err.empty());
  const Json json = json_outcome.json();
  CHECK(json["text"].string == streamed.out);
  CHECK(json["usage"]["generated_tokens"].number == 12);
  CHECK(json["finish"].string == "max_tokens");

  // Raw is generate's prompt, templated is generate's messages.
  const std::string requests =
      "{\"prompt\": \"the cat\", \"max_tokens\": 12}\n"
      "{\"messages\": [{\"role\": \"user\", \"content\": \"the cat\"}], \"max_tokens\": 12}\n"
      "{\"messages\": [{\"role\": \"system\", \"content\": \"Be brief.\"}, "
      "{\"role\": \"user\", \"content\": \"the cat\"}], \"max_tokens\": 12}\n";
  const std::vector<Json> lines = program.run({"generate", program.model()}, requests).lines();
  CHECK(lines.at(0)["ids"].numbers<int>() == json["ids"].numbers<int>());
  Words templated = json_words;
  templated.erase(std::find(templated.begin(), templated.end(), "--raw"));
  CHECK(program.run(templated).json()["ids"].numbers<int>() == lines.at(1)["ids"].numbers<int>());
  templated.insert(templated.end(), {"--system", "Be brief."});
  CHECK(program.run(templated).json()["ids"].numbers<int>() == lines.at(2)["ids"].numbers<int>());
}

TEST_CASE("run: the seed decides, and the seed that was drawn can be given again") {
  const Program program(toy());
  const Words words = {"run", program.model(), "-p",        "the cat", "-n",    "16", "--temp",
                       "4",   "--top-k=0",     "--top-p=1", "--json",  "--seed"};
  const auto ids = [&](const std::string& seed) {
    Words all = words;
    all.push_back(seed);
    return program.run(all).json()["ids"].numbers<int>();
  };
  CHECK(ids("1") == ids("1"));
  CHECK(ids("1") != ids("2"));
  Words random = words;
  random.push_back("random");
  const Outcome drawn = program.run(random);
  const std::string key = "\"seed\": ";
  const std::size_t at = drawn.out.rfind(key) + key.size();
  const std::string seed = drawn.out.substr(at, drawn.out.find('}', at) - at);
  INFO(seed);
  CHECK(ids(seed) == drawn.json()["ids"].numbers<int>());
}

TEST_CASE("run: without a template the text is continued as it is; an empty prompt is refused with words") {
  const Program program({.chat_template = ""});
  const Words words = {"run", program.model(), "-p", "the cat", "-n", "8", "--temp", "0", "--json"};
  Words raw = words;
  raw.push_back("--raw");
  CHECK(program.run(words).json()["ids"].numbers<int>() == program.run(raw).json()["ids"].numbers<int>());
  Words with_system = words;
  with_system.insert(with_system.end(), {"--system", "Be brief."});
  const Outcome refused = program.run(with_system);
  CHECK(refused.code == 1);
  CHECK(refused.complains("template"));
  const Outcome empty = program.run({"run", program.model(), "-p", "", "--json"});
  CHECK(empty.code == 1);
  CHECK(empty.complains("the prompt must have a token"));
  CHECK(empty.out.empty());
  const Outcome chat = program.run({"chat", program.model()}, "hello\n");
  CHECK(chat.code == 1);
  CHECK(chat.complains("template"));
}

TEST_CASE("chat: answers lines from standard input as generate does, remembers them, and ends with its input") {
  const Program program(toy());
  const Words words = {"chat", program.model(), "-n", "8", "--temp", "0", "--system", "Be brief."};
  const Outcome one = program.run(words, "Any rooms?\n");
  INFO(one.err);
  CHECK(one.code == 0);
  CHECK(one.err.empty());
  const Json expected = program
                            .run({"generate", program.model(), "-n", "8"},
                                 "{\"messages\": [{\"role\": \"system\", \"content\": \"Be brief.\"}, "
                                 "{\"role\": \"user\", \"content\": \"Any rooms?\"}]}")
                            .json();
  CHECK(last_answer(one.out) == expected["text"].string + "\n");
  // The same question again: the history differs, and so does what it is an answer to.
  const Outcome two = program.run(words, "Any rooms?\n\nFor two.\n");
  CHECK(count(two.out, "> ") >= 3);
  CHECK(last_answer(two.out) != last_answer(program.run(words, "For two.\n").out));
  CHECK(program.run(words, "").code == 0);
  CHECK(program.run(words, "no newline at the end").code == 0);
}

TEST_CASE("chat: /rewind forgets one exchange, /clear all of them, /quit leaves") {
  const Program program(toy());
  const Words words = {"chat", program.model(), "-n", "8", "--temp", "0"};
  const std::string alone = last_answer(program.run(words, "For two.\n").out);
  const std::string after = last_answer(program.run(words, "Any rooms?\nFor two.\n").out);
  CHECK(last_answer(program.run(words, "Any rooms?\n/rewind\nFor two.\n").out) == alone);
  CHECK(last_answer(program.run(words, "Any rooms?\nNo?\n/rewind\nFor two.\n").out) == after);
  CHECK(last_answer(program.run(words, "Any rooms?\nNo?\n/clear\nFor two.\n").out) == alone);
  CHECK(program.run(words, "/rewind\n").says("nothing to forget"));
  const Outcome quit = program.run(words, "/quit\nFor two.\n");
  CHECK(quit.code == 0);
  CHECK(!quit.says(alone));
}

TEST_CASE("chat: /help lists the commands, an unknown one is told, /tokens counts") {
  const Program program(toy());
  const Outcome outcome = program.run({"chat", program.model(), "-n", "4"}, "/help\n/dance\n/tokens\nhello\n/tokens\n");
  CHECK(outcome.code == 0);
  for (const char* command : {"/help", "/rewind", "/clear", "/tokens", "/save", "/load", "/quit"}) {
    CHECK(count(outcome.out, command) >= 2);
  }
  CHECK(outcome.says("unknown command"));
  CHECK(outcome.says("0 of 2048 tokens"));
  CHECK(count(outcome.out, " of 2048 tokens") >= 2);
}

TEST_CASE("chat: /save and /load carry a conversation into another run; a file that is none changes nothing") {
  const Program program(toy());
  const Words words = {"chat", program.model(), "-n", "8", "--temp", "0"};
  const std::string file = program.folder().file("talk one.jsonl");
  const std::string after = last_answer(program.run(words, "Any rooms?\nFor two.\n").out);
  const Outcome saved = program.run(words, "Any rooms?\n/save " + file + "\n");
  INFO(saved.err);
  CHECK(saved.err.empty());
  const Outcome loaded = program.run(words, "Something else.\n/load " + file + "\nFor two.\n");
  CHECK(loaded.err.empty());
  CHECK(last_answer(loaded.out) == after);
  for (const std::string& bad :
       {program.folder().file("absent"), program.model(), program.write("bad", "{\"role\": 1}"),
        program.write("cut", "{\"role\": \"user\", \"content\": \"x\"}\n{\"role\": \"ass")}) {
    const Outcome outcome = program.run(words, "Any rooms?\n/load " + bad + "\nFor two.\n");
    INFO(bad);
    CHECK(outcome.code == 0);
    CHECK(outcome.complains("loquat: "));
    CHECK(last_answer(outcome.out) == after);
  }
  const Outcome unwritten = program.run(words, "/save " + program.folder().file("no-folder/file") + "\n/save\n");
  CHECK(unwritten.code == 0);
  CHECK(unwritten.complains("no-folder"));
  CHECK(unwritten.complains("file name"));
}

TEST_CASE("chat: a context that is full is told, and /clear makes room") {
  const Program program(toy());
  const Words words = {"chat", program.model(), "-n", "8", "--temp", "0", "--context", "40"};
  const std::string alone = last_answer(program.run(words, "A?\n").out);
  const std::string many(200, 'x');
  const Outcome outcome = program.run(words, many + "\nA?\n");
  CHECK(outcome.code == 0);
  CHECK(outcome.complains("context"));
  CHECK(last_answer(outcome.out) == alone);
  const Outcome filled = program.run({"chat", program.model(), "--temp", "0", "--context", "40"}, "A?\n/clear\nA?\n");
  CHECK(filled.code == 0);
}

TEST_CASE("chat: Ctrl-C stops the answer, and at the prompt nothing; the program goes on (C1)") {
  const Program program(endless_model());
  const Words options = {"--temp", "0", "-t", "1", "--context", "30000"};
  Words generate = {"generate", program.model(), "-n", "2000"};
  Words words = {"chat", program.model(), "-n", "29000"};
  generate.insert(generate.end(), options.begin(), options.end());
  words.insert(words.end(), options.begin(), options.end());
  const std::string request = "{\"messages\": [{\"role\": \"user\", \"content\": \"hello\"}]}";
  REQUIRE(program.run(generate, request).json()["finish"].string == "max_tokens");  // by itself it goes on and on

  RunningProgram chat(program.folder(), words);
  REQUIRE(chat.waits_for_bytes(10));
  chat.interrupt();
  chat.type("hello\n");
  REQUIRE(chat.waits_for_bytes(chat.out().size() + 20));
  chat.interrupt();
  chat.type("/tokens\n");
  const Outcome outcome = chat.finish();
  INFO(outcome.out.substr(0, 2000));
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  const std::size_t end = outcome.out.rfind(" of 30000 tokens");
  REQUIRE(end != std::string::npos);
  const std::size_t begin = outcome.out.rfind(' ', end - 1) + 1;
  CHECK(std::stoul(outcome.out.substr(begin, end - begin)) < 29000);
}

}  // namespace loquat_test
