// SPDX-License-Identifier: MIT
// Any bytes as a chat template: refused with words, or rendered the same twice, with marks of content that lie in the
// text. The same bytes also as the JSON of its variables (promises X2, X5, X7, K6).
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "fuzz/fuzz_target.hpp"
#include "text/jinja/template.hpp"

using namespace loquat;
namespace jinja = loquat::text::jinja;

namespace {

constexpr std::string_view kVariables =
    R"({"bos_token": "<s>", "tools": [{"type": "function", "function": {"name": "f", "parameters": {"p": 1.5}}}],
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "h\u00e9llo"},
                     {"role": "assistant", "content": null, "tool_calls": [{"id": "1", "arguments": {"p": [true, 2]}}]}]})";

void check_content(const jinja::Rendered& rendered) {
  std::size_t end = 0;
  for (const text::Segment& segment : rendered.content) {
    LOQUAT_FUZZ_CHECK(segment.begin >= end && segment.end > segment.begin);
    end = segment.end;
  }
  LOQUAT_FUZZ_CHECK(end <= rendered.text.size());
}

void check_error(const Error& error) {
  LOQUAT_FUZZ_CHECK(error.code() == ErrorCode::template_error || error.code() == ErrorCode::template_refused ||
                    error.code() == ErrorCode::invalid_argument);
  LOQUAT_FUZZ_CHECK(error.code() == ErrorCode::template_refused || !error.message().empty());
}

void render_twice(const jinja::Template& parsed, std::string_view variables) {
  const auto rendered = parsed.render({.variables = variables});
  const auto again = parsed.render({.variables = variables});
  LOQUAT_FUZZ_CHECK(rendered.code() == again.code());
  if (!rendered) return check_error(rendered.error());
  LOQUAT_FUZZ_CHECK(rendered->text == again->text);
  check_content(*rendered);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const jinja::Limits limits{.steps = 20'000, .output_bytes = 1 << 20, .memory_bytes = std::size_t{8} << 20};
  auto parsed = jinja::Template::parse(source, default_allocator(), limits);
  if (parsed) {
    render_twice(*parsed, kVariables);
  } else {
    check_error(parsed.error());
  }
  const auto echo = jinja::Template::parse("{{ messages|tojson }}{{ tools }}", default_allocator(), limits);
  LOQUAT_FUZZ_CHECK(static_cast<bool>(echo));
  render_twice(*echo, source);
  return 0;
}
