// SPDX-License-Identifier: MIT
// Shared ownership without std::shared_ptr, whose control block allocates where nobody can say no.
#ifndef LOQUAT_BASE_REF_HPP
#define LOQUAT_BASE_REF_HPP

#include <loquat/host.hpp>

#include <atomic>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace loquat::inline LOQUAT_ABI {

/// Base of objects shared through Ref. Made by make_ref(), destroyed when the last Ref goes.
class RefCounted {
 public:
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;
  void retain() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  bool is_unique() const noexcept { return count_.load(std::memory_order_acquire) == 1; }

 protected:
  RefCounted() noexcept = default;
  ~RefCounted() = default;
  bool drop() noexcept { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

 private:
  std::atomic<std::uint32_t> count_{1};
  template <class T>
  friend void release_ref(T* object) noexcept;
};

/// Drops one reference; destroys and deallocates the object with the allocator that it names itself
/// (`Allocator& allocator() const`, `static constexpr MemoryTag kTag`).
template <class T>
void release_ref(T* object) noexcept {
  if (object == nullptr || !static_cast<RefCounted*>(object)->drop()) return;
  Allocator& allocator = object->allocator();
  object->~T();
  allocator.deallocate(object, sizeof(T), alignof(T), T::kTag);
}

/// An owning pointer to a RefCounted T; null by default.
template <class T>
class Ref {
 public:
  Ref() noexcept = default;
  /// Takes over one reference.
  explicit Ref(T* object) noexcept : object_(object) {}
  Ref(const Ref& other) noexcept : object_(other.object_) {
    if (object_ != nullptr) object_->retain();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { release_ref(object_); }

  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  T* detach() noexcept { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

/// Constructs T(arguments...) in memory of `allocator`; null when there is none.
template <class T, class... A>
Ref<T> make_ref(Allocator& allocator, A&&... arguments) noexcept {
  void* block = allocator.allocate(sizeof(T), alignof(T), T::kTag);
  if (block == nullptr) return {};
  return Ref<T>(::new (block) T(std::forward<A>(arguments)...));
}

/// An owning pointer for objects with one owner; the allocator is kept beside it.
template <class T>
class Box {
 public:
  Box() noexcept = default;
  Box(T* object, Allocator& allocator, MemoryTag tag) noexcept : object_(object), allocator_(&allocator), tag_(tag) {}
  Box(Box&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)),
        allocator_(other.allocator_),
        bytes_(other.bytes_),
        alignment_(other.alignment_),
        tag_(other.tag_) {}
  /// From a box of a derived class whose base is at its start: the block goes back with the numbers it came with.
  template <class Derived>
  requires(std::is_base_of_v<T, Derived>&& std::has_virtual_destructor_v<T> && !std::is_same_v<T, Derived>)
      Box(Box<Derived>&& other)
  noexcept  // NOLINT: implicit
      : object_(std::exchange(other.object_, nullptr)),
        allocator_(other.allocator_),
        bytes_(other.bytes_),
        alignment_(other.alignment_),
        tag_(other.tag_) {}
  Box& operator=(Box&& other) noexcept {
    if (this != &other) {
      reset();
      object_ = std::exchange(other.object_, nullptr);
      allocator_ = other.allocator_;
      bytes_ = other.bytes_;
      alignment_ = other.alignment_;
      tag_ = other.tag_;
    }
    return *this;
  }
  ~Box() { reset(); }

  void reset() noexcept {
    if (object_ == nullptr) return;
    object_->~T();
    allocator_->deallocate(object_, bytes_, alignment_, tag_);
    object_ = nullptr;
  }
  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  T* detach() noexcept { return std::exchange(object_, nullptr); }

 private:
  template <class U>
  friend class Box;

  T* object_ = nullptr;
  Allocator* allocator_ = nullptr;
  std::size_t bytes_ = sizeof(T);
  std::size_t alignment_ = alignof(T);
  MemoryTag tag_ = MemoryTag::session;
};

/// Constructs T(arguments...) in memory of `allocator`; empty when there is none.
template <class T, class... A>
Box<T> make_box(Allocator& allocator, MemoryTag tag, A&&... arguments) noexcept {
  void* block = allocator.allocate(sizeof(T), alignof(T), tag);
  if (block == nullptr) return {};
  return Box<T>(::new (block) T(std::forward<A>(arguments)...), allocator, tag);
}

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_BASE_REF_HPP
