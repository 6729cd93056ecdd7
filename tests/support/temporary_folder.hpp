// SPDX-License-Identifier: MIT
// A folder of its own for a test's files, removed with all in it.
#ifndef LOQUAT_TESTS_SUPPORT_TEMPORARY_FOLDER_HPP
#define LOQUAT_TESTS_SUPPORT_TEMPORARY_FOLDER_HPP

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace loquat_test {

class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }
  /// The path of a file in it, as UTF-8; `name` is UTF-8.
  std::string file(std::string_view name) const;
  /// Writes (over) a file and gives its path.
  std::string write(std::string_view name, std::span<const std::byte> bytes) const;

 private:
  std::filesystem::path path_;
};

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SUPPORT_TEMPORARY_FOLDER_HPP
