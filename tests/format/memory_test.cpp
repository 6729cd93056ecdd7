// SPDX-License-Identifier: MIT
// Memory and time of parsing (F1, F2), and running out of memory at every point (M3).
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "format/parse_bytes.hpp"
#include "support/catch.hpp"
#include "support/fail_nth_allocator.hpp"
#include "support/process_meter.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_model.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

class BytesReader final : public Reader {
 public:
  explicit BytesReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint64_t size() noexcept override { return bytes_.size(); }
  Status read_at(std::uint64_t offset, std::span<std::byte> to) noexcept override {
    std::memcpy(to.data(), bytes_.data() + offset, to.size());
    return {};
  }

 private:
  std::span<const std::byte> bytes_;
};

Result<gguf::ModelFile> open_by_reader(Reader& reader, Allocator& allocator) {
  auto source = gguf::open_reader(reader, allocator);
  if (!source) return source.error();
  return gguf::open_model(std::move(*source), allocator);
}

std::string numbered(const char* text, std::size_t i) {
  std::string name = text;
  name += std::to_string(i);
  return name;
}

double seconds_to_parse(const Bytes& bytes) {
  const CpuMeter meter;
  const auto result = parse_bytes(bytes);
  const std::chrono::duration<double> used = meter.used();
  REQUIRE(result);
  return used.count();
}

}  // namespace

TEST_CASE("lengths and counts from a file never decide an allocation (F1, F2)") {
  constexpr std::size_t kMargin = 64 * 1024;
  GgufImage image = make_toy_model({.layers = 1, .chat_template = ""});
  image.truncate(image.data_start);  // all of it is header, none of it is accepted
  const std::uint64_t values[] = {image.bytes.size(), std::uint64_t{1} << 32, std::uint64_t{1} << 48,
                                  std::uint64_t{1} << 62, std::numeric_limits<std::uint64_t>::max()};
  for (const auto& [name, field] : image.fields) {
    if (field.bytes != 8 || name.starts_with("data:")) continue;
    const auto before = load<std::uint64_t>(image.bytes.data() + field.offset);
    for (const std::uint64_t value : values) {
      image.put(field.offset, &value, sizeof value);
      FailNthAllocator allocator;
      BytesReader reader(image.bytes);
      CHECK_FALSE(parse_bytes(image.bytes, allocator));
      CHECK_FALSE(open_by_reader(reader, allocator));
      if (allocator.peak_bytes() > image.bytes.size() + kMargin) FAIL(name << ": " << allocator.peak_bytes());
      CHECK(allocator.live_bytes() == 0);
    }
    image.put(field.offset, &before, sizeof before);
  }
}

TEST_CASE("memory of a description is the header and its tables, nothing for the data") {
  FailNthAllocator allocator;
  const GgufImage image = make_toy_model(toy_k_quant_options(TensorType::f32));
  auto file = parse_bytes(image.bytes, allocator);
  REQUIRE(file);
  CHECK(file->memory() == allocator.live_bytes());
  CHECK(file->memory() < image.header_bytes + 16 * 1024);
  CHECK(allocator.live_bytes(MemoryTag::metadata) == allocator.live_bytes());
}

TEST_CASE("running out of memory at any point is an error and leaves nothing behind (M3)") {
  const TemporaryFolder folder;
  const std::vector<GgufWriter> parts = toy_model_writer().split(2);
  const std::string path = folder.write("toy-00001-of-00002.gguf", parts[0].build().bytes);
  folder.write("toy-00002-of-00002.gguf", parts[1].build().bytes);
  const GgufImage whole = make_toy_model();
  BytesReader reader(whole.bytes);
  for (const int way : {0, 1, 2}) {
    FailNthAllocator allocator;
    std::size_t n = 1;
    for (; n < 1000; ++n) {
      allocator.fail_nth(n);
      {
        auto model = way == 2 ? open_by_reader(reader, allocator) : gguf::open_model(path, way == 0, allocator);
        if (allocator.n_failed() == 0) {
          CHECK(model);
          break;
        }
        CHECK(model.code() == ErrorCode::out_of_memory);
        CHECK(model.error().message().find("out of memory") != std::string_view::npos);
      }
      CHECK(allocator.live_bytes() == 0);
    }
    CHECK(n > 5);
    CHECK(n < 1000);
    CHECK(allocator.n_misused() == 0);
  }
}

TEST_CASE("time to parse grows with the bytes, not with their square (F2)") {
  const auto file_of = [](std::size_t n) {
    GgufWriter writer;
    for (std::size_t i = 0; i < n; ++i) writer.add_duplicate(numbered("key.", i * 7919 % n), 0, Bytes(1));
    writer.set_array("strings", std::vector<std::string>(n * 10));
    for (std::size_t i = 0; i < n; ++i) writer.add_tensor(numbered("t", i), TensorType::f16, {1});
    return writer.build().bytes;
  };
  const Bytes small = file_of(1000);
  const Bytes large = file_of(16000);
  double small_time = 1e9;
  double large_time = 1e9;
  for (int i = 0; i < 5; ++i) {
    small_time = std::min(small_time, seconds_to_parse(small));
    large_time = std::min(large_time, seconds_to_parse(large));
  }
  // Sixteen times the bytes, sorted: about 22 times the time with the caches' help lost. A square would take 256 times.
  CHECK(large_time < 80 * small_time);
}
