// SPDX-License-Identifier: MIT
#include "runtime/generation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/scripted_decoder.hpp"
#include "support/toy_vocabulary.hpp"

using namespace loquat;
using loquat_test::ScriptedDecoder;
using loquat_test::ToyVocabulary;

namespace {

class InlineExecutor final : public Executor {
 public:
  void parallel_for(std::uint32_t n, Task task, void* context) noexcept override {
    for (std::uint32_t i = 0; i < n; ++i) task(context, i);
  }
  std::uint32_t concurrency() const noexcept override { return 1; }
};

const ToyVocabulary& toy() {
  static const ToyVocabulary vocabulary = loquat_test::make_toy_vocabulary({"abc", "d", "ef", "ends", "<|mar"});
  return vocabulary;
}

const std::vector<Token> kPrompt{'H', 'i', ' ', 't', 'h', 'e', 'r', 'e'};

/// A sequence with a scripted model.
struct Scene {
  explicit Scene(ScriptedDecoder::Script script, std::size_t context = 128)
      : decoder(toy().size, std::move(script)),
        evaluator({.decoder = &decoder, .kernels = &table, .executor = &executor, .allocator = &default_allocator()}),
        generation(evaluator, toy().tokenizer, {}, default_allocator()) {
    REQUIRE(evaluator.create(context, 16));
  }
  static Scene saying(const std::vector<Token>& answer) { return Scene(ScriptedDecoder::says(kPrompt.size(), answer)); }

  /// Runs to the end; the pieces as they came.
  Result<Reply> run(std::span<const Token> prompt, GenerateOptions options, std::vector<std::string>* pieces = nullptr) {
    options.sampling.temperature = options.sampling.temperature == 0.8f ? 0.0f : options.sampling.temperature;
    if (auto status = generation.begin(prompt, options); !status) return status.error();
    while (generation.is_running()) {
      if (auto status = generation.advance(16); !status) return status.error();
      const std::string_view piece = generation.take_new_text();
      if (pieces != nullptr && !piece.empty()) pieces->emplace_back(piece);
    }
    return generation.take_reply();
  }

  kernels::KernelTable table{};
  InlineExecutor executor;
  ScriptedDecoder decoder;
  runtime::Evaluator evaluator;
  runtime::Generation generation;
};

std::string joined(const std::vector<std::string>& pieces) {
  std::string text;
  for (const auto& piece : pieces) text += piece;
  return text;
}

}  // namespace

TEST_CASE("a generation ends at the declared end token, whose text stays hidden (K9, C5)") {
  auto scene = Scene::saying({'o', 'k', toy().end_of_text, 'x'});
  const auto reply = scene.run(kPrompt, {});
  REQUIRE(reply);
  CHECK(reply->text == "ok");
  CHECK(reply->finish == Finish::end_of_generation);
  CHECK(reply->tokens.size() == 3);
  CHECK(reply->usage.generated_tokens == 3);
  CHECK(scene.evaluator.tokens().size() == kPrompt.size() + 3);
}

TEST_CASE("an end-of-turn token that the file does not declare ends it too (K9)") {
  auto scene = Scene::saying({'o', toy().end_of_turn, 'x'});
  const auto reply = scene.run(kPrompt, {});
  REQUIRE(reply);
  CHECK(reply->finish == Finish::end_of_generation);
  CHECK(reply->text == "o");
}

TEST_CASE("a stop string made of several tokens is never delivered, and what came before it is (S2)") {
  auto scene = Scene::saying({'x', toy().id("abc"), toy().id("d"), toy().id("ef"), 'y'});
  const std::string_view stop[] = {"abcdef"};
  std::vector<std::string> pieces;
  const auto reply = scene.run(kPrompt, {.stop = stop}, &pieces);
  REQUIRE(reply);
  CHECK(reply->finish == Finish::stop_text);
  CHECK(reply->text == "x");
  CHECK(joined(pieces) == "x");
  CHECK(reply->usage.withheld_bytes == 6);
}

TEST_CASE("a start that looks like a stop string is delivered once it cannot be one (S2, S4)") {
  auto scene = Scene::saying({toy().id("abc"), toy().id("d"), 'z', toy().end_of_text});
  const std::string_view stop[] = {"abcdef"};
  std::vector<std::string> pieces;
  const auto reply = scene.run(kPrompt, {.stop = stop}, &pieces);
  REQUIRE(reply);
  CHECK(reply->text == "abcdz");
  CHECK(joined(pieces) == "abcdz");
  CHECK(reply->usage.withheld_bytes == 0);
}

TEST_CASE("a stop given as a control token's text fires although its text is hidden (S3)") {
  auto scene = Scene::saying({'a', toy().marker, 'b'});
  const std::string_view stop[] = {"<|marker|>"};
  const auto reply = scene.run(kPrompt, {.stop = stop});
  REQUIRE(reply);
  CHECK(reply->finish == Finish::stop_text);
  CHECK(reply->text == "a");
}

