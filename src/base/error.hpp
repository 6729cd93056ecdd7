// SPDX-License-Identifier: MIT
// Making and passing on errors inside the library. The only place that knows fmt.
#ifndef LOQUAT_BASE_ERROR_HPP
#define LOQUAT_BASE_ERROR_HPP

#include <loquat/result.hpp>

// A host may link its own fmt: ours lives in an inline namespace of its own and never throws or ends the process
// (a format string is checked at compile time, so the "throw" branch cannot be reached).
#define LOQUAT_FMT_NAMESPACE_(abi) loquat_##abi
#define LOQUAT_FMT_NAMESPACE(abi) LOQUAT_FMT_NAMESPACE_(abi)
#define FMT_BEGIN_NAMESPACE \
  namespace fmt {           \
  inline namespace LOQUAT_FMT_NAMESPACE(LOQUAT_ABI) {
#define FMT_END_NAMESPACE \
  }                       \
  }
#define FMT_EXCEPTIONS 0
#define FMT_USE_NONTYPE_TEMPLATE_ARGS 0
#define FMT_ASSERT(condition, message) (static_cast<void>(0))
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#endif
#include <fmt/core.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

namespace loquat::inline LOQUAT_ABI {

namespace detail {
/// Formats into the error's own buffer; never allocates from the heap for messages of ordinary length.
Error format_error(ErrorCode code, fmt::string_view format, fmt::format_args arguments) noexcept;
}  // namespace detail

/// make_error(ErrorCode::malformed, "head count must be 1..1024, file says {} (key {})", n, key)
template <class... A>
[[gnu::cold]] Error make_error(ErrorCode code, fmt::format_string<const A&...> format, const A&... arguments) noexcept {
  return detail::format_error(code, format, fmt::make_format_args(arguments...));
}

/// "out of memory: 1234 bytes for the key/value cache"
Error out_of_memory(std::size_t bytes, std::string_view purpose) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#define LOQUAT_CONCAT_(a, b) a##b
#define LOQUAT_CONCAT(a, b) LOQUAT_CONCAT_(a, b)

/// Returns the error of a Status or Result expression, if it has one.
#define LOQUAT_RETURN_IF_ERROR(expression)                                               \
  do {                                                                                   \
    if (auto loquat_status = (expression); !loquat_status) return loquat_status.error(); \
  } while (false)

/// LOQUAT_ASSIGN_OR_RETURN(auto value, expression_of_result);
#define LOQUAT_ASSIGN_OR_RETURN(target, expression) \
  LOQUAT_ASSIGN_OR_RETURN_(LOQUAT_CONCAT(loquat_result_, __LINE__), target, expression)
#define LOQUAT_ASSIGN_OR_RETURN_(result, target, expression) \
  auto result = (expression);                                \
  if (!result) return result.error();                        \
  target = std::move(*result)

#endif  // LOQUAT_BASE_ERROR_HPP
