// SPDX-License-Identifier: MIT
// Files made by the converters in use.
#include <filesystem>
#include <string>

#include "format/source.hpp"
#include "support/catch.hpp"
#include "support/vectors.hpp"

using namespace loquat;

TEST_CASE("every reference file parses to the same description mapped and read (M6)") {
  LOQUAT_NEED_VECTORS(folder);
  std::size_t n_files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".gguf") continue;
    INFO(entry.path().string());
    ++n_files;
    auto mapped = gguf::open_model(entry.path().string(), true, default_allocator());
    if (!mapped) FAIL(mapped.error().message());
    auto read = gguf::open_model(entry.path().string(), false, default_allocator());
    REQUIRE(read);
    const gguf::Description& a = mapped->description;
    const gguf::Description& b = read->description;
    CHECK(a.version() == 3);
    REQUIRE(a.metadata().size() == b.metadata().size());
    REQUIRE(a.tensors().size() == b.tensors().size());
    for (std::size_t i = 0; i < a.metadata().size(); ++i) {
      CHECK(a.metadata()[i].key == b.metadata()[i].key);
      CHECK(a.metadata()[i].value.offset == b.metadata()[i].value.offset);
      CHECK(a.find(a.metadata()[i].key) == &a.metadata()[i].value);
    }
    for (std::size_t i = 0; i < a.tensors().size(); ++i) {
      CHECK(a.tensors()[i].name == b.tensors()[i].name);
      CHECK(a.tensors()[i].offset == b.tensors()[i].offset);
      CHECK(a.find_tensor(a.tensors()[i].name) == &a.tensors()[i]);
    }
  }
  CHECK(n_files > 100);
}

TEST_CASE("the metadata of a converter's file reads as what it is") {
  LOQUAT_NEED_VECTORS(folder);
  const std::string path = (folder / "tiny-models" / "llama.gguf").string();
  auto model = gguf::open_model(path, true, default_allocator());
  REQUIRE(model);
  const gguf::Description& description = model->description;
  CHECK(*description.get_string("general.architecture") == "llama");
  CHECK(*description.get_unsigned("llama.embedding_length") == 96u);
  CHECK(*description.get_number("llama.rope.freq_base") == 10000.0);
  CHECK(*description.get_bool("tokenizer.ggml.add_bos_token") == false);
  CHECK_FALSE(description.get_unsigned("llama.expert_count")->has_value());
  auto tokens = description.get_strings("tokenizer.ggml.tokens");
  REQUIRE(tokens);
  REQUIRE(tokens->has_value());
  REQUIRE((*tokens)->size() == 288);
  auto token = (*tokens)->begin();
  for (int i = 0; i < 284; ++i) ++token;
  CHECK(*token == "<|user|>");
  const gguf::TensorInfo* tensor = description.find_tensor("blk.0.ffn_down.weight");
  REQUIRE(tensor != nullptr);
  CHECK(tensor->shape[0] == 160);
  CHECK(tensor->rows() == 96);
  CHECK(tensor->bytes == 160 * 96 * 4);
  CHECK(tensor->offset == 7232 + 221568);
}
