// SPDX-License-Identifier: MIT
// What good files say.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "format/parse_bytes.hpp"
#include "support/catch.hpp"
#include "support/toy_model.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

/// One value of every type.
GgufWriter every_type() {
  GgufWriter writer;
  writer.set("n.u8", std::uint8_t{200}).set("n.i8", std::int8_t{-100}).set("n.u16", std::uint16_t{60000});
  writer.set("n.i16", std::int16_t{-30000}).set("n.u32", std::uint32_t{4000000000u}).set("n.i32", std::int32_t{-5});
  writer.set("n.u64", std::numeric_limits<std::uint64_t>::max()).set("n.i64", std::numeric_limits<std::int64_t>::min());
  writer.set("n.f32", 0.5f).set("n.f64", 1e300).set("n.true", true).set("n.false", false);
  writer.set("n.text", "h\xC3\xA9llo").set("n.empty", "");
  writer.set_array("a.i16", std::vector<std::int16_t>{-1, 2, 3}).set_array("a.f64", std::vector<double>{0.25, -8.0});
  writer.set_array("a.text", std::vector<std::string>{"one", "", "three"});
  writer.set_array("a.none", std::vector<std::string>{})
      .set_array("a.u64", std::vector<std::uint64_t>{7, ~std::uint64_t{0}});
  writer.set_raw_array("a.bool", 7, 2, {std::byte{1}, std::byte{0}});
  return writer;
}

}  // namespace

TEST_CASE("every metadata type reads back, in versions 2 and 3") {
  for (const std::uint32_t version : {2u, 3u}) {
    auto file = parse_bytes(every_type().version(version).build().bytes);
    REQUIRE(file);
    CHECK(file->version() == version);
    CHECK(*file->get_unsigned("n.u8") == 200u);
    CHECK(*file->get_integer("n.i8") == -100);
    CHECK(*file->get_unsigned("n.u16") == 60000u);
    CHECK(*file->get_integer("n.i16") == -30000);
    CHECK(*file->get_unsigned("n.u32") == 4000000000u);
    CHECK(*file->get_integer("n.i32") == -5);
    CHECK(*file->get_unsigned("n.u64") == std::numeric_limits<std::uint64_t>::max());
    CHECK(*file->get_integer("n.i64") == std::numeric_limits<std::int64_t>::min());
    CHECK(*file->get_number("n.f32") == 0.5);
    CHECK(*file->get_number("n.f64") == 1e300);
    CHECK(*file->get_number("n.i32") == -5.0);
    CHECK(*file->get_bool("n.true") == true);
    CHECK(*file->get_bool("n.false") == false);
    CHECK(*file->get_string("n.text") == "h\xC3\xA9llo");
    CHECK(*file->get_string("n.empty") == "");
  }
}

TEST_CASE("arrays read element by element") {
  auto file = parse_bytes(every_type().build().bytes);
  REQUIRE(file);
  std::int64_t whole = 0;
  double number = 0;
  CHECK(gguf::Description::element_as_integer(*file->find("a.i16"), 0, whole));
  CHECK(whole == -1);
  CHECK_FALSE(gguf::Description::element_as_integer(*file->find("a.i16"), 3, whole));
  CHECK(gguf::Description::element_as_number(*file->find("a.f64"), 1, number));
  CHECK(number == -8.0);
  CHECK_FALSE(gguf::Description::element_as_integer(*file->find("a.f64"), 1, whole));
  CHECK(gguf::Description::element_as_integer(*file->find("a.u64"), 0, whole));
  CHECK_FALSE(gguf::Description::element_as_integer(*file->find("a.u64"), 1, whole));
  CHECK(gguf::Description::element_as_integer(*file->find("a.bool"), 0, whole));
  CHECK(whole == 1);
  CHECK_FALSE(gguf::Description::element_as_number(*file->find("a.text"), 0, number));
  CHECK_FALSE(gguf::Description::element_as_integer(*file->find("n.u8"), 0, whole));
  const gguf::StringArray strings = **file->get_strings("a.text");
  REQUIRE(strings.size() == 3);
  auto text = strings.begin();
  CHECK(*text == "one");
  CHECK(*++text == "");
  CHECK(*++text == "three");
  CHECK((*file->get_strings("a.none"))->size() == 0);
}

