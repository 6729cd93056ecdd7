// SPDX-License-Identifier: MIT
#ifndef LOQUAT_ARRAY_HPP
#define LOQUAT_ARRAY_HPP

#include <loquat/config.hpp>
#include <loquat/host.hpp>

#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

// The library's own dynamic array and string. They exist because a standard container that cannot allocate ends a
// program built without exceptions (promises M3, H2): these take memory from the host's allocator and answer false.
//
//   loquat::Array<loquat::Token> tokens;            // default allocator
//   if (!tokens.push_back(7)) return out_of_memory();
//   std::span<const loquat::Token> view = tokens;

namespace loquat::inline LOQUAT_ABI {

/// A growable contiguous array. Moves, never copies (copy_from says so). Element must be movable without throwing.
///
/// Errors    growing calls return false when the allocator returned null; the array is as before
template <class Element>
class [[nodiscard]] Array {
  static_assert(std::is_nothrow_move_constructible_v<Element>, "Array<Element> moves its elements and must not throw");

 public:
  using value_type = Element;

  Array() noexcept : Array(default_allocator(), MemoryTag::text) {}
  explicit Array(Allocator& allocator, MemoryTag tag = MemoryTag::text,
                 std::size_t alignment = alignof(Element)) noexcept
      : allocator_(&allocator), alignment_(alignment < alignof(Element) ? alignof(Element) : alignment), tag_(tag) {}
  Array(Array&& other) noexcept
      : allocator_(other.allocator_),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)),
        alignment_(other.alignment_),
        tag_(other.tag_) {}
  Array& operator=(Array&& other) noexcept {
    if (this != &other) {
      release();
      allocator_ = other.allocator_;
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, 0);
      alignment_ = other.alignment_;
      tag_ = other.tag_;
    }
    return *this;
  }
  ~Array() { release(); }

  Element* data() noexcept { return data_; }
  const Element* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return capacity_; }
  std::size_t capacity_bytes() const noexcept { return capacity_ * sizeof(Element); }
  bool empty() const noexcept { return size_ == 0; }
  Element* begin() noexcept { return data_; }
  Element* end() noexcept { return data_ + size_; }
  const Element* begin() const noexcept { return data_; }
  const Element* end() const noexcept { return data_ + size_; }
  Element& operator[](std::size_t i) noexcept { return data_[i]; }
  const Element& operator[](std::size_t i) const noexcept { return data_[i]; }
  Element& back() noexcept { return data_[size_ - 1]; }
  const Element& back() const noexcept { return data_[size_ - 1]; }
  Allocator& allocator() const noexcept { return *allocator_; }

  [[nodiscard]] bool reserve(std::size_t capacity) noexcept {
    if (capacity <= capacity_) return true;
    if (capacity > (std::numeric_limits<std::size_t>::max)() / sizeof(Element)) return false;
    void* block = allocator_->allocate(capacity * sizeof(Element), alignment_, tag_);
    if (block == nullptr) return false;
    Element* moved = static_cast<Element*>(block);
    if constexpr (std::is_trivially_copyable_v<Element>) {
      if (size_ > 0) std::memcpy(static_cast<void*>(moved), data_, size_ * sizeof(Element));
    } else {
      for (std::size_t i = 0; i < size_; ++i) {
        ::new (static_cast<void*>(moved + i)) Element(std::move(data_[i]));
        data_[i].~Element();
      }
    }
    if (data_ != nullptr) allocator_->deallocate(data_, capacity_ * sizeof(Element), alignment_, tag_);
    data_ = moved;
    capacity_ = capacity;
    return true;
  }
  /// New elements are value-initialised.
  [[nodiscard]] bool resize(std::size_t size) noexcept {
    static_assert(std::is_nothrow_default_constructible_v<Element>);
    if (size > size_) {
      if (!grow_to(size)) return false;
      for (std::size_t i = size_; i < size; ++i) ::new (static_cast<void*>(data_ + i)) Element();
      size_ = size;
    } else {
      truncate(size);
    }
    return true;
  }
  [[nodiscard]] bool push_back(Element value) noexcept {
    if (size_ == capacity_ && !grow_to(size_ + 1)) return false;
    ::new (static_cast<void*>(data_ + size_)) Element(std::move(value));
    ++size_;
    return true;
  }
  /// `values` may lie inside this array.
  [[nodiscard]] bool append(std::span<const Element> values) noexcept requires std::is_trivially_copyable_v<Element> {
    if (values.empty()) return true;
    const bool is_inside = values.data() >= data_ && values.data() < data_ + size_;
    const std::size_t position = is_inside ? static_cast<std::size_t>(values.data() - data_) : 0;
    if (!grow_to(size_ + values.size())) return false;
    const Element* from = is_inside ? data_ + position : values.data();
    std::memmove(static_cast<void*>(data_ + size_), from, values.size() * sizeof(Element));
    size_ += values.size();
    return true;
  }
  [[nodiscard]] bool copy_from(
      std::span<const Element> values) noexcept requires std::is_trivially_copyable_v<Element> {
    size_ = 0;
    return append(values);
  }
  void truncate(std::size_t size) noexcept {
    while (size_ > size) data_[--size_].~Element();
  }
  void pop_back() noexcept { truncate(size_ - 1); }
  void clear() noexcept { truncate(0); }
  /// Gives all memory back.
  void release() noexcept {
    clear();
    if (data_ != nullptr) allocator_->deallocate(data_, capacity_ * sizeof(Element), alignment_, tag_);
    data_ = nullptr;
    capacity_ = 0;
  }

 private:
  bool grow_to(std::size_t size) noexcept {
    if (size <= capacity_) return true;
    const std::size_t doubled = capacity_ > (std::numeric_limits<std::size_t>::max)() / 2 ? size : capacity_ * 2;
    const std::size_t least = sizeof(Element) >= 64 ? 4 : 64 / sizeof(Element);
    std::size_t wanted = size > doubled ? size : doubled;
    return reserve(wanted < least ? least : wanted);
  }

  Allocator* allocator_;
  Element* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t alignment_;
  MemoryTag tag_;
};

