// SPDX-License-Identifier: MIT
#include "base/utf8.hpp"

#include <string>

#include "support/catch.hpp"

using namespace loquat;

namespace {
/// Lengths of the steps through a text, negative for ill-formed ones.
std::string steps(std::string_view text) {
  std::string all;
  for (std::size_t i = 0; i < text.size();) {
    const utf8::CodePoint next = utf8::decode(text, i);
    if (!next.is_valid) all.push_back('-');
    all.push_back(static_cast<char>('0' + next.bytes));
    all.push_back(' ');
    i += next.bytes;
  }
  return all;
}
}  // namespace

TEST_CASE("every scalar value is written and read back") {
  bool is_same = true;
  for (std::uint32_t value = 0; value <= 0x10FFFF; ++value) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    char bytes[4];
    const std::uint32_t n = utf8::encode(value, bytes);
    const utf8::CodePoint back = utf8::decode({bytes, n}, 0);
    is_same = is_same && back.is_valid && back.value == value && back.bytes == n;
    for (std::uint32_t cut = 1; cut < n; ++cut) {
      const utf8::CodePoint part = utf8::decode({bytes, cut}, 0);
      is_same = is_same && part.is_cut_off && !part.is_valid && part.bytes == cut;
    }
  }
  CHECK(is_same);
}

TEST_CASE("ill-formed bytes are cut into maximal subparts, as table 3-8 of the Unicode standard does (S1)") {
  CHECK(steps("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41") == "-1 -1 -1 -1 -1 -1 -1 -1 1 ");
  CHECK(steps("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41") == "-1 -1 -1 -1 -1 -1 -1 -1 1 ");
  CHECK(steps("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42") == "-1 -1 -1 -1 -1 1 -1 -1 1 ");
  CHECK(steps("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41") == "-2 -1 -3 -2 1 ");
  CHECK_FALSE(utf8::decode("\xF4\x90", 0).is_cut_off);
  CHECK_FALSE(utf8::decode("\xE2\x41", 0).is_cut_off);
}
