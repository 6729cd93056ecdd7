// SPDX-License-Identifier: MIT
#include "quant/tensor_type.hpp"

#include <set>
#include <string>

#include "support/catch.hpp"
#include "support/vectors.hpp"

using namespace loquat;

TEST_CASE("every tensor type is found by its number and by its name in any letter case") {
  for (const TensorTypeInfo& info : tensor_types()) {
    const auto number = static_cast<std::uint32_t>(info.type);
    CHECK(find_tensor_type(number) == &info);
    CHECK(&tensor_type_info(info.type) == &info);
    std::string name(info.name);
    CHECK(find_tensor_type(name) == &info);
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    CHECK(find_tensor_type(name) == &info);
  }
}

TEST_CASE("tensor types are listed once, by ascending number, with sizes") {
  std::int64_t last = -1;
  std::set<std::string_view> names;
  for (const TensorTypeInfo& info : tensor_types()) {
    CHECK(static_cast<std::int64_t>(info.type) > last);
    last = static_cast<std::int64_t>(info.type);
    CHECK(names.insert(info.name).second);
    CHECK(info.block_values > 0);
    CHECK(info.block_bytes > 0);
  }
}

TEST_CASE("numbers and names that no file uses are not found") {
  for (const std::uint32_t number : {4u, 5u, 43u, 255u, 1000u, 0xFFFFFFFFu}) CHECK(find_tensor_type(number) == nullptr);
  for (const char* name : {"", "Q4", "Q4_K_M", "Q4_KK", " F32"})
    CHECK(find_tensor_type(std::string_view(name)) == nullptr);
}

TEST_CASE("a row's bytes are its blocks' bytes") {
  CHECK(row_bytes(TensorType::f32, 3) == 12);
  CHECK(row_bytes(TensorType::q4_k, 512) == 288);
  CHECK(row_bytes(TensorType::mxfp4, 64) == 34);
  CHECK(row_bytes(TensorType::q8_0, 0) == 0);
}

namespace {

/// The number after `"key": ` in a line of index.json.
std::uint64_t number_of(const std::string& line, const std::string& key) {
  const std::size_t at = line.find("\"" + key + "\": ");
  return at == std::string::npos ? 0 : std::stoull(line.substr(at + key.size() + 4));
}

}  // namespace

TEST_CASE("numbers and block sizes equal those of the reference data") {
  LOQUAT_NEED_VECTORS(folder);
  const std::string index = loquat_test::read_text(folder / "quants" / "index.json");
  std::size_t n_types = 0;
  for (std::size_t at = index.find("{\"type\""); at != std::string::npos; at = index.find("{\"type\"", at + 1)) {
    const std::string line = index.substr(at, index.find('}', at) - at);
    const std::string name = line.substr(10, line.find('"', 10) - 10);
    CAPTURE(name);
    const TensorTypeInfo* info = find_tensor_type(name);
    REQUIRE(info != nullptr);
    CHECK(static_cast<std::uint64_t>(info->type) == number_of(line, "number"));
    CHECK(info->block_values == number_of(line, "block"));
    CHECK(info->block_bytes == number_of(line, "bytes"));
    ++n_types;
  }
  CHECK(n_types >= 25);
}