TEST_CASE("an emoji of four single-byte tokens arrives in one piece (S1)") {
  const std::string emoji = "\xF0\x9F\x8D\x8A";
  std::vector<Token> answer;
  for (const char c : emoji) answer.push_back(static_cast<unsigned char>(c));
  answer.push_back(toy().end_of_text);
  auto scene = Scene::saying(answer);
  std::vector<std::string> pieces;
  REQUIRE(scene.run(kPrompt, {}, &pieces));
  CHECK(pieces == std::vector<std::string>{emoji});
}

TEST_CASE("bytes that never become a character are replaced at the end (S1)") {
  auto scene = Scene::saying({'a', 0xF0, 0x9F});
  const auto reply = scene.run(kPrompt, {.max_tokens = 3});
  REQUIRE(reply);
  CHECK(reply->text == "a\xEF\xBF\xBD");
  CHECK(reply->finish == Finish::max_tokens);
}

TEST_CASE("max_tokens counts, and zero only computes the prompt (V5)") {
  auto scene = Scene::saying({'a'});
  const auto none = scene.run(kPrompt, {.max_tokens = 0});
  REQUIRE(none);
  CHECK(none->finish == Finish::max_tokens);
  CHECK(none->text.empty());
  CHECK(scene.evaluator.tokens().size() == kPrompt.size());
  const auto five = scene.run({}, {.max_tokens = 5});
  REQUIRE(five);
  CHECK(five->text == "aaaaa");
  CHECK(scene.evaluator.tokens().size() == kPrompt.size() + 5);
}

TEST_CASE("a prompt beyond the context is refused with both counts before any compute (V1)") {
  Scene scene(ScriptedDecoder::hashes(), 8);
  std::vector<Token> prompt(9, 'a');
  const auto reply = scene.run(prompt, {});
  CHECK(reply.code() == ErrorCode::context_full);
  CHECK(reply.error().message().find('8') != std::string_view::npos);
  CHECK(reply.error().message().find('9') != std::string_view::npos);
  CHECK(scene.decoder.passes().empty());
  CHECK(scene.evaluator.tokens().empty());
}

TEST_CASE("a prompt that fills the context leaves room for nothing, one shorter for one token (V5, V2)") {
  for (const std::size_t missing : {0, 1, 2}) {
    Scene scene(ScriptedDecoder::hashes(), 8);
    const std::vector<Token> prompt(8 - missing, 'a');
    const auto reply = scene.run(prompt, {.ignore_end_of_generation = true});
    REQUIRE(reply);
    CHECK(reply->finish == Finish::context_full);
    CHECK(reply->usage.generated_tokens == missing);
    CHECK(scene.evaluator.tokens().size() == 8);
  }
  Scene scene(ScriptedDecoder::hashes(), 8);
  const auto refused = scene.run(kPrompt, {.overflow = Overflow::error});
  CHECK(refused.code() == ErrorCode::context_full);
  CHECK(scene.evaluator.tokens().size() == 8);
}

TEST_CASE("an empty prompt needs a history") {
  Scene scene(ScriptedDecoder::hashes());
  CHECK(scene.run({}, {}).code() == ErrorCode::invalid_argument);
  REQUIRE(scene.run(kPrompt, {.max_tokens = 1}));
  CHECK(scene.run({}, {.max_tokens = 1}));
}

TEST_CASE("token ids outside the vocabulary are refused with their place, and nothing changes (A4)") {
  Scene scene(ScriptedDecoder::hashes());
  REQUIRE(scene.run(kPrompt, {.max_tokens = 2}));
  const std::vector<Token> before(scene.evaluator.tokens().begin(), scene.evaluator.tokens().end());
  const auto size = static_cast<Token>(toy().size);
  for (const Token bad : {-1, size, size + 1, std::numeric_limits<Token>::max(), std::numeric_limits<Token>::min()}) {
    const std::vector<Token> prompt{'a', 'b', bad, 'c'};
    const auto reply = scene.run(prompt, {});
    CHECK(reply.code() == ErrorCode::invalid_argument);
    CHECK(reply.error().offset() == 2);
    CHECK(std::ranges::equal(scene.evaluator.tokens(), before));
  }
}

TEST_CASE("bad options are refused before anything changes (A5)") {
  Scene scene(ScriptedDecoder::hashes());
  const std::string_view empty_stop[] = {""};
  CHECK(scene.run(kPrompt, {.stop = empty_stop}).code() == ErrorCode::invalid_argument);
  CHECK(scene.run(kPrompt, {.sampling = {.temperature = std::nanf("")}}).code() == ErrorCode::invalid_argument);
  CHECK(scene.run(kPrompt, {.sampling = {.top_p = 1.5f}}).code() == ErrorCode::invalid_argument);
  CHECK(scene.evaluator.tokens().empty());
}

