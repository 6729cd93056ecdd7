// SPDX-License-Identifier: MIT
#include "cache/page_table.hpp"

#include "support/catch.hpp"

using namespace loquat;
using namespace loquat::cache;

namespace {

constexpr PageLayout kLayout{.layers = 2, .kv_heads = 3, .head_width = 16};

class FewBlocks final : public Allocator {
 public:
  explicit FewBlocks(int n) : left_(n) {}
  void* allocate(std::size_t bytes, std::size_t alignment, MemoryTag tag) noexcept override {
    return left_-- > 0 ? default_allocator().allocate(bytes, alignment, tag) : nullptr;
  }
  void deallocate(void* block, std::size_t bytes, std::size_t alignment, MemoryTag tag) noexcept override {
    default_allocator().deallocate(block, bytes, alignment, tag);
  }

 private:
  int left_;
};

}  // namespace

TEST_CASE("keys and values of all layers and heads lie side by side without overlapping") {
  CHECK(kLayout.head_bytes() == 16 * 64 * 2);
  CHECK(kLayout.v_offset(0) == kLayout.k_offset(0) + 3 * kLayout.head_bytes());
  CHECK(kLayout.k_offset(1) == kLayout.v_offset(0) + 3 * kLayout.head_bytes());
  CHECK(kLayout.page_bytes() == kLayout.v_offset(1) + 3 * kLayout.head_bytes());
}

TEST_CASE("a table holds whole pages, aligned for the kernels") {
  PageTable table(kLayout, default_allocator());
  REQUIRE(table.reserve(1));
  CHECK(table.positions() == 64);
  REQUIRE(table.reserve(65));
  CHECK(table.positions() == 128);
  for (int i = 0; i < 2; ++i) CHECK(reinterpret_cast<std::uintptr_t>(table.pages()[i]) % 64 == 0);
  CHECK(table.memory() >= 2 * kLayout.page_bytes());
}

TEST_CASE("a cache that cannot be allocated is an error with purpose and size at every point (M3)") {
  for (int n = 0; n < 8; ++n) {
    FewBlocks allocator(n);
    PageTable table(kLayout, allocator);
    const Status status = table.reserve(3 * 64);
    CHECK(status.code() == ErrorCode::out_of_memory);
    CHECK(status.error().message().find("key/value cache") != std::string_view::npos);
  }
  FewBlocks enough(8);
  PageTable table(kLayout, enough);
  CHECK(table.reserve(3 * 64));
}
