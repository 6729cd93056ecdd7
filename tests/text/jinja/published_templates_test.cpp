// SPDX-License-Identifier: MIT
// Published chat templates against the texts that Python's Jinja2 gives (promise X3).
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "support/catch.hpp"
#include "support/vectors.hpp"
#include "text/jinja/json_read.hpp"
#include "text/jinja/printing.hpp"
#include "text/jinja/template.hpp"

using namespace loquat;
using namespace loquat::text;

namespace {

struct Case {
  std::string template_name;
  std::string name;
  std::string context;
  bool is_error = false;
  std::string text;
};

std::string json_of(jinja::Arena& arena, const jinja::Value& value) {
  jinja::TextBuilder builder(arena, 1 << 24);
  REQUIRE(jinja::write_json(builder, value, {}));
  return std::string(builder.text().view());
}

std::vector<Case> read_cases(const std::filesystem::path& file) {
  std::vector<Case> cases;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    jinja::Arena arena(default_allocator(), 1 << 26);
    const auto value = jinja::read_json(line, arena);
    REQUIRE(value);
    const jinja::Mapping& object = *value->mapping;
    Case one;
    one.template_name = object.find("template")->text.view();
    one.name = object.find("case")->text.view();
    one.context = json_of(arena, *object.find("context"));
    one.is_error = object.find("error") != nullptr;
    if (!one.is_error) one.text = object.find("text")->text.view();
    cases.push_back(std::move(one));
  }
  return cases;
}

constexpr std::int64_t kReferenceTime = 1793881800;  // 2026-11-05 12:30:00 UTC

std::string first_difference(const std::string& got, const std::string& want) {
  std::size_t i = 0;
  while (i < got.size() && i < want.size() && got[i] == want[i]) ++i;
  const std::size_t from = i > 40 ? i - 40 : 0;
  return "at byte " + std::to_string(i) + "\n got: " + got.substr(from, 100) + "\nwant: " + want.substr(from, 100);
}

}  // namespace

TEST_CASE("published templates render as the published software renders them (X3)") {
  LOQUAT_NEED_VECTORS(folder);
  const auto cases = read_cases(folder / "chat-templates" / "expected.jsonl");
  REQUIRE(cases.size() > 1000);
  std::set<std::string> names;
  std::set<std::string> imperfect;
  std::size_t n_equal = 0;
  for (const Case& one : cases) {
    names.insert(one.template_name);
    INFO(one.template_name << " / " << one.name);
    const std::string source = loquat_test::read_text(folder / "chat-templates" / one.template_name);
    auto parsed = jinja::Template::parse(source, default_allocator());
    Result<jinja::Rendered> rendered = Error(ErrorCode::template_error, "not parsed");
    if (parsed) {
      rendered = parsed->render({.variables = one.context, .unix_seconds = kReferenceTime});
    } else {
      UNSCOPED_INFO(parsed.error().c_str());
    }
    bool is_equal = false;
    if (rendered) {
      const std::string got(rendered->text.view());
      is_equal = !one.is_error && got == one.text;
      if (!is_equal) UNSCOPED_INFO(first_difference(got, one.text));
    } else {
      is_equal = one.is_error;
      if (!is_equal) UNSCOPED_INFO(rendered.error().c_str());
    }
    CHECK(is_equal);
    n_equal += is_equal ? 1 : 0;
    if (!is_equal) imperfect.insert(one.template_name);
  }
  WARN(n_equal << " of " << cases.size() << " cases equal; " << names.size() - imperfect.size() << " of "
               << names.size() << " templates equal in all cases");
}
