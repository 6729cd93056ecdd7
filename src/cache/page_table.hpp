// SPDX-License-Identifier: MIT
// The key/value cache of one sequence: a table of pages, each shared by reference count and copied when it is written
// while somebody else holds it.
#ifndef LOQUAT_CACHE_PAGE_TABLE_HPP
#define LOQUAT_CACHE_PAGE_TABLE_HPP

#include <loquat/array.hpp>
#include <loquat/result.hpp>

#include <cstddef>

#include "base/ref.hpp"
#include "cache/page_layout.hpp"

namespace loquat::inline LOQUAT_ABI::cache {

/// kPagePositions positions of all layers. Contents are unspecified until written: kernels never read past a
/// sequence's end.
class Page : public RefCounted {
 public:
  static constexpr MemoryTag kTag = MemoryTag::cache;
  explicit Page(Allocator& allocator) noexcept : bytes(allocator, MemoryTag::cache, 64) {}
  Allocator& allocator() const noexcept { return bytes.allocator(); }

  Array<std::byte> bytes;
};

/// Pages of a sequence, in order of position.
///
/// Threads   one at a time; pages themselves may be shared between tables
class PageTable {
 public:
  PageTable(const PageLayout& layout, Allocator& allocator) noexcept;

  /// Makes pages for positions [0, positions). Never shrinks.
  ///
  /// Errors    out_of_memory; pages made so far stay
  Status reserve(std::size_t positions) noexcept;
  /// Copies pages of [begin, end) that other tables hold too, so that this one may write them.
  ///
  /// Requires  end is reserved
  Status make_writable(std::size_t begin, std::size_t end) noexcept;
  /// Touches all pages' memory, so that the first tokens do not pay for page faults (promise R5).
  void prefault(std::size_t first_position) noexcept;

  std::byte* const* pages() const noexcept { return pointers_.data(); }
  std::size_t positions() const noexcept { return pages_.size() * kernels::kPagePositions; }
  std::size_t memory() const noexcept;

 private:
  Result<Ref<Page>> make_page() noexcept;

  PageLayout layout_;
  Allocator* allocator_;
  Array<Ref<Page>> pages_;
  Array<std::byte*> pointers_;  ///< of pages_, as kernels want them
};

}  // namespace loquat::inline LOQUAT_ABI::cache

#endif  // LOQUAT_CACHE_PAGE_TABLE_HPP
