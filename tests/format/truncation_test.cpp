// SPDX-License-Identifier: MIT
// Files that end too early (bug 44, F3).
#include <string>

#include "format/parse_bytes.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_model.hpp"

using namespace loquat;
using namespace loquat_test;

TEST_CASE("a file cut at any byte of its header is truncated (F3)") {
  for (const ToyTokenizer tokenizer : {ToyTokenizer::bpe, ToyTokenizer::spm}) {
    const GgufImage image = make_toy_model({.layers = 1, .tokenizer = tokenizer});
    for (std::size_t n = 0; n <= image.data_start; ++n) {
      const auto code = parse_bytes(std::span(image.bytes).first(n)).code();
      if (code != ErrorCode::truncated) FAIL("cut at " << n << ": " << to_string(code));
    }
  }
}

TEST_CASE("a file cut at any byte of its data is truncated, mapped or read, and nothing faults (bug 44, F3)") {
  const TemporaryFolder folder;
  const GgufImage image = make_toy_model({.layers = 1});
  const std::size_t data = image.bytes.size() - image.data_start;
  for (int part = 0; part < 64; ++part) {
    const std::size_t n = image.data_start + data * static_cast<std::size_t>(part) / 64;
    const std::string path = folder.write("cut.gguf", std::span(image.bytes).first(n));
    for (const bool use_mmap : {true, false}) {
      auto model = gguf::open_model(path, use_mmap, default_allocator());
      CHECK(model.code() == ErrorCode::truncated);
      CHECK(model.error().message().starts_with(path));
      CHECK(!model.error().name().empty());
    }
  }
  for (std::size_t n = image.bytes.size() - 256; n < image.bytes.size(); ++n) {
    CHECK(outcome(std::span(image.bytes).first(n)) == "truncated");
  }
  CHECK(outcome(image) == "none");
}

TEST_CASE("the error of a cut file says which key or tensor, how much was expected and what is there") {
  GgufImage image = GgufWriter().set("general.name", "toy").add_tensor("only", TensorType::f32, {8}).build();
  const std::size_t whole = image.bytes.size();
  image.truncate(image.field("key:general.name:value").offset + 9);
  const std::size_t cut = image.bytes.size();
  CHECK(parse_bytes(image.bytes).error().message() ==
        "file ends inside the value of key 'general.name': 3 bytes expected at offset " + std::to_string(cut - 1) +
            ", file has " + std::to_string(cut) + " bytes");
  image = GgufWriter().set("general.name", "toy").add_tensor("only", TensorType::f32, {8}).build();
  image.truncate(whole - 1);
  CHECK(parse_bytes(image.bytes).error().message() == "tensor 'only' ends at byte " + std::to_string(whole) +
                                                          ", but the file has only " + std::to_string(whole - 1) +
                                                          " bytes");
}
