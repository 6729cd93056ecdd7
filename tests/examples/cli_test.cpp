// SPDX-License-Identifier: MIT
// The loquat program on a toy model: every verb, its JSON, its exit codes.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "../examples/cli/json.hpp"
#include "examples/command.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_model.hpp"

namespace loquat_test {

using cli::Json;

namespace {

/// A folder with the toy model, and calls of the program on it.
class Bench {
 public:
  Bench() : model_(folder_.write("toy.gguf", make_toy_model().bytes)) {}

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
    return folder_.file(name);
  }
  std::string path(const std::string& name) const { return folder_.file(name); }
  const std::string& model() const { return model_; }

  /// `loquat VERB MODEL ARGUMENTS`, standard output only.
  Outcome call(const std::string& verb, const std::string& arguments, const std::string& input_lines = "") const {
    const std::string input = file("input", input_lines);
    return run(program() + " " + verb + " " + quoted(model_) + " " + arguments, input, false);
  }
  static std::string program() { return quoted(LOQUAT_PROGRAM); }

 private:
  TemporaryFolder folder_;
  std::string model_;
};

std::vector<Json> lines_of(const Outcome& outcome) {
  INFO(outcome.output);
  REQUIRE(outcome.code == 0);
  std::vector<Json> lines;
  std::istringstream text(outcome.output);
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  return lines;
}

}  // namespace

TEST_CASE("every verb has help, and wrong words are usage errors") {
  for (const std::string verb :
       {"run", "chat", "info", "bench", "tokenize", "render", "logits", "generate", "perplexity"}) {
    INFO(verb);
    CHECK(run(Bench::program() + " " + verb + " --help").code == 0);
    CHECK(run(Bench::program() + " " + verb + " --help").says("usage: loquat " + verb));
    CHECK(run(Bench::program() + " " + verb + " --sparkle").code == 2);
  }
  CHECK(run(Bench::program()).code == 2);
  CHECK(run(Bench::program() + " sparkle").code == 2);
  CHECK(run(Bench::program() + " --help").code == 0);
  CHECK(run(Bench::program() + " info no-such-file.gguf").code == 1);
}

TEST_CASE("run answers through the template, the same for a seed") {
  const Bench bench;
  const std::string arguments = "-p \"Hello\" -n 12 --seed 3 -t 1 --json";
  const auto first = lines_of(bench.call("run", arguments));
  REQUIRE(first.size() == 1);
  CHECK(first[0]["text"].as_text("text") == lines_of(bench.call("run", arguments))[0]["text"].as_text("text"));
  CHECK(first[0].has("finish"));
  CHECK(first[0]["usage"]["prompt_tokens"].as_whole("prompt_tokens") > 5);
  CHECK(lines_of(bench.call("run", "-p Hello -n 4 --raw --json"))[0]["usage"]["prompt_tokens"].as_whole("n") <= 5);
  CHECK(bench.call("run", "-p Hello -n 12").code == 0);
  CHECK(bench.call("run", "").code == 2);
}

TEST_CASE("info tells the model, its cost and the levels") {
  const Bench bench;
  const Json info = lines_of(bench.call("info", "--json"))[0];
  CHECK(info["architecture"].as_text("architecture") == "llama");
  bool has_level_in_use = false;
  for (const Json& level : info["levels"].as_array("levels")) has_level_in_use |= level["in_use"].as_bool("in_use");
  CHECK(has_level_in_use);
  CHECK(info["plan"]["total"].as_whole("total") > 0);
  CHECK(bench.call("info", "--self-test").code == 0);
}

TEST_CASE("tokenize goes both ways, and needs a vocabulary only") {
  const Bench bench;
  const auto ids = lines_of(bench.call("tokenize", "", "{\"text_b64\": \"SGkgdGhlcmU=\"}\n{\"text_b64\": \"\"}\n"));
  REQUIRE(ids.size() == 2);
  CHECK(ids[1]["ids"].as_array("ids").empty());
  const auto back = lines_of(bench.call("tokenize", "--decode", ids[0].dump() + "\n"));
  CHECK(back[0]["text_b64"].as_text("text") == "SGkgdGhlcmU=");
}

