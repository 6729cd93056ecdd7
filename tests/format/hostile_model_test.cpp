// SPDX-License-Identifier: MIT
// Files that are good GGUF and bad models, through the public API (bugs 5, 38, 40, 46, 47).
#include <loquat/loquat.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/toy_model.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

class Notes final : public LogSink {
 public:
  void write(LogLevel, std::string_view message) noexcept override { text += std::string(message) + "\n"; }
  std::string text;
};

Result<Model> load(const GgufImage& image, LogSink* log = nullptr) {
  return Model::load(std::span<const std::byte>(image.bytes), {.host = {.log = log}, .threads = {.count = 1}});
}

}  // namespace

TEST_CASE("a layer count that the file cannot have is an error that names it (bug 38, F4)") {
  for (const std::uint32_t layers : {513u, 100000u, 0xffffffffu, 0u}) {
    const auto model = load(toy_model_writer().set("llama.block_count", layers).build());
    REQUIRE_FALSE(model);
    CHECK(model.error().message().find("llama.block_count") != std::string_view::npos);
  }
}

TEST_CASE("special ids beyond the vocabulary are ignored with a note (bug 40, F5)") {
  const std::uint32_t size = toy_vocabulary_size(ToyTokenizer::bpe);
  for (const char* key :
       {"tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id", "tokenizer.ggml.padding_token_id"}) {
    for (const std::uint32_t id : {size, 0xffffffffu}) {
      Notes notes;
      auto model = load(toy_model_writer().set(key, id).build(), &notes);
      if (!model) FAIL(model.error().message());
      CHECK(notes.text.find(key) != std::string::npos);
      const SpecialTokens special = model->tokenizer().special_tokens();
      for (const Token token : {special.bos, special.eos, special.padding}) CHECK(token < static_cast<Token>(size));
    }
    CHECK(load(toy_model_writer().set(key, size - 1).build()));
  }
}

TEST_CASE("fewer embedding rows than tokens are an error, more are padding (bug 46, F5)") {
  GgufWriter fewer = toy_model_writer();
  const std::uint32_t size = toy_vocabulary_size(ToyTokenizer::bpe);
  for (const char* name : {"token_embd.weight", "output.weight"}) {
    fewer.erase_tensor(name).add_tensor(name, TensorType::q8_0, {64, size - 1});
  }
  fewer.set("llama.vocab_size", size - 1);
  CHECK(load(fewer.build()).code() == ErrorCode::malformed);
  for (const std::uint32_t extra : {1u, 64u}) {
    auto model = load(make_toy_model({.extra_rows = extra}));
    if (!model) FAIL(model.error().message());
    CHECK(model->tokenizer().vocabulary_size() == size);
  }
}

TEST_CASE("an invented architecture and a lacking tensor are told apart, by name (bug 47, F7)") {
  const auto unknown = load(toy_model_writer().set("general.architecture", "invented").build());
  CHECK(unknown.code() == ErrorCode::unsupported_architecture);
  CHECK(unknown.error().message().find("invented") != std::string_view::npos);
  const auto lacking = load(toy_model_writer().erase_tensor("blk.1.ffn_up.weight").build());
  CHECK(lacking.code() == ErrorCode::missing_tensor);
  CHECK(lacking.error().message().find("blk.1.ffn_up.weight") != std::string_view::npos);
}

TEST_CASE("bad and good files in turn: every bad one fails, every good one works (bug 5, A7)") {
  const GgufImage good = make_toy_model();
  for (std::size_t i = 0; i < 100; ++i) {
    GgufImage bad = good;
    if (i % 2 == 0) bad.truncate(i * bad.bytes.size() / 100);
    if (i % 2 == 1) bad.put_u64("tensor:blk.0.attn_q.weight:dimension" + std::to_string(i / 2 % 2), i * 7);
    CHECK_FALSE(load(bad));
    CHECK(load(good));
  }
}
