// SPDX-License-Identifier: MIT
#include <loquat/array.hpp>

#include "support/catch.hpp"

using namespace loquat;

namespace {
class NoMemory final : public Allocator {
 public:
  void* allocate(std::size_t, std::size_t, MemoryTag) noexcept override { return nullptr; }
  void deallocate(void*, std::size_t, std::size_t, MemoryTag) noexcept override {}
};
}  // namespace

TEST_CASE("an array grows, keeps its values and gives them up when moved") {
  Array<int> array;
  for (int i = 0; i < 1000; ++i) REQUIRE(array.push_back(i));
  Array<int> moved = std::move(array);
  CHECK(array.empty());
  REQUIRE(moved.size() == 1000);
  for (int i = 0; i < 1000; ++i) CHECK(moved[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("an array appends a part of itself") {
  Array<int> array;
  for (int i = 0; i < 16; ++i) REQUIRE(array.push_back(i));
  REQUIRE(array.append(std::span<const int>(array.data() + 4, 8)));
  REQUIRE(array.size() == 24);
  for (int i = 0; i < 8; ++i) CHECK(array[static_cast<std::size_t>(16 + i)] == i + 4);
}

TEST_CASE("an array without memory answers false and stays as it was (M3)") {
  NoMemory none;
  Array<int> array(none);
  CHECK_FALSE(array.push_back(1));
  CHECK_FALSE(array.resize(5));
  CHECK_FALSE(array.reserve(1));
  CHECK(array.empty());
}

TEST_CASE("arrays of arrays move and release their elements") {
  Array<Array<int>> outer;
  for (int i = 0; i < 50; ++i) {
    Array<int> inner;
    REQUIRE(inner.push_back(i));
    REQUIRE(outer.push_back(std::move(inner)));
  }
  outer.truncate(10);
  CHECK(outer.size() == 10);
  CHECK(outer[9][0] == 9);
}

TEST_CASE("a string compares, appends itself and is a view") {
  String text;
  REQUIRE(text.append("ab"));
  REQUIRE(text.append(text));
  CHECK(text == "abab");
  CHECK(std::string_view(text).size() == 4);
}
