// SPDX-License-Identifier: MIT
// Models in several files.
#include <set>
#include <string>
#include <vector>

#include "format/parse_bytes.hpp"
#include "format/split_name.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_model.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

std::string part_name(std::size_t number, std::size_t count) {
  return "toy-0000" + std::to_string(number) + "-of-0000" + std::to_string(count) + ".gguf";
}

/// Writes the parts, and gives the path of the first.
std::string write_parts(const TemporaryFolder& folder, const std::vector<GgufWriter>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) folder.write(part_name(i + 1, parts.size()), parts[i].build().bytes);
  return folder.file(part_name(1, parts.size()));
}

Error open_error(const std::string& path) {
  auto model = gguf::open_model(path, true, default_allocator());
  REQUIRE_FALSE(model);
  return model.error();
}

bool mentions(const Error& error, const std::string& words) {
  return error.message().find(words) != std::string_view::npos;
}

}  // namespace

TEST_CASE("a split model opens by its first file with the tensors of all parts") {
  const TemporaryFolder folder;
  const GgufWriter writer = toy_model_writer();
  const std::string path = write_parts(folder, writer.split(3));
  auto whole = parse_bytes(writer.build().bytes);
  REQUIRE(whole);
  for (const bool use_mmap : {true, false}) {
    auto model = gguf::open_model(path, use_mmap, default_allocator());
    if (!model) FAIL(model.error().message());
    CHECK(model->description.parts() == 3);
    CHECK(model->parts.size() == 3);
    CHECK(*model->description.get_string("general.architecture") == "llama");
    REQUIRE(model->description.tensors().size() == whole->tensors().size());
    std::set<std::uint32_t> used;
    const Bytes image = writer.build().bytes;
    for (const gguf::TensorInfo& expected : whole->tensors()) {
      const gguf::TensorInfo* tensor = model->description.find_tensor(expected.name);
      REQUIRE(tensor != nullptr);
      used.insert(tensor->part);
      REQUIRE(tensor->bytes == expected.bytes);
      Bytes data(tensor->bytes);
      REQUIRE(model->parts[tensor->part]->read(tensor->offset, data));
      CHECK(std::equal(data.begin(), data.end(), image.begin() + static_cast<std::ptrdiff_t>(expected.offset)));
    }
    CHECK(used.size() == 3);
  }
}

TEST_CASE("a missing part is an error that names the file") {
  const TemporaryFolder folder;
  const std::string path = write_parts(folder, toy_model_writer().split(3));
  std::filesystem::remove(folder.file(part_name(2, 3)));
  const Error error = open_error(path);
  CHECK(error.code() == ErrorCode::io);
  CHECK(mentions(error, part_name(2, 3)));
}

TEST_CASE("another part than the first is refused, with the name to open") {
  const TemporaryFolder folder;
  write_parts(folder, toy_model_writer().split(3));
  const Error error = open_error(folder.file(part_name(2, 3)));
  CHECK(error.code() == ErrorCode::invalid_argument);
  CHECK(mentions(error, "part 2 of 3"));
  CHECK(mentions(error, "-00001-of-00003.gguf"));
}

TEST_CASE("a sibling with another part's number or another count is an error that names the file") {
  const TemporaryFolder folder;
  std::vector<GgufWriter> parts = toy_model_writer().split(3);
  parts[1].set("split.no", std::uint16_t{2});
  CHECK(mentions(open_error(write_parts(folder, parts)), part_name(2, 3)));
  parts[1].set("split.no", std::uint16_t{1}).set("split.count", std::uint16_t{4});
  const Error count = open_error(write_parts(folder, parts));
  CHECK(count.code() == ErrorCode::malformed);
  CHECK(mentions(count, part_name(2, 3)));
  parts[1].erase("split.count").erase("split.no");
  CHECK(open_error(write_parts(folder, parts)).code() == ErrorCode::malformed);
}

