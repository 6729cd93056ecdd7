// SPDX-License-Identifier: MIT
// Files that contradict the format or themselves: each in one field, each with its own words.
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

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

/// Two tensors and a few keys.
GgufWriter small_file() {
  GgufWriter writer;
  writer.set("general.architecture", "llama").set("general.alignment", std::uint32_t{32});
  writer.set_array("some.strings", std::vector<std::string>{"a", "bc"});
  writer.set_array("some.numbers", std::vector<std::int32_t>{1, 2, 3});
  writer.add_tensor("first", TensorType::q4_0, {64, 2}).add_tensor("second", TensorType::f32, {8, 3});
  return writer;
}

Error error_of(const GgufImage& image) { return parse_bytes(image.bytes).error(); }

/// The error after one field of small_file() was set.
Error after_u64(const std::string& field, std::uint64_t value) {
  GgufImage image = small_file().build();
  image.put_u64(field, value);
  return error_of(image);
}
Error after_u32(const std::string& field, std::uint32_t value) {
  GgufImage image = small_file().build();
  image.put_u32(field, value);
  return error_of(image);
}

bool mentions(const Error& error, std::string_view words) {
  return error.message().find(words) != std::string_view::npos;
}

}  // namespace

TEST_CASE("bytes that are no GGUF file are refused as such, with what they begin with (F7)") {
  for (const char* start :
       {"PK\x03\x04rest of a zip", "version https://git-lfs", "<!doctype html>", "ggjt....", "GGUX...."}) {
    const std::string text = start;
    auto result = parse_bytes(std::as_bytes(std::span(text)));
    CHECK(result.code() == ErrorCode::not_gguf);
    CHECK(mentions(result.error(), "expected 'GGUF'"));
  }
}

TEST_CASE("version 1, unknown versions and big-endian files are refused with words") {
  CHECK(after_u32("version", 1).code() == ErrorCode::unsupported_version);
  CHECK(mentions(after_u32("version", 1), "version 1"));
  CHECK(mentions(after_u32("version", 4), "version 4 is not known"));
  CHECK(mentions(after_u32("version", 0), "version 0 is not known"));
  CHECK(after_u32("version", 0xffffffffu).code() == ErrorCode::unsupported_version);
  for (const std::uint32_t version : {0x02000000u, 0x03000000u}) {
    CHECK(after_u32("version", version).code() == ErrorCode::unsupported_version);
    CHECK(mentions(after_u32("version", version), "big-endian"));
  }
  CHECK(mentions(after_u32("magic", 0x47475546u), "big-endian"));
}

TEST_CASE("a dimension of zero is malformed and names the tensor (bug 27, F1)") {
  for (const char* dimension : {"dimension0", "dimension1"}) {
    const Error error = after_u64(std::string("tensor:first:") + dimension, 0);
    CHECK(error.code() == ErrorCode::malformed);
    CHECK(error.name() == "first");
  }
}

TEST_CASE("dimension counts outside 1..4 are malformed and name the tensor (bug 28, F1)") {
  for (const std::uint32_t count : {0u, 5u, 8u, 9u, 0xffffffffu}) {
    const Error error = after_u32("tensor:second:dimensions", count);
    CHECK(error.code() == ErrorCode::malformed);
    CHECK(error.name() == "second");
    CHECK(mentions(error, std::to_string(count)));
  }
}

TEST_CASE("sizes and offsets near 2^64 do not wrap (bug 31, F1, F3)") {
  for (const std::uint64_t extent : {kMax, kMax - 63, kMax / 2, std::uint64_t{1} << 62, std::uint64_t{1} << 59}) {
    CHECK(after_u64("tensor:second:dimension1", extent).code() != ErrorCode::none);
    CHECK(after_u64("tensor:second:dimension1", extent).name() == "second");
  }
  for (const std::uint64_t offset : {kMax - 31, kMax - 63, kMax / 32 * 32, std::uint64_t{1} << 63}) {
    CHECK(after_u64("tensor:second:offset", offset).code() != ErrorCode::none);
    CHECK(after_u64("tensor:second:offset", offset).name() == "second");
  }
  // 2^33 x 2^31 values: the product is 0 modulo 2^64.
  GgufImage image = small_file().build();
  image.put_u64("tensor:second:dimension0", std::uint64_t{1} << 33);
  image.put_u64("tensor:second:dimension1", std::uint64_t{1} << 31);
  CHECK(error_of(image).code() == ErrorCode::malformed);
}