TEST_CASE("render gives text or an error a line") {
  const Bench bench;
  const std::string context = R"({"context": {"messages": [{"role": "user", "content": "Hi"}], "x": 1.0, "y": 1}})";
  const std::string path = bench.file("t.jinja", "{{ x }} {{ y }} {{ messages[0].content }}{{ missing.a }}");
  const std::string good =
      bench.file("good.jinja", "{{ x }} {{ y }} {{ messages[0].content }} {{ strftime_now('%F') }}");
  const std::string input = bench.file("lines", context + "\n" + context + "\n");
  const auto failing = lines_of(run(Bench::program() + " render --template " + quoted(path), input, false));
  REQUIRE(failing.size() == 2);
  CHECK(failing[0]["code"].as_text("code") == "template_error");
  const auto rendered = lines_of(run(Bench::program() + " render --now 0 --template " + quoted(good), input, false));
  CHECK(rendered[1]["text"].as_text("text") == "1.0 1 Hi 1970-01-01");
  const auto by_model = lines_of(run(Bench::program() + " render --model " + quoted(bench.model()), input, false));
  CHECK(by_model[0]["text"].as_text("text") == "<|im_start|>user\nHi<|im_end|>\n");
  const std::string named = bench.file("named", R"({"template": "good.jinja", )" + context.substr(1) + "\n");
  const std::string folder = std::filesystem::path(good).parent_path().string();
  const std::string by_folder = Bench::program() + " render --now 0 --template-dir " + quoted(folder);
  CHECK(lines_of(run(by_folder, named, false))[0]["text"].as_text("text") == "1.0 1 Hi 1970-01-01");
  CHECK(run(Bench::program() + " render", input).code == 2);
}

TEST_CASE("logits writes a row a token") {
  const Bench bench;
  const std::string out = bench.path("logits.f32");
  CHECK(bench.call("logits", "-o " + quoted(out), "{\"tokens\": [5, 6, 7]}\n").code == 0);
  const auto width = toy_vocabulary_size(ToyTokenizer::bpe);
  CHECK(std::filesystem::file_size(out) == std::uintmax_t{3} * width * 4);
  CHECK(bench.call("logits", "--last -o " + quoted(out), "{\"tokens\": [5, 6, 7]}\n").code == 0);
  CHECK(std::filesystem::file_size(out) == std::uintmax_t{1} * width * 4);
  CHECK(bench.call("logits", "-o " + quoted(out), "{\"tokens\": [5, 1000000]}\n").code == 1);
}

TEST_CASE("generate answers each line, and the same as alone") {
  const Bench bench;
  const std::string requests =
      "{\"tokens\": [5, 6], \"max_tokens\": 4, \"temperature\": 0}\n"
      "{\"prompt\": \"Hello\", \"max_tokens\": 4, \"temperature\": 0.9, \"seed\": 5}\n"
      "{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}], \"max_tokens\": 4, \"temperature\": 0}\n";
  const auto replies = lines_of(bench.call("generate", "", requests));
  REQUIRE(replies.size() == 3);
  for (const Json& reply : replies) {
    CHECK(reply.has("ids"));
    CHECK(reply.has("finish"));
    CHECK(reply.has("usage"));
  }
  const auto alone = lines_of(bench.call("generate", "", requests.substr(0, requests.find('\n') + 1)));
  CHECK(alone[0]["ids"].dump() == replies[0]["ids"].dump());
}

TEST_CASE("bench and perplexity measure") {
  const Bench bench;
  const Json speed = lines_of(bench.call("bench", "-p 16 -n 4 -r 1 -t 1 --json"))[0];
  CHECK(speed["prefill_tok_s"]["median"].as_number("median") > 0);
  CHECK(speed["decode_tok_s"]["median"].as_number("median") > 0);
  const std::string text = bench.file("text", "The quick brown fox jumps over the lazy dog, and the dog sleeps on.");
  const std::string logits = bench.path("ref.f32");
  const std::string arguments = "-f " + quoted(text) + " --context 32 --json ";
  const Json first = lines_of(bench.call("perplexity", arguments + "--logits-out " + quoted(logits)))[0];
  CHECK(first["perplexity"].as_number("perplexity") > 1);
  const Json same = lines_of(bench.call("perplexity", arguments + "--compare " + quoted(logits)))[0];
  CHECK(same["kl_mean"].as_number("kl_mean") < 1e-9);
  CHECK(same["top1_agree_percent"].as_number("agreement") == 100);
}

TEST_CASE("chat answers lines until they end") {
  const Bench bench;
  CHECK(bench.call("chat", "-n 4", "Hello\n/help\nAgain\n").code == 0);
}

}  // namespace loquat_test
