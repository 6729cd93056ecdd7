// SPDX-License-Identifier: MIT
// Short ways to parse and render.
#ifndef LOQUAT_TESTS_TEXT_JINJA_SUPPORT_HPP
#define LOQUAT_TESTS_TEXT_JINJA_SUPPORT_HPP

#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "text/jinja/template.hpp"

namespace loquat_test {

namespace jinja = loquat::text::jinja;

inline loquat::Result<jinja::Rendered> render(std::string_view source, const jinja::Context& context = {},
                                              const jinja::Limits& limits = {}) {
  auto parsed = jinja::Template::parse(source, loquat::default_allocator(), limits);
  if (!parsed) return parsed.error();
  return parsed->render(context);
}

/// The text, or "code: message".
inline std::string render_text(std::string_view source, const jinja::Context& context = {}) {
  const auto rendered = render(source, context);
  if (rendered) return std::string(rendered->text.view());
  return std::string(to_string(rendered.code())) + ": " + std::string(rendered.error().message());
}

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_TEXT_JINJA_SUPPORT_HPP