TEST_CASE("huge string lengths are refused before anything is allocated (bug 32, F1, F2)") {
  const Error key = after_u64("key:general.architecture:length", std::uint64_t{1} << 48);
  CHECK(key.code() == ErrorCode::malformed);
  CHECK(mentions(key, "65535"));
  const Error value = after_u64("key:general.architecture:string_length", std::uint64_t{1} << 48);
  CHECK(value.code() == ErrorCode::truncated);
  CHECK(value.name() == "general.architecture");
  CHECK(after_u64("key:general.architecture:string_length", kMax).code() == ErrorCode::truncated);
  CHECK(after_u64("tensor:first:length", kMax).code() == ErrorCode::malformed);
  CHECK(after_u64("key:general.architecture:length", 0).code() == ErrorCode::malformed);
  CHECK(after_u64("tensor:first:length", 0).code() == ErrorCode::malformed);
}

TEST_CASE("nested and endless arrays are refused at once (bug 34, F2)") {
  const Error nested = after_u32("key:some.strings:element_type", 9);
  CHECK(nested.code() == ErrorCode::malformed);
  CHECK(nested.name() == "some.strings");
  CHECK(mentions(nested, "arrays of arrays"));
  GgufImage image = GgufWriter().set_raw_array("a", 9, std::uint64_t{1} << 62, {}).build();
  CHECK(image.bytes.size() < 60);
  CHECK(error_of(image).code() == ErrorCode::malformed);
  for (const std::uint64_t count : {kMax, std::uint64_t{1} << 63, std::uint64_t{1} << 62, std::uint64_t{1000}}) {
    CHECK(after_u64("key:some.strings:count", count).name() == "some.strings");
    CHECK(after_u64("key:some.numbers:count", count).name() == "some.numbers");
  }
  CHECK(after_u32("key:some.numbers:element_type", 13).code() == ErrorCode::malformed);
  CHECK(after_u32("key:some.numbers:type", 13).name() == "some.numbers");
}

TEST_CASE("counts that the file cannot hold are refused at once (F1, F2)") {
  for (const char* field : {"tensor_count", "metadata_count"}) {
    for (const std::uint64_t count : {kMax, kMax - 1, kMax / 14, std::uint64_t{1} << 32, std::uint64_t{50}}) {
      CHECK(after_u64(field, count).code() == ErrorCode::truncated);
    }
  }
}

TEST_CASE("an alignment that is no power of two in 8..65536 is malformed and names the key (bug 35, F4)") {
  for (const std::uint32_t alignment : {0u, 1u, 4u, 7u, 24u, 33u, 131072u, 0x80000000u, 0xffffffffu}) {
    const Error error = after_u32("key:general.alignment:value", alignment);
    CHECK(error.code() == ErrorCode::malformed);
    CHECK(error.name() == "general.alignment");
    CHECK(mentions(error, std::to_string(alignment)));
  }
  CHECK(error_of(small_file().set("general.alignment", "wide").build()).name() == "general.alignment");
}

TEST_CASE("keys and tensor names may appear once") {
  GgufWriter twice = small_file();
  twice.add_duplicate("general.architecture", 4, Bytes(4));
  const Error key = error_of(twice.build());
  CHECK(key.code() == ErrorCode::malformed);
  CHECK(key.name() == "general.architecture");
  GgufWriter tensors = small_file();
  tensors.add_tensor("first", TensorType::f32, {4});
  const Error tensor = error_of(tensors.build());
  CHECK(tensor.code() == ErrorCode::malformed);
  CHECK(tensor.name() == "first");
}

