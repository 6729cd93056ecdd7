// SPDX-License-Identifier: MIT
// Stop strings in text that arrives in pieces.
#include "text/stop_matcher.hpp"

#include <loquat/host.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/fail_nth_allocator.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

struct Found {
  std::string text;
  bool is_stopped = false;
  friend bool operator==(const Found&, const Found&) = default;
};

Status set(text::StopMatcher& matcher, const std::vector<std::string>& stops) {
  const std::vector<std::string_view> views(stops.begin(), stops.end());
  return matcher.set(views);
}

Found feed(text::StopMatcher& matcher, const std::vector<std::string>& pieces) {
  Found found;
  for (const std::string& piece : pieces) {
    auto output = matcher.push(piece);
    REQUIRE(output);
    found.text += output->text;
    found.is_stopped = output->is_stopped;
  }
  if (!found.is_stopped) found.text += matcher.flush().text;
  return found;
}

/// By definition: the first place where a stop string ends; of those that end there the longest.
Found by_definition(const std::string& text, const std::vector<std::string>& stops) {
  for (std::size_t end = 1; end <= text.size(); ++end) {
    std::size_t longest = 0;
    for (const std::string& stop : stops) {
      if (stop.size() <= end && text.compare(end - stop.size(), stop.size(), stop) == 0)
        longest = std::max(longest, stop.size());
    }
    if (longest > 0) return {text.substr(0, end - longest), true};
  }
  return {text, false};
}

std::string letters(Data& data, std::int64_t most) {
  std::string text;
  for (std::int64_t n = data.whole(1, most); n > 0; --n) text.push_back(static_cast<char>('a' + data.whole(0, 2)));
  return text;
}

}  // namespace

TEST_CASE("random streams cut anywhere give what the definition gives (S2, S3, S4)") {
  LOQUAT_TEST_DATA(data, 3);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::string> stops;
    for (std::int64_t n = data.whole(0, 4); n > 0; --n) stops.push_back(letters(data, 5));
    const std::string text = letters(data, 40);
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t n = static_cast<std::size_t>(data.whole(0, 6));
      pieces.push_back(text.substr(at, n));
      at += n;
    }
    text::StopMatcher matcher(default_allocator());
    REQUIRE(set(matcher, stops));
    if (feed(matcher, pieces) != by_definition(text, stops)) FAIL_CHECK("round " << round << ", text " << text);
  }
}

TEST_CASE("no byte of a stop string in three pieces is delivered, what stood before it is (S2, report 60)") {
  text::StopMatcher matcher(default_allocator());
  REQUIRE(set(matcher, {"abcdef"}));
  auto first = matcher.push("xyabc");
  REQUIRE(first);
  CHECK(first->text == "xy");
  CHECK(matcher.held_bytes() == 3);
  auto second = matcher.push("d");
  REQUIRE(second);
  CHECK(second->text.empty());
  auto third = matcher.push("efgh");
  REQUIRE(third);
  CHECK(third->text.empty());
  CHECK(third->is_stopped);
  CHECK(matcher.push("more")->text.empty());
  CHECK(matcher.flush().text.empty());
}

TEST_CASE("held text is delivered as soon as it cannot be part of a stop string") {
  text::StopMatcher matcher(default_allocator());
  REQUIRE(set(matcher, {"</think>", "\n\nUser:"}));
  CHECK(matcher.push("a <")->text == "a ");
  CHECK(matcher.push("b")->text == "<b");
  CHECK(matcher.push("\n")->text.empty());
  CHECK(matcher.push("\n")->text.empty());
  CHECK(matcher.push("\nUse")->text == "\n");
  CHECK(matcher.flush().text == "\n\nUse");
}

TEST_CASE("the literal of an end-of-turn token works as a stop string (S3, report 63)") {
  text::StopMatcher matcher(default_allocator());
  REQUIRE(set(matcher, {"<|im_end|>"}));
  CHECK(feed(matcher, {"bye", "<|im_", "end|>", "\n"}) == Found{"bye", true});
}

TEST_CASE("an empty list stops nothing and holds nothing; an empty stop string is refused (S3)") {
  text::StopMatcher matcher(default_allocator());
  REQUIRE(set(matcher, {}));
  CHECK(matcher.push("abc")->text == "abc");
  CHECK(matcher.held_bytes() == 0);
  REQUIRE(set(matcher, {"b"}));
  const Status status = set(matcher, {"x", ""});
  CHECK(status.code() == ErrorCode::invalid_argument);
  CHECK(status.error().offset() == 1);
  CHECK(feed(matcher, {"abc"}) == Found{"a", true});  // as before the refused call
}

TEST_CASE("a reset matcher starts again") {
  text::StopMatcher matcher(default_allocator());
  REQUIRE(set(matcher, {"ab"}));
  CHECK(feed(matcher, {"xab"}) == Found{"x", true});
  matcher.reset();
  CHECK(feed(matcher, {"b", "a"}) == Found{"ba", false});
  CHECK(feed(matcher, {"b"}) == Found{"b", false});  // flush ended the stream: the a before is forgotten
}

TEST_CASE("bytes of all values match, zero too") {
  const std::string stop("\0\xFF\x80", 3);
  text::StopMatcher matcher(default_allocator());
  REQUIRE(set(matcher, {stop}));
  CHECK(feed(matcher, {std::string("a\0", 2), "\xFF", "\x80z"}) == Found{"a", true});
}

TEST_CASE("a matcher without memory says so and is as before (M3)") {
  for (std::size_t n = 1;; ++n) {
    FailNthAllocator allocator;
    text::StopMatcher matcher(allocator);
    allocator.fail_nth(n);
    const Status status = set(matcher, {"abc", "bcd"});
    if (status) {
      auto output = matcher.push("xxab");
      if (output) {
        CHECK(output->text == "xx");
        if (allocator.n_failed() == 0) break;
      } else {
        CHECK(output.code() == ErrorCode::out_of_memory);
        CHECK(matcher.held_bytes() == 0);
      }
    } else {
      CHECK(status.code() == ErrorCode::out_of_memory);
      CHECK(allocator.live_blocks() == 0);
    }
    REQUIRE(n < 100);
  }
}
