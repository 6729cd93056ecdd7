// SPDX-License-Identifier: MIT
// loquat logits, perplexity, bench and info: the numbers they give, and that they agree with each other.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "program.hpp"
#include "support/catch.hpp"

namespace loquat_test {

namespace {

const std::string kText =
    "the cat sat on the mat, and the dog sat on the cat; then the mat was on the dog, which is how the world goes.";

std::size_t best_of(const std::vector<float>& logits, std::size_t row, std::size_t width) {
  const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(row * width);
  return static_cast<std::size_t>(std::max_element(begin, begin + static_cast<std::ptrdiff_t>(width)) - begin);
}

double negative_log_probability(const std::vector<float>& logits, std::size_t row, std::size_t width, std::size_t id) {
  const float* values = logits.data() + row * width;
  double sum = 0;
  for (std::size_t i = 0; i < width; ++i) sum += std::exp(static_cast<double>(values[i]));
  return std::log(sum) - values[id];
}

void check_spread(const Json& spread) {
  CHECK(spread["min"].number > 0);
  CHECK(spread["min"].number <= spread["median"].number);
  CHECK(spread["median"].number <= spread["max"].number);
}

}  // namespace

TEST_CASE("logits: [T, V] floats, one sequence after the other, whose best is what greedy generation takes") {
  const Program program;
  const std::string file = program.folder().file("all.f32");
  const std::string last_file = program.folder().file("last.f32");
  const std::string input = "{\"tokens\": [116, 104, 101]}\n{\"tokens\": [32]}\n{\"tokens\": [99, 97, 116, 33]}\n";
  const Outcome outcome = program.run({"logits", program.model(), "-o", file}, input);
  CHECK(outcome.code == 0);
  const std::vector<Json> lines = outcome.lines();
  REQUIRE(lines.size() == 3);
  const std::size_t width = toy_vocabulary_size(ToyTokenizer::bpe);
  for (const Json& line : lines) CHECK(line["width"].as<std::size_t>() == width);
  CHECK(lines[2]["rows"].number == 4);
  const std::vector<float> all = read_floats(file);
  REQUIRE(std::filesystem::file_size(file) == (3 + 1 + 4) * width * sizeof(float));

  REQUIRE(program.run({"logits", program.model(), "-o", last_file, "--last"}, input).code == 0);
  const std::vector<float> last = read_floats(last_file);
  REQUIRE(last.size() == 3 * width);
  const std::vector<Json> next = program.run({"generate", program.model(), "-n", "1"}, input).lines();
  const std::vector<std::size_t> last_rows = {2, 3, 7};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = all.begin() + static_cast<std::ptrdiff_t>(last_rows[i] * width);
    CHECK(std::equal(row, row + static_cast<std::ptrdiff_t>(width),
                     last.begin() + static_cast<std::ptrdiff_t>(i * width)));
    CHECK(next[i]["ids"][0].as<std::size_t>() == best_of(all, last_rows[i], width));
  }
}

TEST_CASE("logits: a wrong line is named and nothing is written") {
  const Program program;
  const std::string file = program.folder().file("never.f32");
  std::string too_long = "1";
  for (int i = 0; i < 512; ++i) too_long += ", 1";
  for (const std::string bad : {"{\"tokens\": []}", "{\"tokens\": [100000]}", "{\"tokens\": [-1]}", "{}",
                                "{\"tokens\": [1", "{\"tokens\": [\"a\"]}"}) {
    const Outcome outcome = program.run({"logits", program.model(), "-o", file}, "{\"tokens\": [1]}\n\n" + bad + "\n");
    INFO(bad);
    CHECK(outcome.code == 1);
    CHECK(outcome.complains("line 3: "));
    CHECK(outcome.out.empty());
  }
  const Outcome outcome = program.run({"logits", program.model(), "-o", file}, "{\"tokens\": [" + too_long + "]}");
  CHECK(outcome.code == 1);
  CHECK(outcome.complains("513"));
  CHECK(!std::filesystem::exists(file));
}

TEST_CASE("perplexity: what the logits say, whole and in passes") {
  const Program program;
  const std::string text = program.write("text", kText);
  const std::string file = program.folder().file("logits.f32");
  const std::vector<int> ids =
      program.run({"tokenize", program.model()}, "{\"text_b64\": \"" + to_base64(kText) + "\"}")
          .json()["ids"]
          .numbers<int>();
  const std::size_t width = toy_vocabulary_size(ToyTokenizer::bpe);
  for (const std::size_t context : {std::size_t{512}, std::size_t{8}}) {
    const Outcome outcome = program.run({"perplexity", program.model(), "-f", text, "--json", "--logits-out", file,
                                         "--context", std::to_string(context)});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    const std::vector<float> logits = read_floats(file);
    REQUIRE(logits.size() == ids.size() * width);
    double sum = 0;
    std::size_t n = 0;
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      if ((i + 1) % context == 0) continue;  // the first token of a pass is not predicted
      sum += negative_log_probability(logits, i, width, static_cast<std::size_t>(ids[i + 1]));
      ++n;
    }
    const Json json = outcome.json();
    CHECK(json["tokens"].as<std::size_t>() == ids.size());
    CHECK(json["context"].as<std::size_t>() == context);
    const double expected = std::exp(sum / static_cast<double>(n));
    CHECK(std::abs(json["perplexity"].number - expected) < 1e-9 * expected);
  }
}

