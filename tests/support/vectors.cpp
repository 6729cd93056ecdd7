// SPDX-License-Identifier: MIT
#include "support/vectors.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>

namespace loquat_test {

std::filesystem::path vectors_folder() {
  const std::filesystem::path folder = LOQUAT_VECTORS_DIR;
  return std::filesystem::is_directory(folder) ? folder : std::filesystem::path{};
}

void say_skipped(const std::string& what) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.insert(what).second) std::fprintf(stderr, "\nskipped: %s\n", what.c_str());
}

std::filesystem::path model_from_environment(const char* variable) {
  const char* path = std::getenv(variable);
  return path != nullptr ? std::filesystem::path(path) : std::filesystem::path{};
}

std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<float> read_floats(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  std::vector<float> values(text.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), text.data(), values.size() * sizeof(float));
  return values;
}

}  // namespace loquat_test
