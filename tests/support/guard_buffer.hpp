// SPDX-License-Identifier: MIT
// Memory whose edge is the edge of what may be touched: one byte further is a segmentation fault at once.
#ifndef LOQUAT_TESTS_SUPPORT_GUARD_BUFFER_HPP
#define LOQUAT_TESTS_SUPPORT_GUARD_BUFFER_HPP

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

namespace loquat_test {

enum class Guard { after, before };

/// `bytes` bytes that end (Guard::after) or begin (Guard::before) exactly at an untouchable page. The rest of the
/// buffer's own pages is filled with a pattern, and is_intact() says whether somebody wrote there.
class GuardBuffer {
 public:
  explicit GuardBuffer(std::size_t bytes, Guard guard = Guard::after);
  ~GuardBuffer();
  GuardBuffer(const GuardBuffer&) = delete;
  GuardBuffer& operator=(const GuardBuffer&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// The buffer as `size() / sizeof(T)` elements; with Guard::after it is aligned to sizeof(T) if size() is a multiple.
  template <class T>
  std::span<T> as() const {
    return {reinterpret_cast<T*>(data_), size_ / sizeof(T)};
  }
  bool is_intact() const;
  /// Turns writing off: for inputs.
  void protect();

 private:
  std::span<std::byte> slack() const;

  std::byte* mapping_ = nullptr;
  std::size_t mapping_bytes_ = 0;
  std::byte* body_ = nullptr;
  std::size_t body_bytes_ = 0;
  std::byte* data_ = nullptr;
  std::size_t size_;
};

/// A copy of `values` with an untouchable page behind it (or before it).
template <class T>
class GuardedCopy {
 public:
  explicit GuardedCopy(std::span<const T> values, Guard guard = Guard::after) : buffer_(values.size_bytes(), guard) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!values.empty()) std::memcpy(buffer_.data(), values.data(), values.size_bytes());
  }
  T* data() const { return reinterpret_cast<T*>(buffer_.data()); }
  std::span<T> span() const { return buffer_.as<T>(); }
  GuardBuffer& buffer() { return buffer_; }

 private:
  GuardBuffer buffer_;
};

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SUPPORT_GUARD_BUFFER_HPP
