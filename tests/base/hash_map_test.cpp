// SPDX-License-Identifier: MIT
#include "base/hash_map.hpp"

#include <map>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/fail_nth_allocator.hpp"

using namespace loquat;
using namespace loquat_test;

TEST_CASE("an integer map holds what a std::map holds, and keeps the first value of a key") {
  LOQUAT_TEST_DATA(data, 1);
  IntegerMap<int> map(default_allocator(), MemoryTag::tokenizer);
  std::map<std::uint64_t, int> expected;
  CHECK(map.find(0) == nullptr);
  for (int i = 0; i < 20'000; ++i) {
    // Small keys collide often, keys that differ in high bits only show whether all bits are mixed in.
    const std::uint64_t key = static_cast<std::uint64_t>(data.whole(0, 5'000)) << (i % 2 == 0 ? 0 : 48);
    REQUIRE(map.insert(key, i));
    expected.insert({key, i});
  }
  CHECK(map.size() == expected.size());
  bool is_same = true;
  for (const auto& [key, value] : expected) is_same = is_same && map.find(key) != nullptr && *map.find(key) == value;
  CHECK(is_same);
  CHECK(map.find(6'000) == nullptr);
}

TEST_CASE("a text index finds every listed text and nothing else") {
  std::vector<std::string> texts = {""};
  for (int i = 0; i < 3'000; ++i)
    texts.push_back(std::string(static_cast<std::size_t>(i % 40), 'x') + std::to_string(i));
  TextIndex index(default_allocator(), MemoryTag::tokenizer);
  const auto text_of = [&](std::uint32_t i) { return std::string_view(texts[i]); };
  CHECK(index.find("a", text_of) == TextIndex::kNone);
  REQUIRE(index.create(texts.size()));
  for (std::uint32_t i = 0; i < texts.size(); ++i) CHECK(index.insert(i, text_of) == i);
  texts.push_back(texts[17]);
  CHECK(index.insert(static_cast<std::uint32_t>(texts.size() - 1), text_of) == 17);
  for (std::uint32_t i = 0; i + 1 < texts.size(); ++i) CHECK(index.find(texts[i], text_of) == i);
  CHECK(index.find("x", text_of) == TextIndex::kNone);
}

TEST_CASE("texts of equal length and one different byte have different hashes") {
  std::string text(40, 'a');
  const std::uint64_t hash = hash_bytes(text);
  for (char& c : text) {
    c = 'b';
    CHECK(hash_bytes(text) != hash);
    c = 'a';
  }
  CHECK(hash_bytes(std::string_view("a\0", 2)) != hash_bytes("a"));
}

TEST_CASE("a map that cannot grow says so and keeps what it holds (M3)") {
  FailNthAllocator allocator;
  IntegerMap<int> map(allocator, MemoryTag::tokenizer);
  allocator.fail_nth(2);
  int held = 0;
  while (map.insert(static_cast<std::uint64_t>(held), held)) ++held;
  CHECK(allocator.n_failed() == 1);
  CHECK(held > 0);
  for (int i = 0; i < held; ++i) {
    const int* value = map.find(static_cast<std::uint64_t>(i));
    REQUIRE(value != nullptr);
    CHECK(*value == i);
  }
  CHECK(map.insert(static_cast<std::uint64_t>(held), held));
}
