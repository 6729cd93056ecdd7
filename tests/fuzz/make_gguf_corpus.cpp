// SPDX-License-Identifier: MIT
// Writes the seed corpus of the GGUF fuzz target: small files, each with something the others lack.
// Usage: make_gguf_corpus FOLDER
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "support/toy_model.hpp"

using namespace loquat_test;
using loquat::TensorType;

namespace {

void write(const std::string& folder, const char* name, const Bytes& bytes) {
  std::ofstream file(folder + "/" + name, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

GgufWriter every_type() {
  GgufWriter writer;
  writer.set("u8", std::uint8_t{1})
      .set("i8", std::int8_t{-1})
      .set("u16", std::uint16_t{1})
      .set("i16", std::int16_t{-1});
  writer.set("u32", std::uint32_t{1}).set("i32", std::int32_t{-1}).set("u64", std::uint64_t{1});
  writer.set("i64", std::int64_t{-1}).set("f32", 1.0f).set("f64", 1.0).set("bool", true).set("text", "text");
  writer.set_array("a8", std::vector<std::uint8_t>{1, 2, 3}).set_array("a64", std::vector<double>{1.0, 2.0});
  writer.set_array("strings", std::vector<std::string>{"", "a", "bc"});
  writer.set_array("none", std::vector<std::int32_t>{});
  return writer;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  const std::string folder = argv[1];
  write(folder, "nothing.gguf", GgufWriter().build().bytes);
  write(folder, "every-type.gguf", every_type().build().bytes);
  write(folder, "version-2.gguf", every_type().version(2).build().bytes);
  GgufWriter tensors;
  tensors.alignment(64).add_tensor("a", TensorType::f32, {3}).add_tensor("b", TensorType::q4_0, {32, 2});
  tensors.add_tensor("c", TensorType::q6_k, {256, 1, 1, 1}).add_tensor("d", TensorType::iq2_xxs, {256, 2, 1});
  write(folder, "tensors.gguf", tensors.build().bytes);
  write(folder, "split.gguf", tensors.split(2)[0].build().bytes);
  ToyModelOptions tiny;
  tiny.layers = 1;
  tiny.width = 32;
  tiny.head_width = 8;
  tiny.ffn_width = 32;
  tiny.type = TensorType::q4_0;
  write(folder, "toy-bpe.gguf", make_toy_model(tiny).bytes);
  tiny.tokenizer = ToyTokenizer::spm;
  tiny.architecture = "qwen3";
  write(folder, "toy-spm.gguf", make_toy_model(tiny).bytes);
  return 0;
}
