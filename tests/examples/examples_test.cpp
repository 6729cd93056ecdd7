// SPDX-License-Identifier: MIT
// Every example runs on a toy model, and on a real one where LOQUAT_TEST_MODEL names a file.
#include <array>
#include <string>

#include "examples/command.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_model.hpp"
#include "support/vectors.hpp"

namespace loquat_test {

namespace {

std::string example(const std::string& name) { return quoted(std::string(LOQUAT_EXAMPLES_DIR) + "/" + name); }

struct Example {
  std::string name;
  std::string arguments;
  std::string says;
};

const std::array<Example, 5> kExamples = {{{"01_hello", "", "prompt tokens"},
                                           {"02_stream_and_cancel", "", "after dropping the last answer"},
                                           {"03_chat", " \"Any rooms?\" \"For two.\"", "user: For two."},
                                           {"04_host_hooks", "", "all is given back: 0 bytes left"},
                                           {"05_game_loop", " 2", "frames"}}};

void run_all(const std::string& model) {
  for (const Example& one : kExamples) {
    const Outcome outcome = run(example(one.name) + " " + quoted(model) + one.arguments);
    INFO(one.name << ":\n" << outcome.output);
    CHECK(outcome.code == 0);
    CHECK(outcome.says(one.says));
  }
}

}  // namespace

TEST_CASE("every example runs on a toy model") {
  const TemporaryFolder folder;
  run_all(folder.write("toy.gguf", make_toy_model().bytes));
}

TEST_CASE("every example runs on a real model") {
  const std::filesystem::path model = model_from_environment("LOQUAT_TEST_MODEL");
  if (model.empty()) {
    say_skipped("LOQUAT_TEST_MODEL is not set: examples on a real model");
    return;
  }
  run_all(model.string());
}

TEST_CASE("every example says what is wrong: without arguments, and with a file that is not there") {
  for (const Example& one : kExamples) {
    const Outcome without = run(example(one.name));
    INFO(one.name << ":\n" << without.output);
    CHECK(without.code == 2);
    CHECK(without.says("usage: "));
    const Outcome absent = run(example(one.name) + " no-such-file.gguf");
    INFO(absent.output);
    CHECK(absent.code == 1);
    CHECK(absent.says("error (io): "));
  }
}

#if !defined(_WIN32)
TEST_CASE("quickstart.sh explains itself and refuses what it does not know") {
  const std::string script = quoted(std::string(LOQUAT_SOURCE_DIR) + "/examples/quickstart.sh");
  CHECK(run(script + " --help").code == 0);
  CHECK(run(script + " --help").says("Usage: "));
  CHECK(run(script + " --sparkle").code == 2);
  CHECK(run(script + " no-such-file.gguf").says("there is no file 'no-such-file.gguf'"));
}
#endif

}  // namespace loquat_test
