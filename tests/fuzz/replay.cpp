// SPDX-License-Identifier: MIT
// Runs a fuzz target without a fuzzer: every file of a corpus folder, then mutations of them, the same on every run.
// Usage: replay CORPUS_FOLDER N_MUTATIONS
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/fuzz_target.hpp"

namespace {

using Input = std::vector<std::uint8_t>;

/// splitmix64
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(bits() % n); }

 private:
  std::uint64_t state_;
};

std::vector<Input> load_corpus(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());  // folders list in any order
  std::vector<Input> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

void overwrite_number(Input& input, Random& random) {
  const std::uint64_t numbers[] = {0,
                                   1,
                                   2,
                                   9,
                                   0x7f,
                                   0xff,
                                   0xffff,
                                   0x7fffffff,
                                   0x80000000u,
                                   0xffffffffu,
                                   std::uint64_t{1} << 62,
                                   std::uint64_t{1} << 63,
                                   ~std::uint64_t{0},
                                   input.size(),
                                   random.bits()};
  const std::uint64_t number = numbers[random.below(std::size(numbers))];
  const std::size_t width = std::size_t{1} << random.below(4);
  if (input.size() < width) return;
  std::memcpy(input.data() + random.below(input.size() - width + 1), &number, width);
}

/// One small change of a kind that finds bugs in readers.
void mutate(Input& input, const Input& other, Random& random) {
  if (input.empty()) {
    input.push_back(static_cast<std::uint8_t>(random.bits()));
    return;
  }
  const std::size_t at = random.below(input.size());
  const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random.below(6)) {
    case 0: input[at] ^= static_cast<std::uint8_t>(1u << random.below(8)); break;
    case 1: input[at] = static_cast<std::uint8_t>(random.bits()); break;
    case 2: overwrite_number(input, random); break;
    case 3: input.resize(at); break;
    case 4:
      input.erase(place, place + static_cast<std::ptrdiff_t>(std::min(input.size() - at, 1 + random.below(16))));
      break;
    default: {
      const std::size_t from = random.below(other.size());
      const std::size_t n = std::min(other.size() - from, 1 + random.below(64));
      const auto begin = other.begin() + static_cast<std::ptrdiff_t>(from);
      input.insert(place, begin, begin + static_cast<std::ptrdiff_t>(n));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER N_MUTATIONS\n", argv[0]);
    return 2;
  }
  const std::vector<Input> corpus = load_corpus(argv[1]);
  if (corpus.empty()) {
    std::fprintf(stderr, "no files in %s\n", argv[1]);
    return 1;
  }
  for (const Input& input : corpus) LLVMFuzzerTestOneInput(input.data(), input.size());
  const std::size_t n_mutations = std::strtoul(argv[2], nullptr, 10);
  for (std::size_t i = 0; i < n_mutations; ++i) {
    Random random(i);
    Input input = corpus[i % corpus.size()];
    const std::size_t n_changes = 1 + random.below(4);
    for (std::size_t j = 0; j < n_changes; ++j) mutate(input, corpus[random.below(corpus.size())], random);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu corpus files and %zu mutations passed\n", corpus.size(), n_mutations);
  return 0;
}
