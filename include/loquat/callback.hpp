// SPDX-License-Identifier: MIT
#ifndef LOQUAT_CALLBACK_HPP
#define LOQUAT_CALLBACK_HPP

#include <loquat/config.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

// Callbacks are references to the caller's callable: no allocation, valid for the call they are passed to.
// The call is wrapped where the consumer compiles it, so a throwing callback becomes Next::failed here, in the
// consumer's own translation unit, and no exception ever enters the library (promise A3).

namespace loquat::inline LOQUAT_ABI {

/// What a callback wants. `failed` ends the call with ErrorCode::callback_failed.
enum class Next : std::uint8_t { proceed, stop, failed };

/// A non-owning reference to a callable `Next(Args...)` or `void(Args...)` (void means proceed).
template <class... Args>
class CallbackRef {
 public:
  constexpr CallbackRef() noexcept = default;
  constexpr CallbackRef(std::nullptr_t) noexcept {}  // NOLINT: implicit

  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, CallbackRef> && std::is_invocable_v<F&, Args...>)
      CallbackRef(F&& function)
  noexcept  // NOLINT: implicit
      : object_(address_of(function)), invoke_(&invoke<std::remove_reference_t<F>>) {}

  explicit operator bool() const noexcept { return invoke_ != nullptr; }
  Next operator()(Args... args) const noexcept { return invoke_(object_, args...); }

 private:
  /// A plain function is kept by its own address, other callables by their object's.
  template <class F>
  static void* address_of(F& function) noexcept {
    if constexpr (std::is_function_v<F>) {
      return reinterpret_cast<void*>(&function);
    } else {
      return const_cast<void*>(static_cast<const void*>(__builtin_addressof(function)));
    }
  }
  template <class F>
  static F& callable_at(void* object) noexcept {
    if constexpr (std::is_function_v<F>) {
      return *reinterpret_cast<F*>(object);
    } else {
      return *static_cast<F*>(object);
    }
  }
  template <class F>
  static Next invoke(void* object, Args... args) noexcept {
#if LOQUAT_HAS_EXCEPTIONS
    try {
      return call(callable_at<F>(object), args...);
    } catch (...) {
      return Next::failed;
    }
#else
    return call(callable_at<F>(object), args...);
#endif
  }
  template <class F>
  static Next call(F& function, Args... args) {
    if constexpr (std::is_void_v<std::invoke_result_t<F&, Args...>>) {
      function(args...);
      return Next::proceed;
    } else {
      return function(args...);
    }
  }

  void* object_ = nullptr;
  Next (*invoke_)(void*, Args...) noexcept = nullptr;
};

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_CALLBACK_HPP
