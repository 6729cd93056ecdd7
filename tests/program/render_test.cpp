// SPDX-License-Identifier: MIT
// loquat render: a template's error is an answer, a broken line is a failure; neither ends the others.
#include <string>
#include <vector>

#include "program.hpp"
#include "support/catch.hpp"

namespace loquat_test {

TEST_CASE("render: what a template gives or refuses is the line's answer, by model, file and folder") {
  const Program program;
  const std::string context = R"("context": {"messages": [{"role": "user", "content": "Any \"rooms\"?\n{}[],"}]})";
  const std::string file = program.write("one.jinja", "{{ messages[0].content }}");
  program.write("refusing.jinja", "{{ raise_exception('no guests') }}");
  const std::string text = "Any \"rooms\"?\n{}[],";
  const std::string line = "{" + context + "}\n";
  const Json by_file = program.run({"render", "--template", file}, line).json();
  CHECK(by_file["text"].string == text);
  const Json by_model = program.run({"render", "--model", program.model()}, line).json();
  CHECK(by_model["text"].string == "<|im_start|>user\n" + text + "<|im_end|>\n");
  const Outcome by_folder = program.run({"render", "--template-dir", program.folder().path().string()},
                                        R"({"template": "refusing.jinja", )" + context +
                                            "}\n"
                                            R"({"template": "one.jinja", )" +
                                            context + "}\n");
  CHECK(by_folder.code == 0);
  const std::vector<Json> lines = by_folder.lines();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["code"].string == "template_refused");
  CHECK(lines[0]["error"].string.find("no guests") != std::string::npos);
  CHECK(lines[1]["text"].string == text);
}

TEST_CASE("render: a broken line gets its error, is told with its number, and the others their answers") {
  const Program program;
  const std::string folder = program.folder().path().string();
  program.write("one.jinja", "fine");
  const std::string good = R"({"template": "one.jinja", "context": {}})";
  const std::vector<std::string> broken = {"{\"context\"",
                                           "[]",
                                           R"({"template": "one.jinja"})",
                                           R"({"template": "one.jinja", "context": 5})",
                                           R"({"context": {}})",
                                           R"({"template": "absent.jinja", "context": {}})"};
  std::string input;
  for (const std::string& line : broken) input += line + "\n" + good + "\n";
  const Outcome outcome = program.run({"render", "--template-dir", folder}, input);
  CHECK(outcome.code == 1);
  const std::vector<Json> lines = outcome.lines();
  REQUIRE(lines.size() == 2 * broken.size());
  for (std::size_t i = 0; i < broken.size(); ++i) {
    INFO(broken[i]);
    CHECK(lines[2 * i].has("error"));
    CHECK(lines[2 * i + 1]["text"].string == "fine");
    CHECK(outcome.complains("line " + std::to_string(2 * i + 1) + ": "));
  }
}

TEST_CASE("render: a model or template that is not there is a failure") {
  const Program program;
  const std::string absent = program.folder().file("absent");
  for (const char* option : {"--model", "--template"}) {
    const Outcome outcome = program.run({"render", option, absent}, R"({"context": {}})");
    CHECK(outcome.code == 1);
    CHECK(outcome.complains("absent"));
  }
}

}  // namespace loquat_test
