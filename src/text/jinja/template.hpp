// SPDX-License-Identifier: MIT
// Chat templates: the Jinja template language with Python's semantics, as publishers' software sets it up, and with
// limits (promises X1-X7). What it knows is listed in docs/templates.md.
#ifndef LOQUAT_TEXT_JINJA_TEMPLATE_HPP
#define LOQUAT_TEXT_JINJA_TEMPLATE_HPP

#include <loquat/array.hpp>
#include <loquat/result.hpp>

#include <cstdint>
#include <span>
#include <string_view>

#include "base/ref.hpp"
#include "text/vocabulary.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

struct MessageView {
  std::string_view role;
  std::string_view content;
};

/// The variables a chat template sees; others are undefined.
struct Context {
  std::span<const MessageView> messages = {};
  bool add_generation_prompt = true;
  std::string_view bos_token = {};
  std::string_view eos_token = {};
  /// A JSON object whose members are further variables and replace those above, or empty.
  std::string_view variables = {};
  /// Seconds since 1970 for strftime_now(): rendering reads no clock (promise X7).
  std::int64_t unix_seconds = 0;
};

struct Limits {
  std::uint64_t steps = 1'000'000;
  std::size_t output_bytes = std::size_t{16} << 20;  ///< also of any text in between
  std::size_t memory_bytes = std::size_t{128} << 20;
  std::uint32_t depth = 150;  ///< of nesting, in the template and while it runs
};

/// Text, and which stretches of it came from message contents (and not from the template).
struct Rendered {
  String text;
  Array<Segment> content;
};

class Program;

/// A parsed template: parse once, render many times.
///
/// Threads   render() from any number of threads
class Template {
 public:
  /// Errors    template_error: line, column, and the feature that is missing; out_of_memory
  static Result<Template> parse(std::string_view source, Allocator& allocator, const Limits& limits = {}) noexcept;
  Template(Template&& other) noexcept;
  Template& operator=(Template&& other) noexcept;
  ~Template();
  /// Errors    template_error: line and column, or a limit; template_refused: raise_exception's message;
  ///           invalid_argument: variables are not a JSON object; out_of_memory
  Result<Rendered> render(const Context& context) const noexcept;

 private:
  explicit Template(Program* program) noexcept : program_(program) {}
  Program* program_ = nullptr;
};

}  // namespace loquat::inline LOQUAT_ABI::text::jinja

#endif  // LOQUAT_TEXT_JINJA_TEMPLATE_HPP
