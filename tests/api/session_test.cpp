// SPDX-License-Identifier: MIT
// The host contract of sessions, on toy models through the public headers.
#include <loquat/loquat.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/capture.hpp"
#include "support/catch.hpp"
#include "support/fail_nth_allocator.hpp"
#include "support/host_state.hpp"
#include "support/levels.hpp"
#include "support/process_meter.hpp"
#include "support/small_stack.hpp"
#include "support/toy_model.hpp"

using namespace loquat;
using namespace std::chrono_literals;
using loquat_test::FailNthAllocator;
using loquat_test::make_toy_model;

namespace {

Model load_toy(const loquat_test::ToyModelOptions& toy = {}, const LoadOptions& options = {}) {
  const auto image = make_toy_model(toy);
  auto model = Model::load(std::span<const std::byte>(image.bytes), options);
  INFO((model ? "" : model.error().c_str()));
  REQUIRE(model);
  return *model;
}

Session open(const Model& model, const SessionOptions& options = {.context = 256, .chunk = 32}) {
  auto session = Session::create(model, options);
  INFO((session ? "" : session.error().c_str()));
  REQUIRE(session);
  return std::move(*session);
}

const GenerateOptions kGreedy{.max_tokens = 24, .sampling = {.temperature = 0}, .ignore_end_of_generation = true};

std::vector<Token> ids(const Array<Token>& tokens) { return {tokens.begin(), tokens.end()}; }

std::vector<float> logits_of(Session& session) {
  const auto logits = session.logits();
  REQUIRE(logits);
  return {logits->begin(), logits->end()};
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

std::vector<Token> prompt_of(std::size_t n) {
  std::vector<Token> tokens(n);
  for (std::size_t i = 0; i < n; ++i) tokens[i] = static_cast<Token>(32 + i * 11 % 90);
  return tokens;
}

}  // namespace

TEST_CASE("pieces concatenate to the reply, and steps give the same text as generate (S4, R1)") {
  const Model model = load_toy();
  Session session = open(model);
  std::string streamed;
  const auto reply = session.generate("Once upon a time", kGreedy, [&](std::string_view piece) { streamed += piece; });
  REQUIRE(reply);
  CHECK(streamed == reply->text.view());
  CHECK(reply->finish == Finish::max_tokens);
  CHECK(session.tokens().size() == reply->usage.prompt_tokens + 24);

  for (const auto budget : {0ns, 1000ns, 50'000ns, 10'000'000ns}) {
    Session sliced = open(model);
    REQUIRE(sliced.begin("Once upon a time", kGreedy));
    std::string text;
    for (int steps = 0;; ++steps) {
      const auto step = sliced.step(budget);
      REQUIRE(step);
      text += step->text;
      if (step->finished()) break;
      REQUIRE(steps < 100'000);
    }
    CHECK(text == streamed);
    const auto taken = sliced.take_reply();
    REQUIRE(taken);
    CHECK(ids(taken->tokens) == ids(reply->tokens));
  }
}

TEST_CASE("logits have the same bits for any threads, executor, chunk and level (D1, D2)") {
  const auto prompt = prompt_of(150);
  for (const TensorType type : {TensorType::q4_0, TensorType::q8_0, TensorType::f16}) {
    std::optional<std::vector<float>> expected;
    const auto check = [&](const LoadOptions& load, const SessionOptions& options, const std::string& what) {
      const Model model = load_toy({.type = type}, load);
      Session session = open(model, options);
      REQUIRE(session.append(prompt));
      REQUIRE(session.append(std::vector<Token>{65, 66}));
      const auto got = logits_of(session);
      INFO(what);
      if (!expected.has_value()) expected = got;
      CHECK(same_bits(got, *expected));
    };
    for (const LevelInfo& level : levels()) {
      if (!level.is_available) continue;
      for (const std::uint32_t chunk : {1u, 33u, 512u}) {
        check({.level = level.level}, {.context = 256, .chunk = chunk}, level.name);
      }
    }
    for (std::uint32_t threads = 1; threads <= 8; ++threads) {
      for (const ExecutorKind kind : {ExecutorKind::pool, ExecutorKind::openmp, ExecutorKind::inline_}) {
        const ThreadOptions thread_options{.count = threads, .executor = kind};
        if (const auto probe = parse_executor(to_string(kind)); !probe) continue;
        check({}, {.context = 256, .chunk = 64, .threads = thread_options}, to_string(kind) + std::to_string(threads));
      }
    }
    for (std::uint32_t chunk = 1; chunk <= 256; chunk += 17) check({}, {.context = 256, .chunk = chunk}, "chunk");
  }
}

TEST_CASE("a second call while one runs is busy, from the callback and from another thread (E3, R3)") {
  const Model model = load_toy();
  Session session = open(model);
  Session alone = open(model);
  std::vector<ErrorCode> from_callback;
  std::optional<ErrorCode> from_thread;
  const auto reply = session.generate("abc", kGreedy, [&](std::string_view) {
    from_callback.push_back(session.generate("x", {}).code());
    from_callback.push_back(session.append(prompt_of(1)).code());
    from_callback.push_back(session.rewind(0).code());
    if (!from_thread.has_value()) {
      std::thread other([&] { from_thread = session.begin("x", {}).code(); });
      other.join();
    }
    CHECK(session.context() == 256);
  });
  REQUIRE(reply);
  REQUIRE_FALSE(from_callback.empty());
  for (const ErrorCode code : from_callback) CHECK(code == ErrorCode::busy);
  CHECK(from_thread == ErrorCode::busy);
  const auto undisturbed = alone.generate("abc", kGreedy);
  REQUIRE(undisturbed);
  CHECK(ids(undisturbed->tokens) == ids(reply->tokens));
}

TEST_CASE("a throwing callback ends with callback_failed, a stopping one with cancelled, and the session goes on (A3)") {
  const Model model = load_toy();
  Session session = open(model);
  int calls = 0;
  const auto thrown = session.generate("abc", kGreedy, [&](std::string_view) {
    if (++calls == 2) throw std::string("mine");
  });
  CHECK(thrown.code() == ErrorCode::callback_failed);
  calls = 0;
  const auto stopped = session.generate("abc", kGreedy, [&](std::string_view) { return ++calls == 2 ? Next::stop : Next::proceed; });
  REQUIRE(stopped);
  CHECK(stopped->finish == Finish::cancelled);
  const auto history = std::vector<Token>(session.tokens().begin(), session.tokens().end());
  const auto warm = session.generate("z", kGreedy);
  Session cold = open(model);
  std::vector<Token> prompt = history;
  prompt.push_back('z');
  const auto fresh = cold.generate(prompt, kGreedy);
  REQUIRE(warm);
  REQUIRE(fresh);
  CHECK(ids(warm->tokens) == ids(fresh->tokens));
}

TEST_CASE("cancel works before, during and after a call, from any thread (C1, C2, C5)") {
  const Model model = load_toy({.layers = 4, .context_length = 8192});
  Session session = open(model, {.context = 8192, .chunk = 64});
  session.cancel();
  REQUIRE(session.generate("abc", kGreedy));  // before the start: no effect
  StopToken stop;
  stop.request();
  const auto at_once = session.generate("abc", {.max_tokens = 5, .stop_token = stop});
  REQUIRE(at_once);
  CHECK(at_once->finish == Finish::cancelled);

  std::atomic<bool> is_started{false};
  std::chrono::steady_clock::time_point asked;
  std::thread other([&] {
    while (!is_started.load()) std::this_thread::yield();
    std::this_thread::sleep_for(5ms);
    asked = std::chrono::steady_clock::now();
    session.cancel();
  });
  is_started = true;
  const auto reply = session.generate(prompt_of(8000), {.max_tokens = 0, .history = History::replace});
  const auto returned = std::chrono::steady_clock::now();
  other.join();
  REQUIRE(reply);
  if (reply->finish == Finish::cancelled) {  // a fast machine may be done before
    CHECK(returned - asked < 500ms);         // a slice is well under 20 ms; a loaded machine may lose the thread for longer
    CHECK(session.tokens().size() < 8000);
  }
  session.cancel();
  CHECK(session.rewind(0));
  CHECK(session.generate("abc", kGreedy));
}

TEST_CASE("append that is cancelled or refused leaves the session as it was (C3, V1)") {
  const Model model = load_toy();
  Session session = open(model);
  REQUIRE(session.append(prompt_of(100)));
  const auto before = logits_of(session);
  StopToken stop;
  stop.request();
  CHECK(session.append(prompt_of(50), stop).code() == ErrorCode::cancelled);
  CHECK(session.append(prompt_of(157)).code() == ErrorCode::context_full);
  CHECK(session.append(std::vector<Token>{1, -1}).code() == ErrorCode::invalid_argument);
  CHECK(session.tokens().size() == 100);
  CHECK(same_bits(logits_of(session), before));
  CHECK(session.append(prompt_of(156)));
  CHECK(session.append(prompt_of(1)).code() == ErrorCode::context_full);
}

TEST_CASE("logits before any token are an error, after a rewind those of the last token again (V4)") {
  const Model model = load_toy();
  Session session = open(model);
  CHECK(session.logits().code() == ErrorCode::invalid_argument);
  REQUIRE(session.append(prompt_of(70)));
  const auto expected = logits_of(session);
  REQUIRE(session.append(prompt_of(10)));
  REQUIRE(session.rewind(70));
  CHECK(same_bits(logits_of(session), expected));
  CHECK(session.rewind(71).code() == ErrorCode::invalid_argument);
}

TEST_CASE("options outside their range are refused at construction (A5)") {
  const Model model = load_toy();
  for (const SessionOptions& bad : {SessionOptions{.context = 0}, SessionOptions{.context = 1},
                                    SessionOptions{.context = 513}, SessionOptions{.context = 64, .chunk = 0},
                                    SessionOptions{.context = 64, .chunk = 4097}}) {
    const auto session = Session::create(model, bad);
    CHECK(session.code() == ErrorCode::invalid_argument);
    CHECK_FALSE(session.error().name().empty());
  }
  for (const std::uint32_t context : {2u, 3u, 63u, 64u, 65u, 512u}) {
    Session session = open(model, {.context = context});
    const auto reply = session.generate(prompt_of(1), kGreedy);
    REQUIRE(reply);
    CHECK(session.tokens().size() == std::min<std::size_t>(context, 25));
  }
}

TEST_CASE("the default context is 2048, or what a smaller model was trained for (M2)") {
  CHECK(open(load_toy(), {}).context() == 512);
  CHECK(open(load_toy({.context_length = 1u << 20}), {}).context() == 2048);
}

TEST_CASE("a session lives longer than the model's handle, and may be moved (M8)") {
  std::optional<Session> session;
  {
    const Model model = load_toy();
    session = open(model);
  }
  Session moved = std::move(*session);
  session.reset();
  CHECK(moved.generate("abc", kGreedy));
}

TEST_CASE("two sessions on two threads give the same tokens as alone (E1, E2)") {
  const Model model = load_toy();
  std::vector<std::vector<Token>> expected(2);
  std::vector<std::vector<Token>> got(2);
  const std::string prompts[] = {"the first", "another one"};
  const auto run = [&](std::size_t i) {
    Session session = open(model, {.context = 256, .chunk = 16, .threads = ThreadOptions{.count = 2}});
    auto reply = session.generate(prompts[i], kGreedy);
    return reply ? ids(reply->tokens) : std::vector<Token>{};
  };
  for (std::size_t i = 0; i < 2; ++i) expected[i] = run(i);
  std::thread first([&] { got[0] = run(0); });
  std::thread second([&] { got[1] = run(1); });
  first.join();
  second.join();
  CHECK(got == expected);
  CHECK_FALSE(expected[0].empty());
}

TEST_CASE("destroying a session while it computes on another thread cancels it (R4)") {
  const Model model = load_toy({.layers = 4, .context_length = 8192});
  auto session = std::make_unique<Session>(open(model, {.context = 8192, .chunk = 16}));
  std::atomic<bool> is_running{false};
  Result<Reply> reply = Error();
  std::thread worker([&, raw = session.get()] {
    is_running = true;
    reply = raw->generate(prompt_of(8000), {.max_tokens = 0});
  });
  while (!is_running.load()) std::this_thread::yield();
  std::this_thread::sleep_for(5ms);
  const auto start = std::chrono::steady_clock::now();
  session.reset();
  CHECK(std::chrono::steady_clock::now() - start < 1s);
  worker.join();
}

TEST_CASE("a failing allocation at every point of load and generate is an error that names its purpose (M3, A7)") {
  const auto image = make_toy_model({.type = TensorType::q4_0});
  FailNthAllocator allocator;
  const Host host{.allocator = &allocator};
  const auto run = [&]() -> Status {
    auto model = Model::load(std::span<const std::byte>(image.bytes), {.host = host, .threads = {.count = 2}});
    if (!model) return model.error();
    auto session = Session::create(*model, {.context = 128, .chunk = 16});
    if (!session) return session.error();
    const std::string_view stops[] = {"never this"};
    auto reply = session->generate("Once upon a time", {.max_tokens = 8, .stop = stops});
    if (!reply) return reply.error();
    return {};
  };
  allocator.fail_nth(FailNthAllocator::kNever);
  REQUIRE(run());
  const std::size_t n = allocator.n_allocations();
  REQUIRE(n > 20);
  for (std::size_t i = 1; i <= n; ++i) {
    allocator.fail_nth(i);
    const Status status = run();
    INFO("allocation " << i << " of " << n << ": " << status.error().message());
    CHECK(status.code() == ErrorCode::out_of_memory);
    CHECK(status.error().message().find("bytes") != std::string_view::npos);
    CHECK(allocator.live_bytes() == 0);
  }
  allocator.fail_nth(FailNthAllocator::kNever);
  CHECK(run());
  CHECK(allocator.live_bytes() == 0);
  CHECK(allocator.n_misused() == 0);
}

TEST_CASE("decoding allocates nothing after the first token (M4)") {
  FailNthAllocator allocator;
  const Host host{.allocator = &allocator};
  const Model model = load_toy({}, {.host = host});
  Session session = open(model);
  std::vector<std::size_t> counts;
  REQUIRE(session.generate("Once upon a time", kGreedy, [&](std::string_view) { counts.push_back(allocator.n_allocations()); }));
  REQUIRE(counts.size() > 3);
  std::string seen;
  for (const std::size_t count : counts) seen += std::to_string(count) + " ";
  INFO("allocations at each piece: " << seen);
  CHECK(counts.back() == counts[1]);
}

TEST_CASE("cycles of load, generate and destroy leave nothing behind (M1)") {
  FailNthAllocator allocator;
  const Host host{.allocator = &allocator};
  const std::size_t files = loquat_test::n_open_files();
  const std::size_t threads = loquat_test::n_threads();  // OpenMP keeps its own from earlier cases
  for (int i = 0; i < 20; ++i) {
    const Model model = load_toy({}, {.host = host, .threads = {.count = 2}});
    Session session = open(model);
    REQUIRE(session.generate("abc", kGreedy));
  }
  CHECK(allocator.live_bytes() == 0);
  CHECK(loquat_test::n_open_files() == files);
  CHECK(loquat_test::n_threads() == threads);
}

TEST_CASE("one thread and inline make no thread, and 256 KiB of stack are enough (T7, T9)") {
  loquat_test::run_on_small_stack(256, [] {
    const std::size_t before = loquat_test::n_threads();
    const Model model = load_toy({}, {.threads = {.count = 1, .executor = ExecutorKind::inline_}});
    Session session = open(model);
    CHECK(session.generate("Once upon a time", kGreedy));
    CHECK(loquat_test::n_threads() == before);
  });
}

TEST_CASE("no CPU is used after an answer (T2)") {
  const Model model = load_toy({}, {.threads = {.count = 4, .executor = ExecutorKind::pool}});
  Session session = open(model);
  REQUIRE(session.generate("abc", kGreedy));
  std::this_thread::sleep_for(50ms);
  const loquat_test::CpuMeter meter;
  std::this_thread::sleep_for(1s);
  CHECK(meter.used() < 5ms);
}

TEST_CASE("nothing is printed and the host's state is untouched, on success and on errors (O1, H4, A6)") {
  const auto image = make_toy_model();
  const auto before = loquat_test::HostState::take();
  const auto printed = loquat_test::capture_output([&] {
    CHECK_FALSE(Model::load("/does/not/exist.gguf"));
    CHECK_FALSE(Model::load(std::span<const std::byte>(image.bytes).first(1000)));
    auto model = Model::load(std::span<const std::byte>(image.bytes));
    REQUIRE(model);
    auto session = Session::create(*model, {.context = 64});
    REQUIRE(session);
    CHECK(session->generate("abc", kGreedy));
    CHECK_FALSE(session->generate(prompt_of(100), kGreedy));
  });
  CHECK(printed.out.empty());
  CHECK(printed.err.empty());
  CHECK(before.difference_to(loquat_test::HostState::take()).empty());
}

TEST_CASE("after a warm-up the first token takes no more work than later ones, and history is untouched (R5)") {
  const Model model = load_toy();
  Session session = open(model);
  REQUIRE(session.warmup());
  CHECK(session.tokens().empty());
  Session cold = open(model);
  const auto warm = session.generate("abc", kGreedy);
  const auto fresh = cold.generate("abc", kGreedy);
  REQUIRE(warm);
  REQUIRE(fresh);
  CHECK(ids(warm->tokens) == ids(fresh->tokens));
}

TEST_CASE("a random seed can be read and used again; fixed ones repeat (Z6)") {
  const Model model = load_toy();
  const auto draw = [&](Seed seed) {
    Session session = open(model);
    auto reply = session.generate("abc", {.max_tokens = 30, .sampling = {.temperature = 2, .top_k = 0, .top_p = 1, .seed = seed},
                                          .ignore_end_of_generation = true});
    REQUIRE(reply);
    return std::pair(ids(reply->tokens), reply->seed);
  };
  const auto [tokens, seed] = draw(Seed::random());
  CHECK(draw(Seed::random()).first != tokens);
  CHECK(draw(seed).first == tokens);
  CHECK(draw(~std::uint64_t{0}).first == draw(~std::uint64_t{0}).first);
}
