// SPDX-License-Identifier: MIT
// The options that all verbs share do something, and those that promise the same bits give them.
#include <string>
#include <vector>

#include "loquat/cpu.hpp"
#include "loquat/executor.hpp"
#include "program.hpp"
#include "support/catch.hpp"

namespace loquat_test {

namespace {

const std::string kTokens =
    "{\"tokens\": [116, 104, 101, 32, 99, 97, 116, 32, 115, 97, 116, 46, 46, 46, 10, 116, 104]}\n";

/// The bytes of the logits that these options give, empty on a failure.
std::string logits(const Program& program, const Words& options) {
  const std::string file = program.folder().file("logits.f32");
  Words words = {"logits", program.model(), "-o", file};
  words.insert(words.end(), options.begin(), options.end());
  const Outcome outcome = program.run(words, kTokens);
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  return outcome.code == 0 ? read_text(file) : "";
}

}  // namespace

TEST_CASE("threads, executors, levels, chunks, layout and mapping give the same bits (D1, D2)") {
  const Program program;
  const std::string expected = logits(program, {"--level", "reference", "-t", "1"});
  REQUIRE(!expected.empty());
  std::vector<Words> all = {{},
                            {"-t", "3"},
                            {"--threads=2"},
                            {"--executor", "auto"},
                            {"--executor", "inline"},
                            {"--executor", "pool", "-t", "4"},
                            {"--context", "32"},
                            {"--chunk", "1"},
                            {"--chunk=5"},
                            {"--layout", "file"},
                            {"--layout", "file", "--no-mmap"},
                            {"--layout", "packed"},
                            {"--no-mmap"},
                            {"--cache-type", "f16"},
                            {"--cache-type", "auto"}};
  for (const loquat::LevelInfo& level : loquat::levels()) {
    if (level.is_available) all.push_back({"--level", level.name, "--chunk", "7"});
  }
  if (loquat::parse_executor("openmp")) all.push_back({"--executor", "openmp", "-t", "2"});
  for (const Words& options : all) {
    std::string text;
    for (const std::string& word : options) text += word + " ";
    INFO(text);
    CHECK(logits(program, options) == expected);
  }
  CHECK(logits(program, {"--cache-type", "f32"}) != expected);
}

TEST_CASE("a level or executor that this build or machine lacks is a failure that names it") {
  const Program program;
  std::vector<Words> lacking;
  for (const loquat::LevelInfo& level : loquat::levels()) {
    if (!level.is_available) lacking.push_back({"--level", level.name});
  }
  if (!loquat::parse_executor("openmp")) lacking.push_back({"--executor", "openmp"});
  for (const Words& options : lacking) {
    const Outcome outcome = program.run({"info", program.model(), options[0], options[1]});
    INFO(outcome.err);
    CHECK(outcome.code == 1);
    CHECK(outcome.complains(options[1]));
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("options reach what they are for: info and bench tell level and threads, the plan the cache") {
  const Program program;
  const auto info = [&](const Words& options) {
    Words words = {"info", program.model(), "--json"};
    words.insert(words.end(), options.begin(), options.end());
    return program.run(words).json();
  };
  const Json forced = info({"--level", "reference"});
  for (const Json& level : forced["levels"].array) {
    CHECK(level["in_use"].boolean == (level["name"].string == "reference"));
  }
  const double small = info({"--context", "64"})["plan"]["cache_per_session"].number;
  CHECK(info({"--context", "512"})["plan"]["cache_per_session"].number > 4 * small);
  CHECK(info({"--context", "64", "--cache-type", "f32"})["plan"]["cache_per_session"].number > 1.5 * small);
  CHECK(info({"--chunk", "8"})["plan"]["scratch_per_session"].number < info({})["plan"]["scratch_per_session"].number);
  const Json bench =
      program
          .run({"bench", program.model(), "-p", "2", "-n", "0", "-r", "1", "-t", "3", "--level", "reference", "--json"})
          .json();
  CHECK(bench["threads"].number == 3);
  CHECK(bench["level"].string == "reference");
}

}  // namespace loquat_test