TEST_CASE("tensor offsets must be aligned, apart and inside the file (F3)") {
  const Error misaligned = after_u64("tensor:second:offset", 100);
  CHECK(misaligned.code() == ErrorCode::malformed);
  CHECK(misaligned.name() == "second");
  CHECK(mentions(misaligned, "multiple of 32"));
  const Error same = after_u64("tensor:second:offset", 0);
  CHECK(same.code() == ErrorCode::malformed);
  CHECK(mentions(same, "'first'"));
  CHECK(mentions(same, "'second'"));
  CHECK(after_u64("tensor:second:offset", 64).code() == ErrorCode::malformed);
  const Error past = after_u64("tensor:second:offset", 128);
  CHECK(past.code() == ErrorCode::truncated);
  CHECK(past.name() == "second");
}

TEST_CASE("rows that are not whole blocks are malformed, with the block's size and type") {
  const Error error = after_u64("tensor:first:dimension0", 33);
  CHECK(error.code() == ErrorCode::malformed);
  CHECK(error.message() == "row length of tensor 'first' must be a multiple of 32 (Q4_0), file says 33");
}

TEST_CASE("a tensor type that no file uses is unsupported and names tensor and number (F7)") {
  for (const std::uint32_t type : {4u, 5u, 43u, 1000u, 0xffffffffu}) {
    const Error error = after_u32("tensor:second:type", type);
    CHECK(error.code() == ErrorCode::unsupported_type);
    CHECK(error.name() == "second");
    CHECK(mentions(error, std::to_string(type)));
  }
}

TEST_CASE("names that are not text come out readable in the error") {
  GgufWriter writer;
  writer.set_raw("bad\x01\xFFkey", 99, {});
  const Error error = error_of(writer.build());
  CHECK(error.code() == ErrorCode::malformed);
  CHECK(mentions(error, "bad??key"));
}

TEST_CASE("no value of any header field crashes the parser or is accepted wrongly (F1)") {
  GgufImage image = make_toy_model({.layers = 1});
  const std::uint64_t size = image.bytes.size();
  const std::uint64_t interesting[] = {0,
                                       1,
                                       2,
                                       3,
                                       4,
                                       5,
                                       8,
                                       9,
                                       31,
                                       32,
                                       33,
                                       255,
                                       256,
                                       65535,
                                       65536,
                                       size - 1,
                                       size,
                                       size + 1,
                                       size * 2,
                                       0x7fffffffu,
                                       0x80000000u,
                                       0xfffffffeu,
                                       0xffffffffu,
                                       std::uint64_t{1} << 32,
                                       (std::uint64_t{1} << 62) - 1,
                                       std::uint64_t{1} << 62,
                                       (std::uint64_t{1} << 63) - 1,
                                       std::uint64_t{1} << 63,
                                       kMax - 32,
                                       kMax - 1,
                                       kMax};
  for (const auto& [name, field] : image.fields) {
    if (field.bytes != 4 && field.bytes != 8) continue;
    if (name.starts_with("data:")) continue;
    const Bytes before(image.bytes.begin() + static_cast<std::ptrdiff_t>(field.offset),
                       image.bytes.begin() + static_cast<std::ptrdiff_t>(field.offset + field.bytes));
    for (const std::uint64_t value : interesting) {
      image.put(field.offset, &value, field.bytes);
      auto result = parse_bytes(image.bytes);
      if (!result) {
        CHECK(!result.error().message().empty());
        continue;
      }
      for (const gguf::TensorInfo& tensor : result->tensors()) {
        if (tensor.offset + tensor.bytes > size) FAIL(name << " = " << value << " was accepted");
      }
    }
    image.put(field.offset, before.data(), before.size());
  }
}
