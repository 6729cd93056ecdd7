// SPDX-License-Identifier: MIT
#include "support/temporary_folder.hpp"

#include <fstream>
#include <random>
#include <stdexcept>
#include <system_error>

namespace loquat_test {

TemporaryFolder::TemporaryFolder() {
  std::random_device device;
  for (int attempt = 0; attempt < 100; ++attempt) {
    path_ = std::filesystem::temp_directory_path() / ("loquat-test-" + std::to_string(device()));
    if (std::filesystem::create_directory(path_)) return;
  }
  throw std::runtime_error("no temporary folder could be made");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::file(std::string_view name) const {
  const std::u8string_view utf8(reinterpret_cast<const char8_t*>(name.data()), name.size());
  const std::u8string full = (path_ / std::filesystem::path(utf8)).u8string();
  return {reinterpret_cast<const char*>(full.data()), full.size()};
}

std::string TemporaryFolder::write(std::string_view name, std::span<const std::byte> bytes) const {
  const std::string full = file(name);
  const std::u8string_view utf8(reinterpret_cast<const char8_t*>(full.data()), full.size());
  std::ofstream out(std::filesystem::path(utf8), std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + full);
  return full;
}

}  // namespace loquat_test
