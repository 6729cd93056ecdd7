// SPDX-License-Identifier: MIT
// What a loaded model says about itself, how it is shared, and options outside their ranges.
#include <loquat/model.hpp>

#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/fail_nth_allocator.hpp"
#include "support/toy_model.hpp"

namespace loquat_test {

using loquat::ErrorCode;
using loquat::Model;

TEST_CASE("a model tells its facts") {
  const GgufImage file = make_toy_model({.architecture = "qwen3", .type = loquat::TensorType::q4_0, .extra_rows = 3});
  const Model model = Model::load(file.bytes).value();
  const loquat::ModelInfo& info = model.info();
  CHECK(info.architecture == "qwen3");
  CHECK(info.name == "toy");
  CHECK(info.layers == 2);
  CHECK(info.width == 64);
  CHECK(info.heads == 4);
  CHECK(info.kv_heads == 2);
  CHECK(info.head_width == 16);
  CHECK(info.ffn_width == 96);
  CHECK(info.context_length == 512);
  CHECK(info.vocabulary == toy_vocabulary_size(ToyTokenizer::bpe) + 3);
  CHECK(info.file_bytes == file.bytes.size());
  CHECK(model.tokenizer().vocabulary_size() == toy_vocabulary_size(ToyTokenizer::bpe));
  CHECK(model.chat_template() == kToyChatTemplate);
  CHECK(model.layout() == loquat::WeightLayout::packed);
  CHECK(model.level() == loquat::best_level());
}

TEST_CASE("a model lists its tensors, and their values add up to its parameters") {
  const GgufImage file = make_toy_model({.type = loquat::TensorType::q4_0});
  const Model model = Model::load(file.bytes).value();
  REQUIRE(model.tensor_count() == toy_model_writer().tensors());
  std::uint64_t parameters = 0;
  bool has_embedding = false;
  for (std::size_t i = 0; i < model.tensor_count(); ++i) {
    const loquat::TensorSummary tensor = model.tensor(i);
    parameters += tensor.shape[0] * tensor.shape[1] * tensor.shape[2] * tensor.shape[3];
    if (tensor.name != "token_embd.weight") continue;
    has_embedding = true;
    CHECK(tensor.type == "Q4_0");
    CHECK(tensor.shape[0] == 64);
    CHECK(tensor.bytes == tensor.shape[1] * 64 / 32 * 18);
  }
  CHECK(has_embedding);
  CHECK(model.info().parameters == parameters);
}

TEST_CASE("a model without a chat template has none (X6)") {
  const GgufImage file = make_toy_model({.chat_template = ""});
  CHECK(Model::load(file.bytes).value().chat_template().empty());
}

TEST_CASE("copies share one model, and the tokenizer outlives it (M8)") {
  const GgufImage file = make_toy_model();
  std::optional<loquat::Tokenizer> tokenizer;
  {
    Model first = Model::load(file.bytes).value();
    Model second = first;
    const std::size_t bytes = first.memory();
    first = second;
    Model third = std::move(first);
    CHECK(third.memory() == bytes);
    CHECK(third.info().name.data() == second.info().name.data());
    tokenizer = third.tokenizer();
  }
  CHECK(tokenizer->encode("hello").value().size() > 0);
}

TEST_CASE("memory() is what the model holds from the host's allocator") {
  for (const auto layout : {loquat::WeightLayout::packed, loquat::WeightLayout::file}) {
    FailNthAllocator allocator;
    const GgufImage file = make_toy_model();
    {
      const Model model =
          Model::load(file.bytes, {.host = {.allocator = &allocator}, .layout = layout, .threads = {.count = 1}})
              .value();
      CHECK(model.memory() == allocator.live_bytes());
    }
    CHECK(allocator.live_bytes() == 0);
    CHECK(allocator.n_misused() == 0);
  }
}

TEST_CASE("every level that this machine has can be forced, and others are refused (B4)") {
  const GgufImage file = make_toy_model();
  for (const loquat::LevelInfo& level : loquat::levels()) {
    const auto model = Model::load(file.bytes, {.level = level.level});
    INFO(level.name);
    CHECK(model.has_value() == level.is_available);
    if (model) CHECK(model->level() == level.level);
    if (!model) CHECK(model.code() == ErrorCode::not_built);
  }
  CHECK(Model::load(file.bytes, {.level = static_cast<loquat::Level>(77)}).code() == ErrorCode::not_built);
}

TEST_CASE("options outside their ranges are refused before anything is read (A5)") {
  const GgufImage file = make_toy_model();
  const auto layout = static_cast<loquat::WeightLayout>(9);
  CHECK(Model::load(file.bytes, {.layout = layout}).code() == ErrorCode::invalid_argument);
  CHECK(Model::load(file.bytes, {.threads = {.count = 1025}}).code() == ErrorCode::invalid_argument);
  CHECK(Model::load(std::string_view("nowhere"), {.layout = layout}).code() == ErrorCode::invalid_argument);
}

TEST_CASE("an unknown pre-tokenizer is refused by name, and can be overridden (K8)") {
  const GgufImage file = make_toy_model({.pre = "wonderful"});
  const auto refused = Model::load(file.bytes);
  CHECK(refused.code() == ErrorCode::unsupported_tokenizer);
  CHECK(refused.error().message().find("wonderful") != std::string_view::npos);
  CHECK(Model::load(file.bytes, {.pre_tokenizer = "gpt-2"}).has_value());
}

TEST_CASE("the log gets a line about the model, and nothing is needed without one (O1)") {
  class Sink final : public loquat::LogSink {
   public:
    void write(loquat::LogLevel level, std::string_view message) noexcept override {
      if (level == loquat::LogLevel::info) lines.emplace_back(message);
    }
    std::vector<std::string> lines;
  } sink;
  const GgufImage file = make_toy_model();
  REQUIRE(Model::load(file.bytes, {.host = {.log = &sink}}));
  REQUIRE_FALSE(sink.lines.empty());
  CHECK(sink.lines.back().find("llama") != std::string::npos);
}

}  // namespace loquat_test
