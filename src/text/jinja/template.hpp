// SPDX-License-Identifier: MIT
// Chat templates: a Jinja subset with Python's semantics and with limits (promises X1-X7).
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

/// The variables a chat template sees.
struct Context {
  std::span<const MessageView> messages;
  bool add_generation_prompt = true;
  std::string_view bos_token;
  std::string_view eos_token;
};

struct Limits {
  std::uint64_t steps = 1'000'000;
  std::size_t output_bytes = std::size_t{64} << 20;
  std::uint32_t depth = 100;
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
  Template(Template&&) noexcept;
  Template& operator=(Template&&) noexcept;
  ~Template();
  /// Errors    template_error: line and column, or a limit; template_refused: raise_exception's message; out_of_memory
  Result<Rendered> render(const Context& context) const noexcept;

 private:
  explicit Template(Program* program) noexcept : program_(program) {}
  Program* program_ = nullptr;
};

}  // namespace loquat::inline LOQUAT_ABI::text::jinja

#endif  // LOQUAT_TEXT_JINJA_TEMPLATE_HPP