TEST_CASE("an absent key is absent, not an error (F6)") {
  auto file = parse_bytes(every_type().build().bytes);
  REQUIRE(file);
  CHECK(file->find("no.such") == nullptr);
  CHECK_FALSE(file->get_unsigned("no.such")->has_value());
  CHECK_FALSE(file->get_integer("no.such")->has_value());
  CHECK_FALSE(file->get_number("no.such")->has_value());
  CHECK_FALSE(file->get_bool("no.such")->has_value());
  CHECK_FALSE(file->get_string("no.such")->has_value());
  CHECK_FALSE(file->get_strings("no.such")->has_value());
}

TEST_CASE("a value of another kind is malformed, with key, expected and found (F7)") {
  auto file = parse_bytes(every_type().build().bytes);
  REQUIRE(file);
  const Error text_for_number = file->get_unsigned("n.text").error();
  CHECK(text_for_number.code() == ErrorCode::malformed);
  CHECK(text_for_number.name() == "n.text");
  CHECK(text_for_number.message() == "key 'n.text' must be an integer, file has string");
  CHECK(text_for_number.offset() == file->find("n.text")->offset);
  CHECK(file->get_unsigned("n.i8").error().message() == "key 'n.i8' must be 0 or more, file says -100");
  CHECK(file->get_integer("n.u64").code() == ErrorCode::malformed);
  CHECK(file->get_unsigned("n.f32").code() == ErrorCode::malformed);
  CHECK(file->get_number("n.true").code() == ErrorCode::malformed);
  CHECK(file->get_bool("n.u8").code() == ErrorCode::malformed);
  CHECK(file->get_string("n.u8").code() == ErrorCode::malformed);
  CHECK(file->get_strings("a.i16").error().message() ==
        "key 'a.i16' must be an array of strings, file has an array of 3 i16");
}

TEST_CASE("a bool that is neither 0 nor 1 is an error only where it is asked for (F6)") {
  auto file = parse_bytes(GgufWriter().set_raw("odd.flag", 7, {std::byte{2}}).build().bytes);
  REQUIRE(file);
  CHECK(file->get_bool("odd.flag").code() == ErrorCode::malformed);
}

TEST_CASE("keys of unusual element types load where nobody needs them (bug 42, F6)") {
  GgufWriter writer = toy_model_writer();
  writer.set_array("tokenizer.ggml.scores", std::vector<std::int8_t>{1, 2, 3});
  writer.set_array("somebody.else.tokens", std::vector<std::string>{"same", "same"});
  CHECK(outcome(writer.build()) == "none");
}

TEST_CASE("a description outlives the bytes it was made from") {
  GgufImage image = make_toy_model();
  auto file = parse_bytes(image.bytes);
  REQUIRE(file);
  std::fill(image.bytes.begin(), image.bytes.end(), std::byte{0xEE});
  image.bytes = {};
  gguf::Description moved = std::move(*file);
  CHECK(*moved.get_string("general.architecture") == "llama");
  CHECK(moved.find_tensor("blk.1.attn_q.weight")->rows() == 64);
}

TEST_CASE("tensor ranges are absolute, aligned and hold the data that was written") {
  for (const std::uint32_t alignment : {8u, 32u, 64u, 65536u}) {
    GgufWriter writer;
    writer.alignment(alignment);
    writer.add_tensor("a", TensorType::q4_0, {64, 3})
        .add_tensor("b", TensorType::f16, {5})
        .add_tensor("c", TensorType::q6_k, {256, 2, 2, 1});
    GgufImage image = writer.build();
    auto file = parse_bytes(image.bytes);
    REQUIRE(file);
    for (const char* name : {"a", "b", "c"}) {
      const gguf::TensorInfo* tensor = file->find_tensor(name);
      REQUIRE(tensor != nullptr);
      CHECK(tensor->offset == image.field(std::string("data:") + name).offset);
      CHECK(tensor->bytes == image.field(std::string("data:") + name).bytes);
      CHECK(tensor->offset % alignment == 0);
    }
    CHECK(file->find_tensor("c")->rows() == 4);
    CHECK(file->find_tensor("c")->n_dimensions == 4);
    CHECK(file->find_tensor("d") == nullptr);
  }
}

TEST_CASE("padding after the last tensor may be missing") {
  GgufImage image = GgufWriter().add_tensor("a", TensorType::f16, {5}).build();
  const GgufField& data = image.field("data:a");
  image.truncate(data.offset + data.bytes);
  CHECK(outcome(image) == "none");
  image.truncate(image.bytes.size() - 1);
  CHECK(outcome(image) == "truncated");
}

TEST_CASE("a file without tensors or metadata is a valid file") {
  CHECK(outcome(GgufWriter().build()) == "none");
  CHECK(outcome(GgufWriter().set("general.name", "vocabulary only").build()) == "none");
}