TEST_CASE("a first file whose name does not say what it says itself is refused") {
  const TemporaryFolder folder;
  const std::vector<GgufWriter> parts = toy_model_writer().split(3);
  const Error unnamed = open_error(folder.write("renamed.gguf", parts[0].build().bytes));
  CHECK(unnamed.code() == ErrorCode::io);
  CHECK(mentions(unnamed, "-00001-of-00003.gguf"));
  CHECK(open_error(folder.write(part_name(1, 2), parts[0].build().bytes)).code() == ErrorCode::malformed);
  CHECK(open_error(folder.write(part_name(2, 3), parts[0].build().bytes)).code() == ErrorCode::malformed);
}

TEST_CASE("a tensor in two parts is an error that names tensor and file") {
  const TemporaryFolder folder;
  std::vector<GgufWriter> parts = toy_model_writer().split(3);
  parts[2].add_tensor("output.weight", TensorType::f32, {8});
  const Error error = open_error(write_parts(folder, parts));
  CHECK(error.code() == ErrorCode::malformed);
  CHECK(error.name() == "output.weight");
  CHECK(mentions(error, part_name(3, 3)));
}

TEST_CASE("a wrong total of tensors is an error with both numbers") {
  const TemporaryFolder folder;
  std::vector<GgufWriter> parts = toy_model_writer().split(2);
  parts[0].set("split.tensors.count", std::int32_t{22});
  const Error error = open_error(write_parts(folder, parts));
  CHECK(error.code() == ErrorCode::malformed);
  CHECK(error.name() == "split.tensors.count");
  CHECK(mentions(error, "22"));
  CHECK(mentions(error, "21"));
}

TEST_CASE("a broken sibling is an error that names the file") {
  const TemporaryFolder folder;
  const std::vector<GgufWriter> parts = toy_model_writer().split(2);
  const std::string path = write_parts(folder, parts);
  GgufImage second = parts[1].build();
  second.truncate(second.bytes.size() - 1);
  folder.write(part_name(2, 2), second.bytes);
  const Error error = open_error(path);
  CHECK(error.code() == ErrorCode::truncated);
  CHECK(mentions(error, part_name(2, 2)));
}

TEST_CASE("counts of 0 and 1 are single files, huge ones are refused at once") {
  const TemporaryFolder folder;
  for (const std::uint16_t count : {std::uint16_t{0}, std::uint16_t{1}}) {
    GgufWriter writer = toy_model_writer();
    writer.set("split.no", std::uint16_t{0}).set("split.count", count);
    CHECK(gguf::open_model(folder.write("single.gguf", writer.build().bytes), true, default_allocator()));
  }
  for (const std::uint64_t count : {std::uint64_t{100000}, ~std::uint64_t{0}}) {
    GgufWriter writer = toy_model_writer();
    writer.set("split.count", count);
    CHECK(open_error(folder.write("many.gguf", writer.build().bytes)).code() == ErrorCode::malformed);
    writer.set("split.no", count - 1);
    CHECK(open_error(folder.write("many.gguf", writer.build().bytes)).code() == ErrorCode::invalid_argument);
  }
  GgufWriter text = toy_model_writer();
  text.set("split.count", "three");
  CHECK(open_error(folder.write("text.gguf", text.build().bytes)).name() == "split.count");
}

TEST_CASE("a split model in memory is refused with words") {
  const GgufImage image = toy_model_writer().split(2)[0].build();
  auto source = gguf::open_memory(image.bytes, default_allocator());
  REQUIRE(source);
  auto model = gguf::open_model(std::move(*source), default_allocator());
  CHECK(model.code() == ErrorCode::invalid_argument);
  CHECK(mentions(model.error(), "part 1 of 2"));
}

TEST_CASE("names of parts are taken apart and made again") {
  gguf::SplitName name;
  REQUIRE(gguf::parse_split_name("dir/m-00002-of-00010.gguf", name));
  CHECK(name.prefix == "dir/m");
  CHECK(name.number == 2);
  CHECK(name.count == 10);
  String path;
  REQUIRE(gguf::make_split_name(name.prefix, 10, 10, path));
  CHECK(path == "dir/m-00010-of-00010.gguf");
  for (const char* bad : {"m.gguf", "-00001-of-00002.ggu", "m-0001-of-00002.gguf", "m-00001-of-0000x.gguf",
                          "m_00001-of-00002.gguf", "m-00001-to-00002.gguf", ""}) {
    CHECK_FALSE(gguf::parse_split_name(bad, name));
  }
}
