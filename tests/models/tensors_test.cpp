// SPDX-License-Identifier: MIT
// Tensors that are missing, misshapen, of types that cannot be computed with, or too many.
#include <loquat/model.hpp>

#include <string>
#include <vector>

#include "api/model_state.hpp"
#include "models/pass_runner.hpp"
#include "support/catch.hpp"
#include "support/toy_model.hpp"

namespace loquat_test {

namespace {

using loquat::ErrorCode;
using loquat::TensorType;

loquat::Error load_error(const GgufWriter& writer) {
  const GgufImage file = writer.build();
  auto model = loquat::Model::load(file.bytes, {.threads = {.count = 1}});
  return model ? loquat::Error() : model.error();
}

std::vector<float> logits_of(const GgufWriter& writer) {
  const GgufImage file = writer.build();
  auto model = loquat::Model::load(file.bytes, {.threads = {.count = 1}});
  INFO((model ? "" : model.error().message()));
  REQUIRE(model);
  return run_tokens(*model, some_tokens(9, model->info().vocabulary));
}

void check_refused(const GgufWriter& writer, ErrorCode code, const std::string& name) {
  const loquat::Error error = load_error(writer);
  INFO(name << ": " << error.message());
  CHECK(error.code() == code);
  CHECK(error.name() == name);
  CHECK(error.message().find(name) != std::string_view::npos);
}

std::vector<std::string> needed_tensors(const std::string& architecture) {
  std::vector<std::string> names = {"token_embd.weight", "output_norm.weight"};
  std::vector<std::string> rest = {"attn_norm.weight", "attn_q.weight",      "attn_k.weight",
                                   "attn_v.weight",    "attn_output.weight", "ffn_norm.weight",
                                   "ffn_gate.weight",  "ffn_up.weight",      "ffn_down.weight"};
  if (architecture == "qwen2") rest.insert(rest.end(), {"attn_q.bias", "attn_k.bias", "attn_v.bias"});
  if (architecture == "qwen3") rest.insert(rest.end(), {"attn_q_norm.weight", "attn_k_norm.weight"});
  for (const std::string& name : rest) names.push_back("blk.1." + name);
  return names;
}

}  // namespace

TEST_CASE("each tensor that an architecture needs is missed by name (F7)") {
  for (const char* architecture : {"llama", "qwen2", "qwen3"}) {
    for (const std::string& name : needed_tensors(architecture)) {
      GgufWriter writer = toy_model_writer({.architecture = architecture});
      check_refused(writer.erase_tensor(name), ErrorCode::missing_tensor, name);
    }
  }
}

TEST_CASE("each tensor of another shape is refused with both shapes (F1, F7)") {
  for (const std::string& name : needed_tensors("qwen3")) {
    if (name == "token_embd.weight") continue;
    GgufWriter writer = toy_model_writer({.architecture = "qwen3"});
    writer.erase_tensor(name).add_tensor(name, TensorType::f32, {160, 8});
    check_refused(writer, ErrorCode::malformed, name);
    CHECK(load_error(writer).message().find("[160, 8, 1, 1]") != std::string_view::npos);
  }
  GgufWriter turned = toy_model_writer();
  turned.erase_tensor("blk.0.ffn_up.weight").add_tensor("blk.0.ffn_up.weight", TensorType::f32, {96, 64});
  check_refused(turned, ErrorCode::malformed, "blk.0.ffn_up.weight");
  GgufWriter deep = toy_model_writer();
  deep.erase_tensor("blk.0.attn_k.weight").add_tensor("blk.0.attn_k.weight", TensorType::f32, {64, 16, 2});
  check_refused(deep, ErrorCode::malformed, "blk.0.attn_k.weight");
}

TEST_CASE("embedding and output matrix must have the same rows, and a row for every token (F5)") {
  GgufWriter writer = toy_model_writer();
  writer.erase_tensor("output.weight").add_tensor("output.weight", TensorType::f32, {64, 8});
  check_refused(writer, ErrorCode::malformed, "output.weight");
  GgufWriter small = toy_model_writer({.tied_output = true});
  small.erase_tensor("token_embd.weight").add_tensor("token_embd.weight", TensorType::f32, {64, 8});
  check_refused(small, ErrorCode::malformed, "token_embd.weight");
  CHECK(load_error(toy_model_writer({.extra_rows = 5})).code() == ErrorCode::none);
}

TEST_CASE("a tensor type that cannot be computed with is refused by tensor and type (F7)") {
  for (const TensorType type : {TensorType::iq2_xxs, TensorType::i32, TensorType::tq1_0, TensorType::q8_1}) {
    const auto& info = loquat::tensor_type_info(type);
    ToyModelOptions options = toy_k_quant_options(TensorType::q4_k);
    GgufWriter writer = toy_model_writer(options);
    const std::size_t values = options.width * options.ffn_width;
    writer.erase_tensor("blk.1.ffn_up.weight");
    writer.add_tensor("blk.1.ffn_up.weight", type, {options.width, options.ffn_width},
                      Bytes(values / info.block_values * info.block_bytes));
    check_refused(writer, ErrorCode::unsupported_type, "blk.1.ffn_up.weight");
    CHECK(load_error(writer).message().find(info.name) != std::string_view::npos);
  }
}

TEST_CASE("a tensor that would change the answer is not left out (F7)") {
  for (const char* name :
       {"blk.0.attn_q_norm.weight", "blk.1.post_ffw_norm.weight", "blk.0.attn_norm.bias", "blk.2.attn_q.weight",
        "output_norm.bias", "rope_factors_long.weight", "token_embd_norm.weight"}) {
    GgufWriter writer = toy_model_writer();
    writer.add_tensor(name, TensorType::f32, {64});
    check_refused(writer, ErrorCode::unsupported_architecture, name);
  }
}

TEST_CASE("known extras change nothing (F6)") {
  const std::vector<float> expected = logits_of(toy_model_writer());
  GgufWriter writer = toy_model_writer();
  writer.add_tensor("blk.0.attn_rot_embd.weight", TensorType::f32, {8});
  writer.add_tensor("model.layers.0.self_attn.rotary_emb.inv_freq", TensorType::f32, {8});
  writer.add_tensor("v.patch_embd.weight", TensorType::f32, {8});
  CHECK(fingerprint(logits_of(writer)) == fingerprint(expected));
}

TEST_CASE("every optional bias takes part") {
  const std::uint64_t plain = fingerprint(logits_of(toy_model_writer()));
  struct Bias {
    const char* name;
    std::uint64_t size;
  };
  for (const Bias& bias :
       {Bias{"blk.0.attn_q.bias", 64}, Bias{"blk.0.attn_k.bias", 32}, Bias{"blk.0.attn_v.bias", 32},
        Bias{"blk.0.attn_output.bias", 64}, Bias{"blk.1.ffn_gate.bias", 96}, Bias{"blk.1.ffn_up.bias", 96},
        Bias{"blk.1.ffn_down.bias", 64}, Bias{"rope_freqs.weight", 8}}) {
    INFO(bias.name);
    GgufWriter writer = toy_model_writer();
    writer.add_tensor(bias.name, TensorType::f32, {bias.size}, 1.0f);
    CHECK(fingerprint(logits_of(writer)) != plain);
    GgufWriter wrong = toy_model_writer();
    wrong.add_tensor(bias.name, TensorType::f32, {bias.size + 1}, 1.0f);
    check_refused(wrong, ErrorCode::malformed, bias.name);
  }
}

TEST_CASE("without an output matrix the embedding is used, and with a copy of it nothing changes") {
  GgufWriter tied = toy_model_writer({.type = TensorType::q8_0, .tied_output = true});
  GgufWriter untied = tied;
  const std::uint64_t rows = toy_vocabulary_size(ToyTokenizer::bpe);
  untied.add_tensor("output.weight", TensorType::q8_0, {64, rows}, Bytes(tied.tensor_data("token_embd.weight")));
  CHECK(fingerprint(logits_of(tied)) == fingerprint(logits_of(untied)));
}

TEST_CASE("norm weights may be of any computable type") {
  GgufWriter exact = toy_model_writer();
  GgufWriter half = toy_model_writer();
  const Bytes ones_f16(64 * 2, std::byte{0x3C});  // 0x3C3C = 1.0586
  Bytes ones_f32(64 * 4);
  for (std::size_t i = 0; i < 64; ++i) {
    const float value = 1.05859375f;
    std::memcpy(ones_f32.data() + i * 4, &value, 4);
  }
  exact.erase_tensor("output_norm.weight").add_tensor("output_norm.weight", TensorType::f32, {64}, ones_f32);
  half.erase_tensor("output_norm.weight").add_tensor("output_norm.weight", TensorType::f16, {64}, ones_f16);
  CHECK(fingerprint(logits_of(half)) == fingerprint(logits_of(exact)));
}

}  // namespace loquat_test
