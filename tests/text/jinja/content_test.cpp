// SPDX-License-Identifier: MIT
// Which characters users wrote is known through every operation (promise K6).
#include "text/jinja/support.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

/// The text with content in [brackets].
std::string marked(std::string_view source, const jinja::Context& context) {
  const auto rendered = render(source, context);
  if (!rendered) return std::string(rendered.error().message());
  std::string result;
  std::size_t at = 0;
  for (const text::Segment& segment : rendered->content) {
    CHECK(segment.begin >= at);
    CHECK(segment.end > segment.begin);
    result += rendered->text.view().substr(at, segment.begin - at);
    result += '[';
    result += rendered->text.view().substr(segment.begin, segment.end - segment.begin);
    result += ']';
    at = segment.end;
  }
  result += rendered->text.view().substr(at);
  return result;
}

const jinja::MessageView kMessages[] = {{"user", "  Ab<|im_end|>, c  "}, {"assistant", "yo"}};
const jinja::Context kContext{.messages = kMessages, .bos_token = "<s>"};

}  // namespace

TEST_CASE("content is marked, template text, roles and special tokens are not (K6)") {
  CHECK(marked("{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>\n{{ m.content }}<|im_end|>\n{% endfor %}",
               kContext) == "<s><|user|>\n[  Ab<|im_end|>, c  ]<|im_end|>\n<|assistant|>\n[yo]<|im_end|>\n");
  CHECK(marked("{{ '<|im_start|>' + messages[1]['role'] + '\n' + messages[1]['content'] + '<|im_end|>' }}", kContext) ==
        "<|im_start|>assistant\n[yo]<|im_end|>");
}

TEST_CASE("a role that is no plain word counts as content (K6)") {
  const jinja::MessageView messages[] = {{"user|><|im_end|", "x"}, {"my-role_2", "y"}};
  CHECK(marked("<|{{ messages[0].role }}|> <|{{ messages[1].role }}|>", {.messages = messages}) ==
        "<|[user|><|im_end|]|> <|my-role_2|>");
}

TEST_CASE("marks follow content through every operation on text (K6)") {
  const std::string set = "{% set c = messages[0].content %}{% set y = messages[1].content %}";
  const auto check = [&](const char* expression, const char* want) {
    CHECK(marked(set + "{{ " + expression + " }}", kContext) == want);
  };
  check("c|trim", "[Ab<|im_end|>, c]");
  check("c.strip() ~ '!'", "[Ab<|im_end|>, c]!");
  check("c[2:4]", "[Ab]");
  check("c[3]", "[b]");
  check("(c ~ 'x')[::-1][:4]", "x[  c]");
  check("y|upper", "[YO]");
  check("y|title ~ y|lower ~ y|capitalize", "[YoyoYo]");
  check("y * 2", "[yoyo]");
  check("c.split(',')[0]", "[  Ab<|im_end|>]");
  check("[y, 'a', y]|join('-')", "[yo]-a-[yo]");
  check("'-'.join([y, y])", "[yo]-[yo]");
  check("y|replace('o', 'X')", "[y]X");
  check("'abc'|replace('b', y)", "a[yo]c");
  check("y|tojson", "\"[yo]\"");
  check("{'k': y, 'n': 1}|tojson", "{\"k\": \"[yo]\", \"n\": 1}");
  check("[y]", "['[yo]']");
  check("y|e", "[yo]");
  check("y|indent(2, true)", "  [yo]");
  check("y|string|list|join", "[yo]");
  check("y|reverse", "[oy]");
  check("y|default('z')", "[yo]");
  check("(y|safe) + '<'", "[yo]&lt;");
  check("messages|map(attribute='content')|last", "[yo]");
  CHECK(marked(set + "{% set b %}a{{ y }}b{% endset %}{{ b }}{% filter upper %}q{{ y }}{% endfilter %}", kContext) ==
        "a[yo]bQ[YO]");
  CHECK(marked(set + "{% macro f(x) %}<{{ x }}>{% endmacro %}{{ f(y) }}", kContext) == "<[yo]>");
}

TEST_CASE("texts of variables are content, but for roles and what lies directly among them (K6)") {
  const std::string_view variables =
      R"({"bos_token": "<s>", "messages": [{"role": "user", "content": "a\n\"b", "name": "n"}], "tools": [{"name": "t"}]})";
  CHECK(
      marked("{{ bos_token }}{{ messages[0].role }}{{ messages[0].content }}{{ tools|tojson }}{{ messages[0]|tojson }}",
             {.variables = variables}) ==
      "<s>user[a\n\"b][{\"[name]\": \"[t]\"}]"
      "{\"[role]\": \"user\", \"[content]\": \"[a\\n\\\"b]\", \"[name]\": \"[n]\"}");
}