TEST_CASE("replacing the history reuses the longest common prefix and equals a cold run (V4)") {
  for (const std::size_t shared : {0, 1, 4, 7, 8}) {
    Scene warm(ScriptedDecoder::hashes());
    REQUIRE(warm.run(kPrompt, {.max_tokens = 3, .ignore_end_of_generation = true}));
    std::vector<Token> prompt(kPrompt.begin(), kPrompt.begin() + static_cast<std::ptrdiff_t>(shared));
    if (shared < 8) prompt.push_back('!');
    const GenerateOptions options{.max_tokens = 6, .history = History::replace, .ignore_end_of_generation = true};
    const auto again = warm.run(prompt, options);
    Scene cold(ScriptedDecoder::hashes());
    const auto fresh = cold.run(prompt, options);
    REQUIRE(again);
    REQUIRE(fresh);
    CHECK(std::ranges::equal(again->tokens, fresh->tokens));
    CHECK(again->usage.evaluated_tokens == 1);
    CHECK(again->usage.reused_tokens == prompt.size() - 1);
  }
}

TEST_CASE("penalties see prompt and answer, cached or not (Z4)") {
  const GenerateOptions options{.max_tokens = 20,
                                .sampling = {.temperature = 0.9f, .frequency_penalty = 0.7f, .seed = 3},
                                .history = History::replace,
                                .ignore_end_of_generation = true};
  Scene scene(ScriptedDecoder::hashes());
  const auto cold = scene.run(kPrompt, options);
  const auto warm = scene.run(kPrompt, options);
  REQUIRE(cold);
  REQUIRE(warm);
  CHECK(std::ranges::equal(cold->tokens, warm->tokens));
}

TEST_CASE("the same seed and options give the same tokens, another seed others (D3)") {
  const auto draw = [](std::uint64_t seed) {
    Scene scene(ScriptedDecoder::hashes());
    const auto reply = scene.run(kPrompt, {.max_tokens = 30, .sampling = {.temperature = 1.0f, .top_k = 0, .top_p = 1, .seed = seed},
                                           .ignore_end_of_generation = true});
    REQUIRE(reply);
    return std::vector<Token>(reply->tokens.begin(), reply->tokens.end());
  };
  CHECK(draw(1) == draw(1));
  CHECK(draw(1) != draw(2));
}

TEST_CASE("logits without a finite value end the generation with bad_logits, and the session goes on (Z2, A7)") {
  bool is_bad = true;
  Scene scene([&](const ScriptedDecoder::History&, std::vector<float>& logits) {
    std::ranges::fill(logits, is_bad ? std::nanf("") : 0.0f);
  });
  CHECK(scene.run(kPrompt, {}).code() == ErrorCode::bad_logits);
  CHECK(scene.evaluator.tokens().size() == kPrompt.size());
  is_bad = false;
  CHECK(scene.run(kPrompt, {.max_tokens = 2, .history = History::replace}));
}

TEST_CASE("a cancelled generation keeps exactly what is cached, and the next one equals a cold run (C3, C5)") {
  for (int stop_after = 0; stop_after < 40; ++stop_after) {
    Scene scene(ScriptedDecoder::hashes());
    GenerateOptions options{.max_tokens = 10, .sampling = {.temperature = 0}, .ignore_end_of_generation = true};
    const std::vector<Token> prompt(20, 'q');
    REQUIRE(scene.generation.begin(prompt, options));
    for (int i = 0; i < stop_after && scene.generation.is_running(); ++i) REQUIRE(scene.generation.advance(8));
    const bool was_running = scene.generation.is_running();
    REQUIRE(scene.generation.cancel());
    CHECK((scene.generation.finish() == Finish::cancelled) == was_running);
    REQUIRE(scene.generation.take_reply());
    std::vector<Token> history(scene.evaluator.tokens().begin(), scene.evaluator.tokens().end());
    history.push_back('z');
    const auto warm = scene.run(std::vector<Token>{'z'}, options);
    Scene cold(ScriptedDecoder::hashes());
    const auto fresh = cold.run(history, options);
    REQUIRE(warm);
    REQUIRE(fresh);
    CHECK(std::ranges::equal(warm->tokens, fresh->tokens));
  }
}

TEST_CASE("a gentle stop computes the token that was shown, so that history is what the caller saw (S5)") {
  auto scene = Scene::saying({'a', 'b', 'c', 'd'});
  REQUIRE(scene.generation.begin(kPrompt, {.sampling = {.temperature = 0}}));
  std::string seen;
  while (scene.generation.is_running()) {
    REQUIRE(scene.generation.advance(16));
    seen += scene.generation.take_new_text();
    if (seen == "ab") REQUIRE(scene.generation.stop_gently());
  }
  const auto reply = scene.generation.take_reply();
  REQUIRE(reply);
  CHECK(reply->finish == Finish::cancelled);
  CHECK(reply->text == "ab");
  CHECK(reply->tokens.size() == 2);
}
