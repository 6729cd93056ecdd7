// SPDX-License-Identifier: MIT
#include "cache/page_table.hpp"

#include <cstring>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace loquat::inline LOQUAT_ABI::cache {

PageTable::PageTable(const PageLayout& layout, Allocator& allocator) noexcept
    : layout_(layout),
      allocator_(&allocator),
      pages_(allocator, MemoryTag::cache),
      pointers_(allocator, MemoryTag::cache) {}

Result<Ref<Page>> PageTable::make_page() noexcept {
  Ref<Page> page = make_ref<Page>(*allocator_, *allocator_);
  if (!page || !page->bytes.reserve(layout_.page_bytes())) {
    return out_of_memory(layout_.page_bytes(), "a page of the key/value cache");
  }
  return page;
}

Status PageTable::reserve(std::size_t positions) noexcept {
  const std::size_t n_pages = divide_up(positions, kernels::kPagePositions);
  if (!pages_.reserve(n_pages) || !pointers_.reserve(n_pages)) {
    return out_of_memory(n_pages * sizeof(void*), "the page table of the key/value cache");
  }
  while (pages_.size() < n_pages) {
    LOQUAT_ASSIGN_OR_RETURN(Ref<Page> page, make_page());
    std::byte* bytes = page->bytes.data();
    if (!pages_.push_back(std::move(page)) || !pointers_.push_back(bytes)) {
      return out_of_memory(sizeof(void*), "the page table of the key/value cache");
    }
  }
  return {};
}

Status PageTable::make_writable(std::size_t begin, std::size_t end) noexcept {
  if (begin == end) return {};
  const std::size_t last = (end - 1) / kernels::kPagePositions;
  for (std::size_t i = begin / kernels::kPagePositions; i <= last; ++i) {
    if (pages_[i]->is_unique()) continue;
    LOQUAT_ASSIGN_OR_RETURN(Ref<Page> copy, make_page());
    std::memcpy(copy->bytes.data(), pages_[i]->bytes.data(), layout_.page_bytes());
    pointers_[i] = copy->bytes.data();
    pages_[i] = std::move(copy);
  }
  return {};
}

void PageTable::prefault(std::size_t first_position) noexcept {
  constexpr std::size_t kSystemPage = 4096;
  for (std::size_t i = divide_up(first_position, kernels::kPagePositions); i < pages_.size(); ++i) {
    if (!pages_[i]->is_unique()) continue;
    volatile std::byte* bytes = pointers_[i];
    for (std::size_t offset = 0; offset < layout_.page_bytes(); offset += kSystemPage) bytes[offset] = std::byte{0};
  }
}

std::size_t PageTable::memory() const noexcept {
  return pages_.size() * (layout_.page_bytes() + sizeof(Page)) + pages_.capacity_bytes() + pointers_.capacity_bytes();
}

}  // namespace loquat::inline LOQUAT_ABI::cache
