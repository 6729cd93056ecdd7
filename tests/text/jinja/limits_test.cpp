// SPDX-License-Identifier: MIT
// Limits, memory and threads of templates (promises X5, M3, E1).
#include <chrono>
#include <thread>
#include <vector>

#include "support/fail_nth_allocator.hpp"
#include "support/small_stack.hpp"
#include "text/jinja/support.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

std::string repeat(std::string_view text, int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += text;
  return all;
}

void check_limit(const std::string& source) {
  const auto begin = std::chrono::steady_clock::now();
  const auto rendered = render(source);
  const auto time = std::chrono::steady_clock::now() - begin;
  REQUIRE_FALSE(rendered);
  CHECK(rendered.code() == ErrorCode::template_error);
  CHECK(time < std::chrono::seconds(2));  // about 50 ms alone on a core; loaded machines take longer
}

}  // namespace

TEST_CASE("work without end stops at a limit (X5)") {
  check_limit(
      "{% for a in range(100000) %}{% for b in range(100000) %}{% for c in range(100000) %}{% endfor %}{% endfor %}{% "
      "endfor %}");
  check_limit(
      "{% set ns = namespace(s='xxxxxxxxxxxxxxxx') %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}");
  check_limit("{% set ns = namespace(s=[1]) %}{% for i in range(60) %}{% set ns.s = ns.s + ns.s %}{% endfor %}");
  check_limit("{% for i in range(100000) %}{{ 'x' * 100000 }}{% endfor %}");
  check_limit("{{ 'x' * 9000000000000000000 }}");
  check_limit("{{ [0] * 9000000000000000000 }}");
  check_limit("{{ range(9000000000000000000) }}");
  check_limit("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}");
  check_limit("{{ 9223372036854775807 + 1 }}");
  check_limit("{{ 2 ** 64 }}");
}

TEST_CASE("deep nesting is refused, long chains are not (X5, T9)") {
  std::string small_stack_failures;
  run_on_small_stack(256, [&] {
    for (int n : {10, 60, 100, 1000, 100000}) {
      for (const std::string& source :
           {"{{ " + repeat("(", n) + "1" + repeat(")", n) + " }}",
            "{{ " + repeat("[", n) + "1" + repeat("]", n) + " }}", "{{ " + repeat("not ", n) + "1 }}",
            "{{ " + repeat("-", n) + "1 }}", repeat("{% if true %}", n) + "1" + repeat("{% endif %}", n),
            "{{ 1" + repeat(".a", n) + " }}", "{{ 'a'" + repeat("|trim", n) + " }}"}) {
        const auto rendered = render(source);
        if (!rendered && rendered.code() != ErrorCode::template_error) small_stack_failures += source.substr(0, 20);
        if (!rendered && n == 10 && source.find(".a") == std::string::npos)
          small_stack_failures += source.substr(0, 20);
      }
    }
  });
  CHECK(small_stack_failures.empty());
  CHECK(render_text("{{ 1" + repeat(" + 1", 2000) + " }}") == "2001");
  CHECK(render_text("{{ 'a'" + repeat(" ~ 'a'", 2000) + " }}").size() == 2001);
  CHECK(render_text("{% if false %}" + repeat("{% elif false %}", 2000) + "{% else %}x{% endif %}") == "x");
}

TEST_CASE("a thousand messages render within the limits") {
  std::vector<jinja::MessageView> messages(1000, {"user", "Hello there, how are you today?"});
  const auto rendered = render(
      "{% for m in messages %}{% if loop.first and messages[0]['role'] != 'system' %}S{% endif %}"
      "{{ '<' + m['role'] + '\n' + m['content'] + '>\n' }}{% endfor %}",
      {.messages = messages});
  REQUIRE(rendered);
  CHECK(rendered->text.size() == 1 + 1000 * 39);
  CHECK(rendered->content.size() == 1000);
}

TEST_CASE("running out of memory at any point is an error and gives all back (M3)") {
  const std::string source =
      "{% macro f(x) %}<{{ x|upper }}>{% endmacro %}{% set l = [1, 2, {'a': 'b'}] %}{% for m in messages %}"
      "{{ f(m.role) ~ m.content ~ l|tojson }}{% endfor %}" +
      std::string(40000, 'x');
  const std::string content(40000, 'c');
  const jinja::MessageView messages[] = {{"user", content}};
  bool is_done = false;
  for (std::size_t n = 0; !is_done; ++n) {
    REQUIRE(n < 200);
    FailNthAllocator allocator;
    allocator.fail_from(n + 1);
    {
      auto parsed = jinja::Template::parse(source, allocator);
      if (!parsed) {
        CHECK(parsed.code() == ErrorCode::out_of_memory);
      } else if (auto rendered = parsed->render({.messages = messages}); !rendered) {
        CHECK(rendered.code() == ErrorCode::out_of_memory);
      } else {
        is_done = true;
      }
    }
    CHECK(allocator.live_bytes() == 0);
    CHECK(allocator.n_misused() == 0);
  }
}

TEST_CASE("one template renders on many threads at once (E1)") {
  auto parsed = jinja::Template::parse("{% for i in range(100) %}{{ i }}{{ messages[0].content }}{% endfor %}",
                                       default_allocator());
  REQUIRE(parsed);
  const jinja::MessageView messages[] = {{"user", "x"}};
  const auto expected = parsed->render({.messages = messages});
  REQUIRE(expected);
  std::vector<std::thread> threads;
  std::vector<int> n_equal(4);
  for (std::size_t t = 0; t < n_equal.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) n_equal[t] += parsed->render({.messages = messages})->text == expected->text ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(n_equal == std::vector<int>(4, 50));
}
