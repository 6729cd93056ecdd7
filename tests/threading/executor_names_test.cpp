// SPDX-License-Identifier: MIT
// Names of executors, and options that are refused.
#include <loquat/cpu.hpp>
#include <loquat/executor.hpp>

#include "support/catch.hpp"
#include "threading/made_executors.hpp"

using namespace loquat;

TEST_CASE("names of executors go both ways, and unknown ones are errors that list them (I2)") {
  for (const ExecutorKind kind : {ExecutorKind::automatic, ExecutorKind::inline_, ExecutorKind::pool}) {
    const auto parsed = parse_executor(to_string(kind));
    REQUIRE(parsed);
    CHECK(*parsed == kind);
  }
  const auto openmp = parse_executor("openmp");
  CHECK((openmp || openmp.error().code() == ErrorCode::not_built));
  for (const char* name : {"", "Pool", "pool ", "threads"}) {
    const auto parsed = parse_executor(name);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().code() == ErrorCode::invalid_argument);
    CHECK(parsed.error().message().find("auto, inline, pool or openmp") != std::string_view::npos);
  }
}

TEST_CASE("thread options outside their range are refused (A5)") {
  const auto too_many = ExecutorHandle::create({.count = 1025}, {});
  REQUIRE_FALSE(too_many);
  CHECK(too_many.error().code() == ErrorCode::invalid_argument);
  CHECK(too_many.error().name() == "threads.count");
  const auto no_kind = ExecutorHandle::create({.executor = static_cast<ExecutorKind>(200)}, {});
  REQUIRE_FALSE(no_kind);
  CHECK(no_kind.error().code() == ErrorCode::invalid_argument);
}

TEST_CASE("the host's executor is used as it is, whatever the other options say (T1)") {
  loquat_test::BackwardsExecutor host(3);
  const auto handle = ExecutorHandle::create({.count = 8, .executor = ExecutorKind::pool}, {.executor = &host});
  REQUIRE(handle);
  CHECK(handle->get() == &host);
}

TEST_CASE("without a count the default one is used (T3)") {
  const auto handle = ExecutorHandle::create({}, {});
  REQUIRE(handle);
  CHECK((**handle).concurrency() == default_thread_count(query_cpu_resources()));
}
