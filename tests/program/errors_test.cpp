// SPDX-License-Identifier: MIT
// What goes wrong is told on standard error and by the exit code: 2 for wrong words, 1 for anything else; standard
// output stays empty.
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "program.hpp"
#include "support/catch.hpp"

namespace loquat_test {

namespace {

const Words kVerbs = {"run", "chat", "info", "bench", "tokenize", "logits", "generate", "perplexity"};

/// A verb with all that it needs besides the model.
std::vector<Words> complete_commands(const Program& program, const std::string& model) {
  return {{"run", model, "-p", "hi", "-n", "2"},
          {"chat", model},
          {"info", model},
          {"bench", model, "-p", "4", "-n", "0", "-r", "1"},
          {"tokenize", model},
          {"logits", model, "-o", program.folder().file("never-written")},
          {"generate", model},
          {"perplexity", model, "-f", program.write("text", "the cat sat on the mat")}};
}

struct WrongUsage {
  Words words;
  std::string named;  ///< what the complaint must name
};

void check_usage_error(const Program& program, const WrongUsage& wrong) {
  const Outcome outcome = program.run(wrong.words);
  std::string command;
  for (const std::string& word : wrong.words) command += word + " ";
  INFO(command << "\n" << outcome.err);
  CHECK(outcome.code == 2);
  CHECK(outcome.complains(wrong.named));
  CHECK(outcome.out.empty());
}

void check_failure(const Outcome& outcome, const std::string& named) {
  INFO(outcome.err);
  CHECK(outcome.code == 1);
  CHECK(outcome.complains("loquat: "));
  CHECK(outcome.complains(named));
  CHECK(outcome.out.empty());
}

}  // namespace

TEST_CASE("the program and each of its verbs explain themselves") {
  const Program program;
  const Outcome all = program.run({"--help"});
  CHECK(all.code == 0);
  CHECK(all.err.empty());
  for (const std::string& verb : kVerbs) {
    INFO(verb);
    CHECK(all.says("loquat " + verb));
    for (const char* help : {"--help", "-h"}) {
      const Outcome one = program.run({verb, help});
      CHECK(one.code == 0);
      CHECK(one.err.empty());
      CHECK(one.says("usage: loquat " + verb));
      for (const char* option : {"--threads", "--level", "--executor", "--context", "--chunk", "--no-mmap"}) {
        CHECK(one.says(option));
      }
    }
  }
  CHECK(program.run({"--version"}).code == 0);
  CHECK(all.says("loquat render"));
  CHECK(program.run({"render", "--help"}).says("usage: loquat render"));
}

TEST_CASE("wrong words: exit code 2, the word is named, nothing on standard output") {
  const Program program;
  const std::string& model = program.model();
  check_usage_error(program, {{}, "usage:"});
  check_usage_error(program, {{"sing"}, "sing"});
  check_usage_error(program, {{"--sparkle"}, "--sparkle"});
  for (const std::string& verb : kVerbs) check_usage_error(program, {{verb, model, "--sparkle"}, "--sparkle"});
  check_usage_error(program, {{"render"}, "--template"});
  check_usage_error(program, {{"render", "--model", model, "--sparkle"}, "--sparkle"});
  check_usage_error(program, {{"render", "--model", model, "one-more"}, "one-more"});
  for (Words command : complete_commands(program, model)) {
    command.push_back("second-word");
    check_usage_error(program, {command, "second-word"});
    command.erase(command.begin() + 1);
    command.pop_back();
    check_usage_error(program, {command, "model file"});
  }
  check_usage_error(program, {{"run", model}, "-p"});
  check_usage_error(program, {{"run", model, "-p"}, "-p"});
  check_usage_error(program, {{"run", model, "-p", "x", "--raw=yes"}, "--raw"});
  check_usage_error(program, {{"run", model, "-p", "x", "--raw", "--system", "y"}, "--system"});
  check_usage_error(program, {{"logits", model}, "-o"});
  check_usage_error(program, {{"perplexity", model}, "-f"});
  check_usage_error(program,
                    {{"perplexity", model, "-f", "t", "--compare", "same", "--logits-out", "same"}, "same file"});
  check_usage_error(program, {{"bench", model, "-p", "0", "-n", "0"}, "-p 0"});
  check_usage_error(program, {{"chat", model, "--json"}, "--json"});
}

TEST_CASE("wrong values of options: exit code 2, the option or the value is named") {
  const Program program;
  const std::vector<WrongUsage> wrong = {{{"-t", "many"}, "many"},
                                         {{"--threads", "-1"}, "--threads"},
                                         {{"--threads=2000"}, "--threads"},
                                         {{"--level", "sse9"}, "sse9"},
                                         {{"--executor", "robots"}, "robots"},
                                         {{"--context", "1"}, "--context"},
                                         {{"--context", "513"}, "--context"},
                                         {{"--context", "99999999999999999999"}, "--context"},
                                         {{"--chunk", "0"}, "--chunk"},
                                         {{"--chunk", "5000"}, "--chunk"},
                                         {{"--chunk", "8x"}, "8x"},
                                         {{"--cache-type", "f8"}, "f8"},
                                         {{"--layout", "origami"}, "origami"},
                                         {{"-n", "-3"}, "--max-tokens"},
                                         {{"--temp", "hot"}, "hot"},
                                         {{"--temp", "nan"}, "--temp"},
                                         {{"--temp", "-1"}, "--temp"},
                                         {{"--top-p", "1.5"}, "--top-p"},
                                         {{"--top-p", "0,5"}, "0,5"},
                                         {{"--min-p", "-0.1"}, "--min-p"},
                                         {{"--typical", "2"}, "--typical"},
                                         {{"--repetition-penalty", "0"}, "--repetition-penalty"},
                                         {{"--presence-penalty", "101"}, "--presence-penalty"},
                                         {{"--frequency-penalty", "inf"}, "--frequency-penalty"},
                                         {{"--penalty-last-n", "1000000000"}, "--penalty-last-n"},
                                         {{"--top-k", "-1"}, "--top-k"},
                                         {{"--seed", "x"}, "--seed"}};
  for (const WrongUsage& one : wrong) {
    Words words = {"run", program.model(), "-p", "hello"};
    words.insert(words.end(), one.words.begin(), one.words.end());
    check_usage_error(program, {words, one.named});
  }
  check_usage_error(program, {{"generate", program.model(), "--temp", "-1"}, "--temp"});
  check_usage_error(program, {{"bench", program.model(), "-r", "0"}, "--repetitions"});
}

TEST_CASE("a model file that is missing, empty, cut, foreign or a folder: exit code 1 with words (F7)") {
  const Program program;
  const GgufImage whole = make_toy_model();
  const std::span<const std::byte> bytes(whole.bytes);
  struct Bad {
    std::string path, named;
  };
  const TemporaryFolder& folder = program.folder();
  std::filesystem::create_directory(folder.path() / "a folder");
  const std::vector<Bad> bad = {
      {folder.file("no such file.gguf"), "no such file.gguf"},
      {folder.file("a folder"), "folder"},
      {program.write("empty.gguf", ""), "empty.gguf"},
      {program.write("poem.gguf", "Shall I compare thee to a summer's day?"), "GGUF"},
      {folder.write("magic.gguf", bytes.first(4)), "magic.gguf"},
      {folder.write("header.gguf", bytes.first(whole.header_bytes / 2)), "header.gguf"},
      {folder.write("cut.gguf", bytes.first(bytes.size() - 1)), "cut.gguf"},
  };
  for (const Bad& one : bad) {
    for (const Words& command : complete_commands(program, one.path)) {
      INFO(command[0]);
      const Outcome outcome = program.run(command, "{\"tokens\": [1]}\n");
      check_failure(outcome, one.named);
      CHECK(outcome.err.find(one.path) == outcome.err.rfind(one.path));  // named once
    }
  }
  CHECK(!std::filesystem::exists(folder.path() / "never-written"));
}

TEST_CASE("a model of an unknown architecture or pre-tokenizer is named, and the rule can be overridden (K8)") {
  const Program program;
  const std::string other =
      program.folder().write("other.gguf", toy_model_writer().set("general.architecture", "sparrow").build().bytes);
  check_failure(program.run({"info", other}), "sparrow");
  const std::string unknown = program.folder().write("pre.gguf", make_toy_model({.pre = "nightingale"}).bytes);
  check_failure(program.run({"info", unknown}), "nightingale");
  const Outcome overridden = program.run({"info", unknown, "--pre-tokenizer", "smollm", "--json"});
  INFO(overridden.err);
  CHECK(overridden.code == 0);
  CHECK(overridden.json()["tokenizer"]["pre"].string == "smollm");
  CHECK(program.run({"info", unknown, "--pre-tokenizer", "smollm", "--self-test"}).code == 0);
}

TEST_CASE("output that cannot be written is a failure") {
  const Program program;
  const std::string nowhere = program.folder().file("no-such-folder/file");
  check_failure(program.run({"logits", program.model(), "-o", nowhere}, "{\"tokens\": [1]}"), nowhere);
  const std::string text = program.write("text", "the cat sat on the mat");
  check_failure(program.run({"perplexity", program.model(), "-f", text, "--logits-out", nowhere}), nowhere);
  if (std::filesystem::exists("/dev/full")) {
    const std::string full = "/dev/full";
    CHECK(program.run({"perplexity", program.model(), "-f", text, "--logits-out", full}).code == 1);
    CHECK(program.run({"logits", program.model(), "-o", full}, "{\"tokens\": [1]}").code == 1);
  }
}

}  // namespace loquat_test
