// SPDX-License-Identifier: MIT
// Metadata that contradicts itself or asks for what is not there: refused with the key's name, or a documented default.
#include "models/hyperparameters.hpp"

#include <loquat/model.hpp>

#include <cmath>
#include <limits>
#include <string>

#include "models/pass_runner.hpp"
#include "support/catch.hpp"
#include "support/toy_model.hpp"

namespace loquat_test {

namespace {

using loquat::ErrorCode;

loquat::Error load_error(const GgufWriter& writer) {
  const GgufImage file = writer.build();
  auto model = loquat::Model::load(file.bytes, {.threads = {.count = 1}});
  return model ? loquat::Error() : model.error();
}

GgufWriter toy() {
  return toy_model_writer({.layers = 1});
}

void check_refused(const GgufWriter& writer, const std::string& key, ErrorCode code = ErrorCode::malformed) {
  const loquat::Error error = load_error(writer);
  INFO(key << ": " << error.message());
  CHECK(error.code() == code);
  CHECK(error.name() == key);
  CHECK(error.message().find(key) != std::string_view::npos);
}

std::uint64_t bits_of(const GgufWriter& writer) {
  const GgufImage file = writer.build();
  auto model = loquat::Model::load(file.bytes, {.threads = {.count = 1}});
  INFO((model ? "" : model.error().message()));
  REQUIRE(model);
  return fingerprint(run_tokens(*model, some_tokens(9, model->info().vocabulary)));
}

}  // namespace

TEST_CASE("each whole number that sizes anything is refused outside its range, by name (F1, F4)") {
  struct Case {
    const char* key;
    bool may_be_absent;
  };
  for (const Case& c : {Case{"llama.block_count", false}, Case{"llama.embedding_length", false},
                        Case{"llama.feed_forward_length", false}, Case{"llama.attention.head_count", false},
                        Case{"llama.context_length", false}, Case{"llama.attention.head_count_kv", true},
                        Case{"llama.attention.key_length", true}, Case{"llama.attention.value_length", true},
                        Case{"llama.rope.dimension_count", true}}) {
    check_refused(toy().set(c.key, std::uint32_t{0}), c.key);
    check_refused(toy().set(c.key, std::numeric_limits<std::uint32_t>::max()), c.key);
    check_refused(toy().set(c.key, std::numeric_limits<std::uint64_t>::max()), c.key);
    check_refused(toy().set(c.key, std::numeric_limits<std::uint64_t>::max() - 1), c.key);
    check_refused(toy().set(c.key, std::int32_t{-1}), c.key);
    check_refused(toy().set(c.key, "many"), c.key);
    check_refused(toy().set(c.key, true), c.key);
    if (!c.may_be_absent) check_refused(toy().erase(c.key), c.key);
  }
}

TEST_CASE("each fraction is refused outside its range and where it is not finite (F4)") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const char* key : {"llama.attention.layer_norm_rms_epsilon", "llama.rope.freq_base", "llama.attention.scale",
                          "llama.rope.scaling.factor"}) {
    for (const float wrong : {nan, infinity, -infinity, -1.0f, 1e30f}) check_refused(toy().set(key, wrong), key);
    check_refused(toy().set(key, "much"), key);
  }
  check_refused(toy().erase("llama.attention.layer_norm_rms_epsilon"), "llama.attention.layer_norm_rms_epsilon");
}

TEST_CASE("numbers that contradict each other are refused (F4)") {
  check_refused(toy().set("llama.attention.head_count_kv", std::uint32_t{3}), "llama.attention.head_count_kv");
  check_refused(toy().set("llama.attention.head_count_kv", std::uint32_t{8}), "llama.attention.head_count_kv");
  check_refused(toy().set("llama.rope.dimension_count", std::uint32_t{18}), "llama.rope.dimension_count");
  check_refused(toy().set("llama.rope.dimension_count", std::uint32_t{7}), "llama.rope.dimension_count");
  check_refused(toy()
                    .erase("llama.attention.key_length")
                    .set("llama.attention.head_count", std::uint32_t{5})
                    .set("llama.attention.head_count_kv", std::uint32_t{1}),
                "llama.attention.head_count");
}

