// SPDX-License-Identifier: MIT
// Where a model's bytes come from: mapped file, read file, memory, host's reader (M5, M6, M7).
#include "format/source.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "format/parse_bytes.hpp"
#include "support/catch.hpp"
#include "support/process_meter.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_model.hpp"

#if !defined(_WIN32)
#include <sys/stat.h>
#endif

using namespace loquat;
using namespace loquat_test;

namespace {

/// A host's reader over bytes, which can fail from some offset on.
class BytesReader final : public Reader {
 public:
  explicit BytesReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint64_t size() noexcept override { return bytes_.size(); }
  Status read_at(std::uint64_t offset, std::span<std::byte> to) noexcept override {
    if (offset + to.size() > fail_from) return Error(ErrorCode::io, "the pack is damaged");
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), to.size(), to.begin());
    read_to = std::max(read_to, offset + to.size());
    return {};
  }
  std::uint64_t fail_from = ~std::uint64_t{0};
  std::uint64_t read_to = 0;  ///< how far the file was looked at

 private:
  std::span<const std::byte> bytes_;
};

std::vector<std::byte> whole(const gguf::Source& source) {
  std::vector<std::byte> bytes(source.size());
  REQUIRE(source.read(0, bytes));
  return bytes;
}

Error open_error(const std::string& path) {
  auto mapped = gguf::open_model(path, true, default_allocator());
  auto read = gguf::open_model(path, false, default_allocator());
  REQUIRE_FALSE(mapped);
  REQUIRE_FALSE(read);
  CHECK(mapped.error().message() == read.error().message());
  return mapped.error();
}

}  // namespace

TEST_CASE("all four kinds of source give the same bytes and the same description (M6)") {
  const TemporaryFolder folder;
  const GgufImage image = make_toy_model();
  const std::string path = folder.write("toy.gguf", image.bytes);
  BytesReader reader(image.bytes);
  auto mapped = gguf::open_file(path, true, default_allocator());
  auto read = gguf::open_file(path, false, default_allocator());
  auto memory = gguf::open_memory(image.bytes, default_allocator());
  auto hosted = gguf::open_reader(reader, default_allocator());
  for (const auto* source : {&mapped, &read, &memory, &hosted}) {
    REQUIRE(*source);
    CHECK((**source)->size() == image.bytes.size());
    CHECK(whole(***source) == image.bytes);
    auto file = gguf::parse(***source, default_allocator());
    REQUIRE(file);
    CHECK(file->tensors().size() == 21);
    CHECK(file->find_tensor("blk.1.ffn_up.weight")->offset == image.field("data:blk.1.ffn_up.weight").offset);
    CHECK((*file->get_strings("tokenizer.ggml.tokens"))->size() == toy_vocabulary_size(ToyTokenizer::bpe));
  }
  CHECK((*mapped)->name() == path);
  CHECK((*read)->name() == path);
  CHECK((*memory)->name() == "memory");
  CHECK((*hosted)->name() == "reader");
}

TEST_CASE("mapped files and memory are seen in place, others are not") {
  const TemporaryFolder folder;
  const GgufImage image = make_toy_model();
  const std::string path = folder.write("toy.gguf", image.bytes);
  auto mapped = gguf::open_file(path, true, default_allocator());
  auto memory = gguf::open_memory(image.bytes, default_allocator());
  auto read = gguf::open_file(path, false, default_allocator());
  REQUIRE(mapped);
  REQUIRE(memory);
  REQUIRE(read);
  CHECK((*mapped)->view(100, 50).size() == 50);
  CHECK((*memory)->view(100, 50).data() == image.bytes.data() + 100);
  CHECK((*read)->view(100, 50).empty());
}

TEST_CASE("discarded pages of a mapped file read the same afterwards") {
  const TemporaryFolder folder;
  const GgufImage image = make_toy_model();
  auto mapped = gguf::open_file(folder.write("toy.gguf", image.bytes), true, default_allocator());
  REQUIRE(mapped);
  CHECK(whole(**mapped) == image.bytes);
  (*mapped)->discard(100, 3);
  (*mapped)->discard(1, image.bytes.size() - 1);
  (*mapped)->discard(0, image.bytes.size());
  CHECK(whole(**mapped) == image.bytes);
}

