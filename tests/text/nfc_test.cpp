// SPDX-License-Identifier: MIT
// Normalization Form C.
#include "text/nfc.hpp"

#include <loquat/array.hpp>

#include <chrono>
#include <string>

#include "base/utf8.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "text/support.hpp"
#include "text/unicode.hpp"

using namespace loquat;

namespace {
std::string nfc(const std::string& text) {
  String normalized;
  REQUIRE(text::normalize_nfc(text, normalized));
  return std::string(normalized.view());
}
}  // namespace

TEST_CASE("composed and decomposed forms of a word become one (report 23)") {
  CHECK(nfc("e\xCC\x81") == "\xC3\xA9");
  CHECK(nfc("\xC3\xA9") == "\xC3\xA9");
  CHECK(nfc("\xE1\xBA\xAD") == nfc("a\xCC\xA3\xCC\x82"));    // two marks, canonical order
  CHECK(nfc("a\xCC\x82\xCC\xA3") == "\xE1\xBA\xAD");         // the other order
  CHECK(nfc("\xEF\xAC\x81") == "\xEF\xAC\x81");              // a ligature has no canonical decomposition
  CHECK(nfc("\xC2\xBD") == "\xC2\xBD");                      // nor has a fraction
  CHECK(nfc("\xE2\x84\xAB") == "\xC3\x85");                  // U+212B ANGSTROM SIGN: a singleton
  CHECK(nfc("\xE0\xA5\x98") == "\xE0\xA4\x95\xE0\xA4\xBC");  // U+0958: excluded from composition
}

TEST_CASE("Hangul syllables are composed of their letters") {
  CHECK(nfc("\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB") == "\xED\x95\x9C");
  CHECK(nfc("\xED\x95\x98\xE1\x86\xAB") == "\xED\x95\x9C");
  CHECK(nfc("\xED\x95\x9C\xE1\x86\xAB") == "\xED\x95\x9C\xE1\x86\xAB");  // it has its last consonant already
  CHECK(nfc("\xED\x95\x9C") == "\xED\x95\x9C");
}

TEST_CASE("a mark behind one of its own class, or behind another letter, does not compose") {
  CHECK(nfc("a\xCC\x80\xCC\x81") == "\xC3\xA0\xCC\x81");
  CHECK(nfc("a\xCC\xA3"
            "b\xCC\x82") ==
        "\xE1\xBA\xA1"
        "b\xCC\x82");
  CHECK(nfc("\xCC\x81") == "\xCC\x81");
}

TEST_CASE("bytes that are not UTF-8 stay, and nothing composes across them (K2)") {
  CHECK(nfc("e\xFF\xCC\x81") == "e\xFF\xCC\x81");
  CHECK(nfc("\xCC") == "\xCC");
  CHECK(text::needs_nfc("e\xCC\x81"));
  CHECK_FALSE(text::needs_nfc("e\xCC\x81\xFF"));
  CHECK(nfc("e\xCC\x81\xE2\x82") == "\xC3\xA9\xE2\x82");
}

TEST_CASE("what the quick check passes does not change, and normalizing twice changes nothing") {
  LOQUAT_TEST_DATA(data, 5);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::int64_t n = data.whole(0, 12); n > 0; --n) {
      char bytes[4];
      const std::int64_t kind = data.whole(0, 4);
      const std::int64_t code_point = kind == 0   ? data.whole(0x61, 0x7A)
                                      : kind == 1 ? data.whole(0x300, 0x345)
                                      : kind == 2 ? data.whole(0xA0, 0x1FFF)
                                      : kind == 3 ? data.whole(0xAC00, 0xD7A3)
                                                  : data.whole(0x10000, 0x2FA1F);
      text.append(bytes, utf8::encode(static_cast<std::uint32_t>(code_point), bytes));
    }
    const std::string once = nfc(text);
    if (nfc(once) != once) FAIL_CHECK("not stable: round " << round);
    if (!text::needs_nfc(text) && once != text) FAIL_CHECK("quick check: round " << round);
  }
}

TEST_CASE("a long run of marks in the worst order takes linear time (K3)") {
  const auto seconds = [](std::size_t n) {
    std::string text = "a";
    for (std::size_t i = 0; i < n; ++i) text += i % 2 == 0 ? "\xCC\x81" : "\xCC\xA3";  // classes 230 and 220
    const auto start = std::chrono::steady_clock::now();
    CHECK(nfc(text).size() == text.size());  // U+1EA1 for the letter and one mark below: three bytes for 1 + 2
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  CHECK(seconds(500'000) < 2.0);  // quadratic sorting would take hours
}

TEST_CASE("categories know what Unicode 16 knows (K1)") {
  using text::Category;
  CHECK(text::category_of('a') == Category::lowercase_letter);
  CHECK(text::category_of(0x1C89) == Category::uppercase_letter);  // CYRILLIC CAPITAL LETTER TJE, new in 16
  CHECK(text::category_of(0x10D40) == Category::number);           // GARAY DIGIT ZERO, new in 16
  CHECK(text::category_of(0x0378) == Category::other);             // unassigned
  CHECK(text::category_of(0xE0100) == Category::mark);             // beyond the dense table
  CHECK(text::category_of(0x110000) == Category::other);
  CHECK(text::category_of(0xFFFFFFFF) == Category::other);
  CHECK(text::is_white_space(0x85));
  CHECK(text::is_white_space(0x3000));
  CHECK_FALSE(text::is_white_space(0x200B));
  CHECK(text::combining_class(0x301) == 230);
  CHECK(text::combining_class('a') == 0);
}
