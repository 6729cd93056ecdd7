// SPDX-License-Identifier: MIT
// The toy models that all other tests stand on are what they claim to be.
#include "support/toy_model.hpp"

#include <cmath>
#include <set>
#include <vector>

#include "format/parse_bytes.hpp"
#include "quant/quantize.hpp"
#include "support/catch.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

const TensorType kComputable[] = {TensorType::f32,  TensorType::f16,    TensorType::bf16,   TensorType::q4_0,
                                  TensorType::q4_1, TensorType::q5_0,   TensorType::q5_1,   TensorType::q8_0,
                                  TensorType::q2_k, TensorType::q3_k,   TensorType::q4_k,   TensorType::q5_k,
                                  TensorType::q6_k, TensorType::iq4_nl, TensorType::iq4_xs, TensorType::mxfp4};

double root_mean_square(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

}  // namespace

TEST_CASE("random blocks of every computable type are finite and of the wanted magnitude") {
  for (const TensorType type : kComputable) {
    INFO(tensor_type_info(type).name);
    const std::size_t n = 256 * 64;
    const Bytes blocks = random_blocks(type, n, 0.1f, 7);
    REQUIRE(blocks.size() == row_bytes(type, n));
    std::vector<float> values(n);
    dequantize_row(type, blocks.data(), values.data(), n);
    for (const float value : values) REQUIRE(std::isfinite(value));
    const double found = root_mean_square(values);
    CHECK(found > 0.05);
    CHECK(found < 0.2);
    CHECK(blocks == random_blocks(type, n, 0.1f, 7));
    CHECK(blocks != random_blocks(type, n, 0.1f, 8));
  }
}

TEST_CASE("a toy model of every computable type parses, with all tensors of its architecture") {
  for (const TensorType type : kComputable) {
    INFO(tensor_type_info(type).name);
    const GgufImage image = make_toy_model(toy_k_quant_options(type));
    auto description = parse_bytes(image.bytes);
    if (!description) FAIL(description.error().message());
    CHECK(description->tensors().size() == 2 * 9 + 3);
    CHECK(description->find_tensor("blk.1.ffn_down.weight")->type == type);
    CHECK(description->find_tensor("output_norm.weight")->type == TensorType::f32);
  }
}

TEST_CASE("toy models have the keys and tensors of their architecture") {
  auto qwen2 = parse_bytes(make_toy_model({.architecture = "qwen2"}).bytes);
  REQUIRE(qwen2);
  CHECK(qwen2->find_tensor("blk.0.attn_q.bias")->shape[0] == 64);
  CHECK(qwen2->find("qwen2.attention.key_length") == nullptr);
  auto qwen3 = parse_bytes(make_toy_model({.architecture = "qwen3", .head_width = 32, .tied_output = true}).bytes);
  REQUIRE(qwen3);
  CHECK(qwen3->find_tensor("blk.0.attn_k_norm.weight")->shape[0] == 32);
  CHECK(qwen3->find_tensor("blk.0.attn_q.weight")->rows() == 128);
  CHECK(qwen3->find_tensor("output.weight") == nullptr);
  auto mixed =
      parse_bytes(make_toy_model({.types = {{"ffn_down", TensorType::q4_0}, {"output", TensorType::f16}}}).bytes);
  REQUIRE(mixed);
  CHECK(mixed->find_tensor("blk.0.ffn_down.weight")->type == TensorType::q4_0);
  CHECK(mixed->find_tensor("output.weight")->type == TensorType::f16);
  CHECK(mixed->find_tensor("blk.0.ffn_up.weight")->type == TensorType::q8_0);
}

TEST_CASE("toy vocabularies have distinct tokens and arrays of equal length") {
  for (const ToyTokenizer tokenizer : {ToyTokenizer::bpe, ToyTokenizer::spm}) {
    const bool is_bpe = tokenizer == ToyTokenizer::bpe;
    const GgufImage image = make_toy_model({.extra_rows = 5, .tokenizer = tokenizer});
    auto description = parse_bytes(image.bytes);
    REQUIRE(description);
    auto tokens = description->get_strings("tokenizer.ggml.tokens");
    REQUIRE(tokens);
    REQUIRE(tokens->has_value());
    const std::uint64_t n = (*tokens)->size();
    CHECK(n == toy_vocabulary_size(tokenizer));
    std::set<std::string> distinct;
    auto token = (*tokens)->begin();
    for (std::uint64_t i = 0; i < n; ++i, i < n ? static_cast<void>(++token) : static_cast<void>(0)) {
      distinct.insert(std::string(*token));
    }
    CHECK(distinct.size() == n);
    CHECK(distinct.count("<|im_end|>") == 1);
    CHECK(description->find("tokenizer.ggml.token_type")->count == n);
    CHECK((description->find("tokenizer.ggml.scores") != nullptr) == !is_bpe);
    CHECK((description->find("tokenizer.ggml.merges") != nullptr) == is_bpe);
    CHECK(description->find_tensor("token_embd.weight")->rows() == n + 5);
  }
}
