// SPDX-License-Identifier: MIT
// The language, feature by feature, against texts recorded from Python's Jinja2 (promises X3, X7).
#include "text/jinja/support.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

constexpr std::string_view kVariables =
    R"({"n": null, "i": 7, "f": 1.5, "s": "Hello World", "u": "Gr\u00fc\u00dfe \u4e16\u754c \ud83d\ude00",
        "l": [3, 1, 2], "m": {"b": 1, "a": [true, null, 2.0], "c": "x'y\"z\n"},
        "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yo"}],
        "words": ["b", "A", "c", "a"]})";

struct Row {
  std::string_view source;
  std::string_view text;
};

constexpr Row kRows[] = {
#include "text/jinja/language_cases.inc"
};

}  // namespace

TEST_CASE("every feature of the language gives the recorded text (X3)") {
  for (const Row& row : kRows) CHECK(render_text(row.source, {.variables = kVariables}) == row.text);
}

TEST_CASE("what Python refuses while rendering is a template_error with line and column (X2)") {
  const std::string_view sources[] = {
      R"({{ undefinedthing.x }})",
      R"({{ undefinedthing + 1 }})",
      R"({{ 1 + "a" }})",
      R"({{ none + 1 }})",
      R"({{ i() }})",
      R"({{ m.update({}) }})",
      R"({{ l.append(1) }})",
      R"({{ 1 < "a" }})",
      R"({{ 1 in 5 }})",
      R"({% for x in 5 %}{% endfor %})",
      R"({% set i.x = 1 %})",
      R"({{ undefinedthing|tojson }})",
      R"({{ range(3)|tojson }})",
      R"({{ l|map("upper")|tojson }})",
      R"({{ [1]|upper|nofilter }})",
      R"({{ 1 / 0 }})",
      R"({{ 1 % 0 }})",
      R"({{ n|length }})",
      R"({{ {[1]: 2} }})",
      R"({% set a, b = [1] %})",
      R"({{ range(1000000) }})",
      R"({% macro f(a) %}{% endmacro %}{{ f(1, 2) }})",
      R"({{ "a"|replace("b") }})",
      R"({{ "a"|trim(zzz=1) }})",
      R"({{ l|sort(1,2,3,4,5) }})",
      R"({{ n.x.y }})",
      R"({{ undefinedthing() }})",
      R"({{ undefinedthing < 1 }})",
      R"({{ words + 1 }})",
      R"({{ l|selectattr("x", "notest")|list }})",
  };
  for (const std::string_view source : sources) {
    INFO(source);
    std::string on_second_line(1, '\n');
    on_second_line += source;
    const auto rendered = render(on_second_line, {.variables = kVariables});
    REQUIRE_FALSE(rendered);
    CHECK(rendered.code() == ErrorCode::template_error);
    CHECK(rendered.error().message().starts_with("chat template, line 2, column "));
    CHECK(rendered.error().offset() == 2);
  }
}

TEST_CASE("what does not parse is a template_error with line and column (X2)") {
  const std::string_view sources[] = {
      R"({% if %}{% endif %})",
      R"({% if x %})",
      R"({% endif %})",
      R"({{ }})",
      R"({{ x)",
      R"({% unknown %})",
      R"({{ a b }})",
      R"({{ "abc }})",
      R"({% for x %}{% endfor %})",
      R"({# open)",
      R"({{ (1, 2 }})",
      R"({{ [1 }})",
      R"({% set %})",
      R"({{ 1 $ 2 }})",
      R"({% raw %}x)",
      R"({% break %})",
      R"({{ x is defined is string }})",
      R"({{ f(a=1, 2) }})",
      R"({% else %})",
      R"({% macro %}{% endmacro %})",
      R"({{ a.}})",
      R"({% for x in y %}{% endif %})",
      R"({% include "x" %})",
      R"({% extends "x" %})",
  };
  for (const std::string_view source : sources) {
    INFO(source);
    const auto parsed = jinja::Template::parse(source, default_allocator());
    REQUIRE_FALSE(parsed);
    CHECK(parsed.code() == ErrorCode::template_error);
    CHECK(parsed.error().message().starts_with("chat template, line 1, column "));
  }
}

TEST_CASE("an error names the feature and its place (X2)") {
  CHECK(render_text("a\n {{ 'x' | sparkle }}") ==
        "template_error: chat template, line 2, column 11: no filter is named sparkle");
  CHECK(render_text("{% include 'x' %}") == "template_error: chat template, line 1, column 1: no tag is named include");
  CHECK(render_text("{{ who.name }}") == "template_error: chat template, line 1, column 8: 'who' is undefined");
}

TEST_CASE("an unknown filter in a branch that is not taken does no harm") {
  CHECK(render_text("{% if false %}{{ 1 | sparkle }}{% endif %}ok") == "ok");
}

TEST_CASE("raise_exception is a refusal with the template's message (X4)") {
  const jinja::MessageView messages[] = {{"user", "a"}, {"user", "b"}};
  const auto rendered =
      render("{% if messages[0].role == messages[1].role %}{{ raise_exception('roles must alternate') }}{% endif %}",
             {.messages = messages});
  REQUIRE_FALSE(rendered);
  CHECK(rendered.code() == ErrorCode::template_refused);
  CHECK(rendered.error().message() == "roles must alternate");
}

TEST_CASE("dates come from the context and in the C locale (X7)") {
  CHECK(render_text("{{ strftime_now('%d %b %Y, %A %-d %B %H:%M:%S %j %y %I %p %%') }}",
                    {.unix_seconds = 1793881800}) == "05 Nov 2026, Thursday 5 November 12:30:00 309 26 12 PM %");
  CHECK(render_text("{{ strftime_now('%F') }}", {.unix_seconds = -1}) == "1969-12-31");
  CHECK(render_text("{{ strftime_now('%Q') }}").starts_with("template_error"));
}

TEST_CASE("line ends of all kinds count as one, and one at the end goes") {
  CHECK(render_text("a\r\nb\rc\n") == "a\nb\nc");
  CHECK(render_text("a\n\n") == "a\n");
  CHECK(render_text("{% if true %}\r\nx{% endif %}\r\n") == "x");
}

TEST_CASE("case of letters beyond ASCII is refused, not guessed") {
  CHECK(render_text("{{ u|upper }}", {.variables = kVariables}).starts_with("template_error"));
  CHECK(render_text("{{ '\xE4\xB8\x96 a'|upper }}") == "\xE4\xB8\x96 A");
}

TEST_CASE("variables must be a JSON object") {
  CHECK(render_text("x", {.variables = "[1]"}).starts_with("invalid_argument"));
  CHECK(render_text("x", {.variables = "{\"a\": }"}).starts_with("invalid_argument"));
  CHECK(render_text("x", {.variables = "{} x"}).starts_with("invalid_argument"));
  CHECK(render_text("{{ a }}", {.variables = R"({"a": 1, "a": "\ud83d\ude00\n"})"}) == "\xF0\x9F\x98\x80\n");
}
