// SPDX-License-Identifier: MIT
// Memory of one template or of one rendering: taken in blocks, given back at once. Objects in it have no destructors.
#ifndef LOQUAT_TEXT_JINJA_ARENA_HPP
#define LOQUAT_TEXT_JINJA_ARENA_HPP

#include <loquat/host.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

namespace loquat::inline LOQUAT_ABI::text::jinja {

class Arena {
 public:
  Arena(Allocator& allocator, std::size_t limit_bytes) noexcept : allocator_(&allocator), limit_bytes_(limit_bytes) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// Null when the allocator or the limit says no; is_over_limit() tells which.
  void* allocate(std::size_t bytes, std::size_t alignment) noexcept;
  bool is_over_limit() const noexcept { return is_over_limit_; }
  std::size_t bytes() const noexcept { return total_bytes_; }

  template <class T, class... A>
  T* make(A&&... arguments) noexcept {
    static_assert(std::is_trivially_destructible_v<T>);
    void* block = allocate(sizeof(T), alignof(T));
    return block == nullptr ? nullptr : ::new (block) T{std::forward<A>(arguments)...};
  }

 private:
  struct Block {
    Block* previous;
    std::size_t bytes;
  };

  Allocator* allocator_;
  Block* last_ = nullptr;
  std::size_t used_bytes_ = 0;  ///< of the last block, its header included
  std::size_t total_bytes_ = 0;
  std::size_t limit_bytes_;
  bool is_over_limit_ = false;
};

/// A growable array in an arena; what it outgrows stays there. Copies share the elements.
template <class T>
class ArenaArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  [[nodiscard]] bool push(Arena& arena, const T& value) noexcept {
    if (size_ == capacity_ && !reserve(arena, capacity_ == 0 ? 4 : capacity_ * 2)) return false;
    ::new (static_cast<void*>(data_ + size_)) T(value);
    ++size_;
    return true;
  }
  [[nodiscard]] bool append(Arena& arena, const T* values, std::size_t n) noexcept {
    if (n == 0) return true;
    if (size_ + n > capacity_ && !reserve(arena, size_ + n > capacity_ * 2 ? size_ + n : capacity_ * 2)) return false;
    std::memcpy(static_cast<void*>(data_ + size_), values, n * sizeof(T));
    size_ += n;
    return true;
  }
  [[nodiscard]] bool reserve(Arena& arena, std::size_t capacity) noexcept {
    if (capacity <= capacity_) return true;
    void* block = arena.allocate(capacity * sizeof(T), alignof(T));
    if (block == nullptr) return false;
    if (size_ > 0) std::memcpy(block, static_cast<const void*>(data_), size_ * sizeof(T));
    data_ = static_cast<T*>(block);
    capacity_ = capacity;
    return true;
  }
  void truncate(std::size_t size) noexcept { size_ = size; }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace loquat::inline LOQUAT_ABI::text::jinja

#endif  // LOQUAT_TEXT_JINJA_ARENA_HPP
