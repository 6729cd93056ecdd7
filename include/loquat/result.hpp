// SPDX-License-Identifier: MIT
#ifndef LOQUAT_RESULT_HPP
#define LOQUAT_RESULT_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#if LOQUAT_HAS_EXCEPTIONS
#include <exception>
#endif

// Errors are values. A fallible call returns Status or Result<Value>:
//
//   auto model = loquat::Model::load("model.gguf");
//   if (!model) return fail(model.error().message());
//   use(*model);
//
// Neither allocates, throws or terminates; both have one layout whatever the consumer's language mode.

namespace loquat::inline LOQUAT_ABI {

/// What went wrong. Closed: a new kind of failure is a new minor version. docs/errors.md has a row for each.
enum class ErrorCode : std::uint8_t {
  none,                      ///< no error
  invalid_argument,          ///< an option or argument is outside its documented range
  io,                        ///< the file or the reader failed
  not_gguf,                  ///< the bytes are not a GGUF file
  truncated,                 ///< the file ends before what its header promises
  malformed,                 ///< the file contradicts the format or itself
  unsupported_version,       ///< a GGUF version or a saved state that this version does not read
  unsupported_architecture,  ///< `general.architecture` is not one of ours
  unsupported_type,          ///< a tensor type that cannot be computed with
  unsupported_tokenizer,     ///< tokenizer model or pre-tokenizer unknown
  missing_tensor,            ///< a tensor that the architecture needs is not in the file
  out_of_memory,             ///< the allocator returned null; the message names purpose and size
  context_full,              ///< the tokens do not fit the context
  busy,                      ///< the object is in use by another call
  cancelled,                 ///< the caller asked to stop
  callback_failed,           ///< a callback threw or reported failure
  bad_logits,                ///< no finite logit to choose from
  template_error,            ///< the chat template cannot be parsed or rendered
  template_refused,          ///< the chat template itself raised an error
  grammar_error,             ///< a grammar or schema cannot be used
  not_built,                 ///< this build or this machine lacks what was asked for
};

/// The enumerator as text, e.g. "out_of_memory".
LOQUAT_API const char* to_string(ErrorCode code) noexcept;

/// One failure: a code, a sentence (expected, found, where), and where known a name and a position.
/// Held inline (no allocation), so that running out of memory can be reported; longer texts are cut.
class [[nodiscard]] Error {
 public:
  static constexpr std::uint64_t kNoOffset = ~std::uint64_t{0};

  Error() noexcept : code_(ErrorCode::none) { message_[0] = name_[0] = '\0'; }
  Error(ErrorCode code, std::string_view message) noexcept : code_(code) {
    copy_text(message, message_, sizeof message_);
    name_[0] = '\0';
  }

  ErrorCode code() const noexcept { return code_; }
  /// Expected, found and where, in English, UTF-8; ends with a zero byte.
  std::string_view message() const noexcept { return message_; }
  const char* c_str() const noexcept { return message_; }
  /// Key, tensor or option concerned, or empty.
  std::string_view name() const noexcept { return name_; }
  /// Byte offset, token index or line concerned, or kNoOffset.
  std::uint64_t offset() const noexcept { return offset_; }

  Error& with_name(std::string_view name) noexcept {
    copy_text(name, name_, sizeof name_);
    return *this;
  }
  Error& with_offset(std::uint64_t offset) noexcept {
    offset_ = offset;
    return *this;
  }

 private:
  static void copy_text(std::string_view from, char* to, std::size_t capacity) noexcept {
    std::size_t n = from.size() < capacity - 1 ? from.size() : capacity - 1;
    if (n < from.size()) {  // cut between characters, not inside one
      while (n > 0 && (static_cast<unsigned char>(from[n]) & 0xC0u) == 0x80u) --n;
    }
    for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
    to[n] = '\0';
  }

  ErrorCode code_;
  std::uint64_t offset_ = kNoOffset;
  char message_[368];
  char name_[80];
};

#if LOQUAT_HAS_EXCEPTIONS
/// Thrown by Result::value() only.
class ResultError : public std::exception {
 public:
  explicit ResultError(const Error& error) noexcept : error_(error) {}
  const char* what() const noexcept override { return error_.c_str(); }
  const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};
#endif

/// Success, or an Error.
class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  Status(const Error& error) noexcept : error_(error) {}  // NOLINT: implicit, so that `return error;` works

  explicit operator bool() const noexcept { return error_.code() == ErrorCode::none; }
  const Error& error() const noexcept { return error_; }
  ErrorCode code() const noexcept { return error_.code(); }

 private:
  Error error_;
};

/// A value, or an Error. Value must be movable without throwing.
template <class Value>
class [[nodiscard]] Result {
  static_assert(std::is_nothrow_move_constructible_v<Value>, "Result<Value> moves its value and must not throw");

 public:
  using value_type = Value;

  Result(Value&& value) noexcept : value_(std::move(value)), has_value_(true) {}  // NOLINT: implicit
  Result(const Value& value) noexcept                                             // NOLINT: implicit
      requires std::is_nothrow_copy_constructible_v<Value> : value_(value),
                                                             has_value_(true) {}
  Result(const Error& error) noexcept : error_(error), has_value_(false) {}  // NOLINT: implicit
  Result(Result&& other) noexcept : has_value_(other.has_value_) {
    if (has_value_) {
      ::new (static_cast<void*>(&value_)) Value(std::move(other.value_));
    } else {
      ::new (static_cast<void*>(&error_)) Error(other.error_);
    }
  }
  Result& operator=(Result&& other) noexcept {
    if (this != &other) {
      this->~Result();
      ::new (static_cast<void*>(this)) Result(std::move(other));
    }
    return *this;
  }
  ~Result() {
    if (has_value_) {
      value_.~Value();
    } else {
      error_.~Error();
    }
  }

  explicit operator bool() const noexcept { return has_value_; }
  bool has_value() const noexcept { return has_value_; }

  /// Requires  has_value()
  Value& operator*() & noexcept { return value_; }
  const Value& operator*() const& noexcept { return value_; }
  Value&& operator*() && noexcept { return std::move(value_); }
  Value* operator->() noexcept { return &value_; }
  const Value* operator->() const noexcept { return &value_; }

  /// Requires  !has_value()
  const Error& error() const noexcept { return error_; }
  ErrorCode code() const noexcept { return has_value_ ? ErrorCode::none : error_.code(); }

#if LOQUAT_HAS_EXCEPTIONS
  Value& value() & {
    if (!has_value_) throw ResultError(error_);
    return value_;
  }
  Value&& value() && {
    if (!has_value_) throw ResultError(error_);
    return std::move(value_);
  }
#endif

 private:
  union {
    Value value_;
    Error error_;
  };
  bool has_value_;
};

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_RESULT_HPP
