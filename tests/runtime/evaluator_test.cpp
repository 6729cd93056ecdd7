// SPDX-License-Identifier: MIT
#include "runtime/evaluator.hpp"

#include <algorithm>
#include <vector>

#include "support/catch.hpp"
#include "support/scripted_decoder.hpp"

using namespace loquat;
using loquat_test::ScriptedDecoder;

namespace {

class InlineExecutor final : public Executor {
 public:
  void parallel_for(std::uint32_t n, Task task, void* context) noexcept override {
    for (std::uint32_t i = 0; i < n; ++i) task(context, i);
  }
  std::uint32_t concurrency() const noexcept override { return 1; }
};

struct Fixture {
  ScriptedDecoder decoder{50, ScriptedDecoder::hashes()};
  InlineExecutor executor;
  kernels::KernelTable table{};
  runtime::Engine engine{
      .decoder = &decoder, .kernels = &table, .executor = &executor, .allocator = &default_allocator()};
};

std::vector<Token> count_up(std::size_t n) {
  std::vector<Token> tokens(n);
  for (std::size_t i = 0; i < n; ++i) tokens[i] = static_cast<Token>(i * 7 % 50);
  return tokens;
}

std::vector<float> run(runtime::Evaluator& evaluator, const std::vector<Token>& tokens, std::size_t max_tokens) {
  REQUIRE(evaluator.start(tokens));
  while (!evaluator.is_idle()) REQUIRE(evaluator.run_slice(max_tokens));
  return {evaluator.logits().begin(), evaluator.logits().end()};
}

}  // namespace

TEST_CASE("a prompt gives the same logits whatever its chunks (D1, V3)") {
  Fixture f;
  const auto prompt = count_up(200);
  runtime::Evaluator whole(f.engine);
  REQUIRE(whole.create(256, 256));
  const auto expected = run(whole, prompt, 256);
  for (std::size_t chunk : {1, 3, 63, 64, 65, 199, 200}) {
    runtime::Evaluator evaluator(f.engine);
    REQUIRE(evaluator.create(256, 256));
    CHECK(run(evaluator, prompt, chunk) == expected);
    CHECK(std::ranges::equal(evaluator.tokens(), prompt));
  }
}

TEST_CASE("a slice is one layer of one chunk, and never takes more tokens than asked (R1)") {
  Fixture f;
  runtime::Evaluator evaluator(f.engine);
  REQUIRE(evaluator.create(64, 16));
  REQUIRE(evaluator.start(count_up(20)));
  std::size_t slices = 0;
  while (!evaluator.is_idle()) {
    REQUIRE(evaluator.run_slice(7));
    ++slices;
  }
  CHECK(f.decoder.passes() == std::vector<std::size_t>{7, 7, 6});
  CHECK(slices == 3 * 3 + 1);
}

TEST_CASE("abandoning a prompt keeps exactly the finished chunks, and what follows equals a cold run (C3)") {
  Fixture f;
  const auto prompt = count_up(100);
  for (std::size_t stop_after = 0; stop_after < 3 * 10 + 1; ++stop_after) {
    runtime::Evaluator evaluator(f.engine);
    REQUIRE(evaluator.create(128, 10));
    REQUIRE(evaluator.start(prompt));
    for (std::size_t i = 0; i < stop_after; ++i) REQUIRE(evaluator.run_slice(10));
    evaluator.abandon();
    CHECK(evaluator.tokens().size() == stop_after / 3 * 10);
    const std::vector<Token> rest{1, 2, 3};
    const auto warm = run(evaluator, rest, 10);
    std::vector<Token> history(evaluator.tokens().begin(), evaluator.tokens().end());
    runtime::Evaluator cold(f.engine);
    REQUIRE(cold.create(128, 128));
    CHECK(run(cold, history, 128) == warm);
  }
}

TEST_CASE("rewinding and going another way equals a cold run (V4)") {
  Fixture f;
  runtime::Evaluator evaluator(f.engine);
  REQUIRE(evaluator.create(256, 32));
  run(evaluator, count_up(150), 32);
  for (std::size_t keep : {149, 130, 128, 64, 1, 0}) {
    evaluator.rewind(keep);
    CHECK_FALSE(evaluator.has_logits());
    const auto warm = run(evaluator, {9, 8, 7}, 32);
    std::vector<Token> history(evaluator.tokens().begin(), evaluator.tokens().end());
    runtime::Evaluator cold(f.engine);
    REQUIRE(cold.create(256, 256));
    CHECK(run(cold, history, 256) == warm);
    evaluator.rewind(keep);
  }
}

TEST_CASE("rows of logits come once a token, in order, and equal those of single steps") {
  Fixture f;
  const auto prompt = count_up(45);
  runtime::Evaluator single(f.engine);
  REQUIRE(single.create(64, 1));
  std::vector<std::vector<float>> expected;
  for (const Token token : prompt) expected.push_back(run(single, {token}, 1));
  runtime::Evaluator evaluator(f.engine);
  REQUIRE(evaluator.create(64, 20));
  REQUIRE(evaluator.start(prompt));
  std::vector<std::vector<float>> got;
  REQUIRE(evaluator.run_with_rows([&](std::size_t index, std::span<const float> row) {
    CHECK(index == got.size());
    got.emplace_back(row.begin(), row.end());
  }));
  CHECK(got == expected);
  CHECK(std::ranges::equal(evaluator.logits(), expected.back()));
}

TEST_CASE("a callback for rows that fails or stops ends the call with its own error") {
  Fixture f;
  runtime::Evaluator evaluator(f.engine);
  REQUIRE(evaluator.create(64, 8));
  REQUIRE(evaluator.start(count_up(20)));
  const Status failed = evaluator.run_with_rows([](std::size_t index, std::span<const float>) {
    if (index == 9) throw 1;
  });
  CHECK(failed.code() == ErrorCode::callback_failed);
  CHECK(evaluator.is_idle());
  CHECK(evaluator.tokens().size() == 16);
}

TEST_CASE("a warm-up leaves the tokens as they were (R5)") {
  Fixture f;
  runtime::Evaluator evaluator(f.engine);
  REQUIRE(evaluator.create(64, 8));
  evaluator.warm_up();
  CHECK(evaluator.tokens().empty());
  const auto expected = run(evaluator, count_up(30), 8);
  evaluator.warm_up();
  CHECK(evaluator.tokens().size() == 30);
  evaluator.rewind(29);
  CHECK(run(evaluator, {count_up(30).back()}, 8) == expected);
}
