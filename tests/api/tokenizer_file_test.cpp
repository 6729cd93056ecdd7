// SPDX-License-Identifier: MIT
#include <loquat/model.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_model.hpp"
#include "support/vectors.hpp"

namespace loquat_test {

using namespace loquat;

TEST_CASE("the tokenizer of a model file loads alone and gives the same ids") {
  const TemporaryFolder folder;
  const std::string path = folder.write("toy.gguf", make_toy_model().bytes);
  const Tokenizer alone = load_tokenizer(path).value();
  const Tokenizer with_model = Model::load(path).value().tokenizer();
  const Array<Token> a = alone.encode("Hello, world").value();
  const Array<Token> b = with_model.encode("Hello, world").value();
  CHECK(std::vector<Token>(a.begin(), a.end()) == std::vector<Token>(b.begin(), b.end()));
  CHECK(load_tokenizer(path, {.pre_tokenizer = "sparkle"}).code() == ErrorCode::unsupported_tokenizer);
  CHECK(load_tokenizer(folder.file("absent.gguf")).code() == ErrorCode::io);
}

TEST_CASE("a vocabulary-only file has a tokenizer and no model") {
  LOQUAT_NEED_VECTORS(vectors);
  const std::string path = (vectors / "tokenizers" / "ggml-vocab-smollm.gguf").string();
  const Tokenizer tokenizer = load_tokenizer(path).value();
  CHECK(tokenizer.pre_tokenizer() == "smollm");
  CHECK(tokenizer.vocabulary_size() == 49152);
  CHECK_FALSE(Model::load(path));
}

}  // namespace loquat_test