TEST_CASE("perplexity --compare: a model against its own logits diverges by nothing, against another's by something") {
  const Program program;
  const std::string text = program.write("text", kText);
  const std::string file = program.folder().file("logits.f32");
  const Words words = {"perplexity", program.model(), "-f", text};
  Words storing = words, comparing = words;
  storing.insert(storing.end(), {"--logits-out", file});
  comparing.insert(comparing.end(), {"--compare", file, "--json"});
  const Outcome stored = program.run(storing);
  REQUIRE(stored.code == 0);
  CHECK(stored.says("perplexity "));
  const Json same = program.run(comparing).json();
  CHECK(std::abs(same["kl_mean"].number) < 1e-12);
  CHECK(same["top1_agree_percent"].number == 100.0);

  const std::string other = program.folder().write("other.gguf", make_toy_model({.seed = 2}).bytes);
  comparing[1] = other;
  const Json differs = program.run(comparing).json();
  CHECK(differs["kl_mean"].number > 1e-3);
  CHECK(differs["top1_agree_percent"].number < 100.0);

  comparing.pop_back();
  comparing[1] = program.model();
  CHECK(program.run(comparing).says("same best token 100.00 %"));
  comparing.insert(comparing.end(), {"-n", "5"});
  const Outcome mismatched = program.run(comparing);
  CHECK(mismatched.code == 1);
  CHECK(mismatched.complains("logits.f32"));
}

TEST_CASE("perplexity: a text that is missing, a folder, empty or of one token is a failure") {
  const Program program;
  const std::string folder = program.folder().path().string();
  for (const std::string& file :
       {program.folder().file("no-text"), folder, program.write("empty", ""), program.write("short", "a")}) {
    const Outcome outcome = program.run({"perplexity", program.model(), "-f", file});
    INFO(file << "\n" << outcome.err);
    CHECK(outcome.code == 1);
    CHECK(outcome.complains("loquat: "));
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("bench --json: speeds with their spread, and the yardstick") {
  const Program program;
  const Words words = {"bench", program.model(), "-p", "8", "-n", "4", "-d", "3", "-r", "2", "-t", "2", "--json"};
  const Outcome outcome = program.run(words);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json json = outcome.json();
  CHECK(json["prefill_tokens"].number == 8);
  CHECK(json["decode_tokens"].number == 4);
  CHECK(json["depth"].number == 3);
  CHECK(json["threads"].number == 2);
  CHECK(!json["level"].string.empty());
  check_spread(json["prefill_tok_s"]);
  check_spread(json["decode_tok_s"]);
  CHECK(json["read_bandwidth_gb_s"].number > 0);
  CHECK(json["share_of_bandwidth"].number > 0);
  const Outcome text = program.run({"bench", program.model(), "-p", "4", "-n", "0", "-r", "1"});
  CHECK(text.code == 0);
  CHECK(text.says("prefill    4: "));
  const Outcome beyond = program.run({"bench", program.model(), "-p", "1000", "-r", "1"});
  CHECK(beyond.code == 1);
  CHECK(beyond.complains("context"));
  CHECK(beyond.out.empty());
}

TEST_CASE("info --json: what the file holds, what it costs, which levels there are") {
  const Program program({.architecture = "qwen2", .add_bos = true});
  const Outcome outcome = program.run({"info", program.model(), "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json json = outcome.json();
  CHECK(json["architecture"].string == "qwen2");
  CHECK(json["layers"].number == 2);
  CHECK(json["width"].number == 64);
  CHECK(json["heads"].number == 4);
  CHECK(json["kv_heads"].number == 2);
  CHECK(json["head_width"].number == 16);
  CHECK(json["ffn_width"].number == 96);
  CHECK(json["context_length"].number == 512);
  CHECK(json["vocabulary"].number == toy_vocabulary_size(ToyTokenizer::bpe));
  CHECK(json["file_bytes"].as<std::size_t>() == std::filesystem::file_size(program.model()));
  CHECK(json["parameters"].number > 64 * 64);
  CHECK(json["tensor_types"]["Q8_0"]["tensors"].number > 0);
  CHECK(json["tokenizer"]["add_bos"].boolean);
  CHECK(json["chat_template"].string == kToyChatTemplate);
  const Json& plan = json["plan"];
  CHECK(plan["total"].number == plan["weights"].number + plan["tokenizer"].number + plan["metadata"].number +
                                    plan["cache_per_session"].number + plan["scratch_per_session"].number);
  std::size_t in_use = 0;
  for (const Json& level : json["levels"].array) {
    in_use += level["in_use"].boolean ? 1 : 0;
    CHECK((!level["in_use"].boolean || level["available"].boolean));
  }
  CHECK(in_use == 1);
  CHECK(json["levels"][0]["name"].string == "reference");

  const Outcome text = program.run({"info", program.model()});
  CHECK(text.code == 0);
  CHECK(text.says("qwen2"));
  CHECK(text.says("reference"));
}

TEST_CASE("info --self-test: every available level gives the bits of the reference (D2)") {
  const Program program;
  const Outcome outcome = program.run({"info", program.model(), "--self-test", "--json"});
  CHECK(outcome.code == 0);
  const Json json = outcome.json();
  CHECK(json["passed"].boolean);
  CHECK(json["self_test"].size() > 1);
  for (const Json& level : json["self_test"].array) CHECK(level["same_bits"].boolean);
  const Outcome text = program.run({"info", program.model(), "--self-test"});
  CHECK(text.code == 0);
  CHECK(text.says("same bits"));
  const Program small({.context_length = 4});
  CHECK(small.run({"info", small.model(), "--self-test"}).code == 0);
}

}  // namespace loquat_test