TEST_CASE("more blocks than the file can hold are refused before anything is sized by them (F1)") {
  const loquat::Error error = load_error(toy().set("llama.block_count", std::uint32_t{4096}));
  CHECK(error.code() == ErrorCode::malformed);
  const loquat::Error one_more = load_error(toy().set("llama.block_count", std::uint32_t{2}));
  CHECK(one_more.code() == ErrorCode::missing_tensor);
  CHECK(one_more.name() == "blk.1.attn_norm.weight");
}

TEST_CASE("absent optional keys get their documented defaults (F6)") {
  // heads as wide as width / heads, all of it rotary, base 10000: what the toy says anyway
  GgufWriter bare = toy();
  for (const char* key : {"llama.attention.key_length", "llama.attention.value_length", "llama.rope.dimension_count",
                          "llama.rope.freq_base", "general.name", "llama.vocab_size"}) {
    bare.erase(key);
  }
  CHECK(bits_of(bare) == bits_of(toy()));
  // as many key/value heads as heads
  const ToyModelOptions full{.layers = 1, .heads = 4, .kv_heads = 4};
  GgufWriter without = toy_model_writer(full);
  without.erase("llama.attention.head_count_kv");
  CHECK(bits_of(without) == bits_of(toy_model_writer(full)));
}

TEST_CASE("integers of other widths, unknown keys and a name of another type do not matter (F6)") {
  const std::uint64_t expected = bits_of(toy());
  CHECK(bits_of(toy().set("llama.block_count", std::uint64_t{1}).set("llama.context_length", std::int16_t{512})) ==
        expected);
  CHECK(bits_of(toy().set("llama.something.new", 1.5f).set("general.name", std::uint32_t{3})) == expected);
  CHECK(bits_of(toy().set("llama.expert_count", std::uint32_t{0}).set("llama.attention.causal", true)) == expected);
}

TEST_CASE("what is not computed is refused in words, not computed wrongly (F7)") {
  check_refused(toy().set("general.architecture", "wonder"), "wonder", ErrorCode::unsupported_architecture);
  check_refused(toy().set("general.architecture", ""), "", ErrorCode::unsupported_architecture);
  CHECK(load_error(toy().set("general.architecture", "wonder")).message().find("llama, qwen2, qwen3") !=
        std::string_view::npos);
  check_refused(toy().erase("general.architecture"), "general.architecture");
  check_refused(toy().set("general.architecture", std::uint32_t{1}), "general.architecture");
  check_refused(toy().set("llama.expert_count", std::uint32_t{8}), "llama", ErrorCode::unsupported_architecture);
  check_refused(toy().set("llama.attention.causal", false), "llama", ErrorCode::unsupported_architecture);
  check_refused(toy().set("llama.attention.value_length", std::uint32_t{8}), "llama",
                ErrorCode::unsupported_architecture);
  check_refused(toy().set("llama.rope.scaling.type", "longrope").set("llama.rope.scaling.factor", 4.0f),
                "llama.rope.scaling.type", ErrorCode::unsupported_architecture);
  check_refused(toy().set("llama.rope.scaling.type", "yarn"), "llama.rope.scaling.factor");
}

TEST_CASE("scaling of rotary positions is read as converters write it") {
  const std::uint64_t plain = bits_of(toy());
  const auto scaled = [](const char* type, float factor) {
    return bits_of(toy()
                       .set("llama.rope.scaling.type", type)
                       .set("llama.rope.scaling.factor", factor)
                       .set("llama.rope.scaling.original_context_length", std::uint32_t{64}));
  };
  CHECK(scaled("none", 4) == plain);
  CHECK(scaled("linear", 1) == plain);
  CHECK(scaled("linear", 4) != plain);
  CHECK(scaled("yarn", 1) == plain);
  CHECK(scaled("yarn", 4) != plain);
  CHECK(scaled("yarn", 4) != scaled("linear", 4));
  CHECK(bits_of(toy().set("llama.rope.scaling.factor", 4.0f)) == scaled("linear", 4));  // old files: no type
}

TEST_CASE("an attention scale in the file replaces one by the square root of the head's width") {
  const float usual = 1 / std::sqrt(16.0f);
  CHECK(bits_of(toy().set("llama.attention.scale", usual)) == bits_of(toy()));
  CHECK(bits_of(toy().set("llama.attention.scale", 0.5f)) != bits_of(toy()));
}

}  // namespace loquat_test