TEST_CASE("only the header of a file is looked at (F3)") {
  const GgufImage image = make_toy_model(toy_k_quant_options(TensorType::f32));
  BytesReader reader(image.bytes);
  auto source = gguf::open_reader(reader, default_allocator());
  REQUIRE(source);
  REQUIRE(gguf::open_model(std::move(*source), default_allocator()));
  CHECK(reader.read_to <= 2 * std::max<std::uint64_t>(image.header_bytes, 64 * 1024));
  CHECK(reader.read_to < image.bytes.size() / 4);
}

TEST_CASE("a reader's failure comes through with its code, its words and the place") {
  const GgufImage image = make_toy_model();
  BytesReader reader(image.bytes);
  reader.fail_from = 1000;
  auto source = gguf::open_reader(reader, default_allocator());
  REQUIRE(source);
  auto model = gguf::open_model(std::move(*source), default_allocator());
  CHECK(model.code() == ErrorCode::io);
  CHECK(model.error().message().find("the pack is damaged") != std::string_view::npos);
  CHECK(model.error().offset() == 0);
}

TEST_CASE("missing file, directory, empty file, device and odd paths each have their own words") {
  const TemporaryFolder folder;
  const Error missing = open_error(folder.file("missing.gguf"));
  CHECK(missing.code() == ErrorCode::io);
  CHECK(missing.message().find("No such file") != std::string_view::npos);
  const Error directory = open_error(folder.file("."));
  CHECK(directory.code() == ErrorCode::io);
  CHECK(directory.message().find("is a directory") != std::string_view::npos);
  const Error empty = open_error(folder.write("empty.gguf", {}));
  CHECK(empty.code() == ErrorCode::truncated);
  CHECK(empty.message().find("is empty") != std::string_view::npos);
  CHECK(open_error("").code() == ErrorCode::invalid_argument);
  CHECK(open_error(std::string("a\0b", 3)).code() == ErrorCode::invalid_argument);
  CHECK(open_error(std::string(5000, 'x')).code() == ErrorCode::io);
  CHECK(open_error(std::string(100000, 'x')).code() == ErrorCode::invalid_argument);
#if !defined(_WIN32)
  const Error device = open_error("/dev/null");
  CHECK(device.code() == ErrorCode::io);
  CHECK(device.message().find("not a regular file") != std::string_view::npos);
  const std::string pipe = folder.file("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(open_error(pipe).message().find("not a regular file") != std::string_view::npos);
#endif
  CHECK(gguf::open_memory({}, default_allocator()).code() == ErrorCode::truncated);
}

TEST_CASE("the reason stays readable after a very long path") {
  const std::string path = "/" + std::string(200, 'd') + "/" + std::string(200, 'e') + "/the-end.gguf";
  const Error error = open_error(path);
  CHECK(error.message().find("the-end.gguf': No such file") != std::string_view::npos);
}

TEST_CASE("paths are UTF-8 (M5)") {
  const TemporaryFolder folder;
  const GgufImage image = make_toy_model();
  const std::string path = folder.write("mod\xC3\xA8le \xE6\xA8\xA1\xE5\x9E\x8B.gguf", image.bytes);
  for (const bool use_mmap : {true, false}) CHECK(gguf::open_model(path, use_mmap, default_allocator()));
}

TEST_CASE("a mapped file keeps no handle open, a read one gives it back, a failed one too (M1, M7)") {
  const TemporaryFolder folder;
  const GgufImage image = make_toy_model();
  const std::string good = folder.write("toy.gguf", image.bytes);
  const std::string bad = folder.write("cut.gguf", std::span(image.bytes).first(5000));
  const std::size_t before = n_open_files();
  {
    auto mapped = gguf::open_model(good, true, default_allocator());
    REQUIRE(mapped);
    CHECK(n_open_files() == before);
    std::filesystem::remove(good);
    CHECK(whole(*mapped->parts[0]) == image.bytes);
  }
  folder.write("toy.gguf", image.bytes);
  for (int i = 0; i < 100; ++i) {
    CHECK(gguf::open_model(good, i % 2 == 0, default_allocator()));
    CHECK_FALSE(gguf::open_model(bad, i % 2 == 0, default_allocator()));
  }
  CHECK(n_open_files() == before);
}

TEST_CASE("a file that shrinks after it was opened for reading is truncated, not endless") {
  const TemporaryFolder folder;
  const GgufImage image = make_toy_model();
  const std::string path = folder.write("toy.gguf", image.bytes);
  auto source = gguf::open_file(path, false, default_allocator());
  REQUIRE(source);
  std::filesystem::resize_file(path, 100);
  std::vector<std::byte> bytes(image.bytes.size());
  CHECK((*source)->read(0, bytes).code() == ErrorCode::truncated);
}
