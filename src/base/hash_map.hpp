// SPDX-License-Identifier: MIT
// Open-addressing hash tables over Array: linear probing, at most half full, no erasure. Growing can fail, and says so.
#ifndef LOQUAT_BASE_HASH_MAP_HPP
#define LOQUAT_BASE_HASH_MAP_HPP

#include <loquat/array.hpp>

#include <bit>
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"

namespace loquat::inline LOQUAT_ABI {

/// Spreads the bits of a 64-bit key (the finaliser of MurmurHash3).
constexpr std::uint64_t hash_integer(std::uint64_t key) noexcept {
  key = (key ^ (key >> 33)) * 0xFF51AFD7ED558CCDu;
  key = (key ^ (key >> 33)) * 0xC4CEB9FE1A85EC53u;
  return key ^ (key >> 33);
}

/// Eight bytes a step; not meant to resist an attacker.
inline std::uint64_t hash_bytes(std::string_view bytes) noexcept {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15u;
  std::uint64_t hash = bytes.size() * kMultiplier;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) hash = std::rotl((hash ^ load<std::uint64_t>(at)) * kMultiplier, 29);
  std::uint64_t tail = 0;
  for (std::size_t i = 0; i < left; ++i) tail |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
  return hash_integer(hash ^ tail);
}

namespace detail {
/// Slots for n entries: a power of two, at least twice as many.
constexpr std::size_t hash_slots(std::size_t n) noexcept { return std::bit_ceil(n < 4 ? std::size_t{8} : n * 2); }
}  // namespace detail

/// 64-bit keys (a pair of ids in one number, ...) to small values.
template <class Value>
class IntegerMap {
 public:
  explicit IntegerMap(Allocator& allocator, MemoryTag tag) noexcept : slots_(allocator, tag) {}

  /// Room for n keys in all. False when memory ran out; the map is as before.
  [[nodiscard]] bool reserve(std::size_t n) noexcept {
    const std::size_t wanted = detail::hash_slots(n);
    if (wanted <= slots_.size()) return true;
    Array<Slot> old = std::move(slots_);
    slots_ = Array<Slot>(old.allocator(), MemoryTag::tokenizer);
    if (!slots_.resize(wanted)) {
      slots_ = std::move(old);
      return false;
    }
    for (const Slot& slot : old) {
      if (slot.is_used) slots_[slot_of(slot.key)] = slot;
    }
    return true;
  }
  /// Keeps the first value of a key. False when memory ran out.
  [[nodiscard]] bool insert(std::uint64_t key, const Value& value) noexcept {
    if (!reserve(size_ + 1)) return false;
    Slot& slot = slots_[slot_of(key)];
    if (slot.is_used) return true;
    slot = {key, value, true};
    ++size_;
    return true;
  }
  const Value* find(std::uint64_t key) const noexcept {
    if (size_ == 0) return nullptr;
    const Slot& slot = slots_[slot_of(key)];
    return slot.is_used ? &slot.value : nullptr;
  }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity_bytes() const noexcept { return slots_.capacity_bytes(); }

 private:
  struct Slot {
    std::uint64_t key = 0;
    Value value{};
    bool is_used = false;
  };
  /// The slot that holds the key, or the free one where it belongs.
  std::size_t slot_of(std::uint64_t key) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash_integer(key) & mask;
    while (slots_[i].is_used && slots_[i].key != key) i = (i + 1) & mask;
    return i;
  }

  Array<Slot> slots_;
  std::size_t size_ = 0;
};

/// Texts to their index in a list that lives elsewhere: 8 bytes a slot. `text_of(index)` gives a listed text.
class TextIndex {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  explicit TextIndex(Allocator& allocator, MemoryTag tag) noexcept : slots_(allocator, tag) {}

  /// Room for n texts in all, before the first insert. False when memory ran out.
  [[nodiscard]] bool create(std::size_t n) noexcept { return slots_.resize(detail::hash_slots(n)); }
  /// Index of the equal text listed before, or `index` itself, which is then listed.
  ///
  /// Requires  create(n), and fewer than n texts so far
  template <class TextOf>
  std::uint32_t insert(std::uint32_t index, const TextOf& text_of) noexcept {
    Slot& slot = slots_[slot_of(text_of(index), text_of)];
    if (slot.index == kNone) slot = {tag_of(hash_bytes(text_of(index))), index};
    return slot.index;
  }
  /// kNone when the text is not listed.
  template <class TextOf>
  std::uint32_t find(std::string_view text, const TextOf& text_of) const noexcept {
    return slots_.empty() ? kNone : slots_[slot_of(text, text_of)].index;
  }
  std::size_t capacity_bytes() const noexcept { return slots_.capacity_bytes(); }

 private:
  struct Slot {
    std::uint32_t tag = 0;  ///< upper half of the hash: most unequal texts are told apart without reading them
    std::uint32_t index = kNone;
  };
  static std::uint32_t tag_of(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 32); }

  template <class TextOf>
  std::size_t slot_of(std::string_view text, const TextOf& text_of) const noexcept {
    const std::uint64_t hash = hash_bytes(text);
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash & mask;
    while (slots_[i].index != kNone && !(slots_[i].tag == tag_of(hash) && text_of(slots_[i].index) == text))
      i = (i + 1) & mask;
    return i;
  }

  Array<Slot> slots_;
};

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_BASE_HASH_MAP_HPP
