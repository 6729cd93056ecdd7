// SPDX-License-Identifier: MIT
#include "base/error.hpp"

#include <string>

#include "support/catch.hpp"

using namespace loquat;

TEST_CASE("an error carries code, text, name and offset without allocating") {
  Error error = make_error(ErrorCode::malformed, "head count must be 1..{}, file says {}", 1024, 0);
  error.with_name("llama.attention.head_count").with_offset(1234);
  CHECK(error.code() == ErrorCode::malformed);
  CHECK(error.message() == "head count must be 1..1024, file says 0");
  CHECK(error.name() == "llama.attention.head_count");
  CHECK(error.offset() == 1234);
  CHECK(std::string(to_string(error.code())) == "malformed");
}

TEST_CASE("a long error text is cut between characters") {
  std::string text(366, 'a');
  text += "\xC3\xA9\xC3\xA9";
  const Error error(ErrorCode::io, text);
  CHECK(error.message() == std::string(366, 'a'));
}

TEST_CASE("a result holds a value or an error, and moves") {
  Result<int> good = 5;
  REQUIRE(good);
  CHECK(*good == 5);
  Result<int> bad = make_error(ErrorCode::io, "no");
  CHECK_FALSE(bad);
  good = std::move(bad);
  CHECK(good.code() == ErrorCode::io);
  CHECK_THROWS_AS(good.value(), ResultError);
}

TEST_CASE("every error code has a name") {
  for (int code = 0; code <= static_cast<int>(ErrorCode::not_built); ++code) {
    CHECK(std::string(to_string(static_cast<ErrorCode>(code))) != "unknown");
  }
}
