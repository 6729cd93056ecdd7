// SPDX-License-Identifier: MIT
// Reference data beside the checkout. A test that needs it and does not find it says so and is counted as skipped.
#ifndef LOQUAT_TESTS_SUPPORT_VECTORS_HPP
#define LOQUAT_TESTS_SUPPORT_VECTORS_HPP

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace loquat_test {

/// The folder ../shared/vectors, or an empty path.
std::filesystem::path vectors_folder();
/// Prints "skipped: ..." to standard error, once per reason.
void say_skipped(const std::string& what);
/// A model file named by the environment variable (e.g. LOQUAT_TEST_MODEL), or an empty path.
std::filesystem::path model_from_environment(const char* variable);

std::vector<std::byte> read_bytes(const std::filesystem::path& path);
std::string read_text(const std::filesystem::path& path);
std::vector<float> read_floats(const std::filesystem::path& path);

}  // namespace loquat_test

/// At the start of a test: ends it, loudly, where the reference data is absent.
#define LOQUAT_NEED_VECTORS(folder_name)                             \
  const std::filesystem::path folder_name = loquat_test::vectors_folder(); \
  if (folder_name.empty()) {                                         \
    loquat_test::say_skipped("vectors not found");                   \
    return;                                                          \
  }

#endif  // LOQUAT_TESTS_SUPPORT_VECTORS_HPP
