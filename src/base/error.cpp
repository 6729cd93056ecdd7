// SPDX-License-Identifier: MIT
// Error texts, and the one translation unit that compiles fmt.
// Header-only here and nowhere else: fmt's functions are inline, so those that print or throw are never emitted.
#define FMT_HEADER_ONLY
#define FMT_THROW(exception) static_cast<void>(0)
#include "base/error.hpp"

namespace loquat::inline LOQUAT_ABI {

const char* to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::none:
      return "none";
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::io:
      return "io";
    case ErrorCode::not_gguf:
      return "not_gguf";
    case ErrorCode::truncated:
      return "truncated";
    case ErrorCode::malformed:
      return "malformed";
    case ErrorCode::unsupported_version:
      return "unsupported_version";
    case ErrorCode::unsupported_architecture:
      return "unsupported_architecture";
    case ErrorCode::unsupported_type:
      return "unsupported_type";
    case ErrorCode::unsupported_tokenizer:
      return "unsupported_tokenizer";
    case ErrorCode::missing_tensor:
      return "missing_tensor";
    case ErrorCode::out_of_memory:
      return "out_of_memory";
    case ErrorCode::context_full:
      return "context_full";
    case ErrorCode::busy:
      return "busy";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::callback_failed:
      return "callback_failed";
    case ErrorCode::bad_logits:
      return "bad_logits";
    case ErrorCode::template_error:
      return "template_error";
    case ErrorCode::template_refused:
      return "template_refused";
    case ErrorCode::grammar_error:
      return "grammar_error";
    case ErrorCode::not_built:
      return "not_built";
  }
  return "unknown";
}

Error detail::format_error(ErrorCode code, fmt::string_view format, fmt::format_args arguments) noexcept {
  char text[512];
  const auto end = fmt::vformat_to_n(text, sizeof text, format, arguments);
  return Error(code, std::string_view(text, static_cast<std::size_t>(end.out - text)));
}

Error out_of_memory(std::size_t bytes, std::string_view purpose) noexcept {
  return make_error(ErrorCode::out_of_memory, "out of memory: {} bytes for {}", bytes,
                    fmt::string_view(purpose.data(), purpose.size()));
}

}  // namespace loquat::inline LOQUAT_ABI
