// SPDX-License-Identifier: MIT
// Bits of whole forward passes: they do not depend on threads, executors, chunks, levels, or the layout of the weights.
#include <loquat/cpu.hpp>
#include <loquat/model.hpp>

#include <string>
#include <vector>

#include "api/model_state.hpp"
#include "models/pass_runner.hpp"
#include "support/blocks.hpp"
#include "support/catch.hpp"
#include "support/toy_model.hpp"
#include "threading/executors.hpp"

namespace loquat_test {

namespace {

using loquat::TensorType;

bool is_k_quant(TensorType type) {
  return loquat::tensor_type_info(type).block_values == 256;
}

ToyModelOptions toy_options(TensorType type) {
  if (is_k_quant(type)) return toy_k_quant_options(type);
  ToyModelOptions options;
  options.type = type;
  return options;
}

loquat::Model load(const GgufImage& file, const loquat::LoadOptions& options) {
  auto model = loquat::Model::load(file.bytes, options);
  INFO((model ? "" : model.error().message()));
  REQUIRE(model);
  return std::move(*model);
}

std::uint64_t bits_of(const loquat::Model& model, const RunOptions& options = {}) {
  const auto tokens = some_tokens(70, model.info().vocabulary);  // crosses the border of a page
  return fingerprint(run_tokens(model, tokens, options));
}

}  // namespace

TEST_CASE("packed weights and weights as in the file give the same bits, for every type (M6, D1)") {
  for (const TensorType type : computable_types()) {
    INFO(type_name(type));
    const GgufImage file = make_toy_model(toy_options(type));
    const std::uint64_t packed = bits_of(load(file, {.threads = {.count = 1}}));
    CHECK(bits_of(load(file, {.layout = loquat::WeightLayout::file, .threads = {.count = 1}})) == packed);
  }
}

TEST_CASE("logits are the same bits at every level, for every type (D2)") {
  for (const TensorType type : computable_types()) {
    const GgufImage file = make_toy_model(toy_options(type));
    const std::uint64_t reference = bits_of(load(file, {.level = loquat::Level::reference, .threads = {.count = 1}}));
    for (const loquat::LevelInfo& level : loquat::levels()) {
      if (!level.is_available) continue;
      INFO(type_name(type) << " at " << level.name);
      for (const auto layout : {loquat::WeightLayout::packed, loquat::WeightLayout::file}) {
        CHECK(bits_of(load(file, {.layout = layout, .level = level.level, .threads = {.count = 1}})) == reference);
      }
    }
  }
}

TEST_CASE("logits are the same bits with 1 to 8 threads and every executor (D1, T1)") {
  const GgufImage file = make_toy_model({.type = TensorType::q4_1, .types = {{"token_embd", TensorType::q8_0}}});
  const std::uint64_t alone = bits_of(load(file, {.threads = {.count = 1}}));
  for (const auto kind : {loquat::ExecutorKind::inline_, loquat::ExecutorKind::pool, loquat::ExecutorKind::openmp}) {
    for (std::uint32_t threads = 1; threads <= 8; ++threads) {
      INFO(loquat::to_string(kind) << ", " << threads << " threads");
      auto model = loquat::Model::load(file.bytes, {.threads = {.count = threads, .executor = kind}});
      if (!model && model.code() == loquat::ErrorCode::not_built) continue;
      REQUIRE(model);
      CHECK(bits_of(*model) == alone);
    }
  }
}

TEST_CASE("logits are the same bits for every way to cut the tokens into passes (D1, V3)") {
  for (const char* architecture : {"llama", "qwen2", "qwen3"}) {
    const GgufImage file = make_toy_model({.architecture = architecture, .type = TensorType::q4_0});
    const loquat::Model model = load(file, {.threads = {.count = 2}});
    const std::uint64_t whole = bits_of(model);
    for (const std::size_t chunk : {1, 2, 3, 5, 8, 13, 31, 32, 33, 63, 64, 65, 69, 512}) {
      INFO(architecture << ", passes of " << chunk);
      CHECK(bits_of(model, {.chunk = chunk}) == whole);
    }
    for (const std::size_t chunk : {1, 7, 64}) {
      CHECK(bits_of(model, {.chunk = chunk, .cache_type = loquat::CacheType::f32}) ==
            bits_of(model, {.cache_type = loquat::CacheType::f32}));
    }
  }
}

TEST_CASE("the logits of one row are the bits it has among others") {
  const GgufImage file = make_toy_model({.type = TensorType::q5_0, .tied_output = true});
  const loquat::Model model = load(file, {});
  const auto tokens = some_tokens(20, model.info().vocabulary);
  const std::vector<float> all = run_tokens(model, tokens);
  const std::size_t vocabulary = model.info().vocabulary;
  for (std::size_t n = 1; n <= tokens.size(); ++n) {
    const std::vector<float> prefix = run_tokens(model, std::span(tokens).first(n));
    const auto last = std::span(prefix).subspan((n - 1) * vocabulary);
    CHECK(fingerprint(last) == fingerprint(std::span(all).subspan((n - 1) * vocabulary, vocabulary)));
  }
}

TEST_CASE("a float model gets an f32 cache by itself, a quantized one f16") {
  const auto cached_bytes = [](TensorType type) {
    const loquat::Model model = load(make_toy_model({.type = type}), {});
    const auto& decoder = *loquat::detail::ModelState::of(model).loaded.decoder;
    return decoder.page_layout(loquat::CacheType::automatic).element_bytes;
  };
  CHECK(cached_bytes(TensorType::f32) == 4);
  CHECK(cached_bytes(TensorType::bf16) == 4);
  CHECK(cached_bytes(TensorType::q8_0) == 2);
}

TEST_CASE("an f16 cache stays near an f32 cache, and is not the same") {
  const loquat::Model model = load(make_toy_model({.type = TensorType::f32}), {});
  const auto tokens = some_tokens(40, model.info().vocabulary);
  const auto exact = run_tokens(model, tokens, {.cache_type = loquat::CacheType::f32});
  const auto half = run_tokens(model, tokens, {.cache_type = loquat::CacheType::f16});
  double worst = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(exact[i]) - static_cast<double>(half[i])));
  }
  CHECK(worst > 0);
  CHECK(worst < 0.1);  // measured 0.013 on the tiny reference models, logits of which reach 13
}

}  // namespace loquat_test