/// Text of any length; not zero-terminated. Converts to std::string_view.
class [[nodiscard]] String {
 public:
  String() noexcept = default;
  explicit String(Allocator& allocator, MemoryTag tag = MemoryTag::text) noexcept : chars_(allocator, tag) {}

  std::string_view view() const noexcept { return {chars_.data(), chars_.size()}; }
  operator std::string_view() const noexcept { return view(); }  // NOLINT: implicit
  const char* data() const noexcept { return chars_.data(); }
  std::size_t size() const noexcept { return chars_.size(); }
  bool empty() const noexcept { return chars_.empty(); }
  friend bool operator==(const String& a, std::string_view b) noexcept { return a.view() == b; }
  friend bool operator==(const String& a, const String& b) noexcept { return a.view() == b.view(); }

  /// False when memory ran out; the text is as before. `text` may be part of this string.
  [[nodiscard]] bool append(std::string_view text) noexcept {
    return chars_.append(std::span<const char>(text.data(), text.size()));
  }
  [[nodiscard]] bool push_back(char c) noexcept { return chars_.push_back(c); }
  [[nodiscard]] bool assign(std::string_view text) noexcept {
    return chars_.copy_from(std::span<const char>(text.data(), text.size()));
  }
  [[nodiscard]] bool reserve(std::size_t capacity) noexcept { return chars_.reserve(capacity); }
  void truncate(std::size_t size) noexcept { chars_.truncate(size); }
  void clear() noexcept { chars_.clear(); }
  Array<char>& chars() noexcept { return chars_; }
  const Array<char>& chars() const noexcept { return chars_; }

 private:
  Array<char> chars_;
};

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_ARRAY_HPP
