// SPDX-License-Identifier: MIT
// Loading: three kinds of sources, progress and cancel, failing memory, and nothing left behind.
#include <loquat/model.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "models/pass_runner.hpp"
#include "support/catch.hpp"
#include "support/fail_nth_allocator.hpp"
#include "support/process_meter.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_model.hpp"

namespace loquat_test {

namespace {

using loquat::ErrorCode;
using loquat::LoadOptions;
using loquat::Model;
using loquat::Next;
using loquat::WeightLayout;

/// A pak file: hands out the bytes, and stops doing so after a number of reads.
class PakReader final : public loquat::Reader {
 public:
  explicit PakReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint64_t size() noexcept override { return bytes_.size(); }
  loquat::Status read_at(std::uint64_t offset, std::span<std::byte> to) noexcept override {
    ++n_reads;
    if (n_reads > fail_after) return loquat::Error(ErrorCode::truncated, "the pak ends here");
    if (offset > bytes_.size() || to.size() > bytes_.size() - offset) is_outside = true;
    if (is_outside) return loquat::Error(ErrorCode::io, "asked for bytes that are not there");
    std::memcpy(to.data(), bytes_.data() + offset, to.size());
    return {};
  }
  std::size_t n_reads = 0;
  std::size_t fail_after = ~std::size_t{0};
  bool is_outside = false;

 private:
  std::span<const std::byte> bytes_;
};

std::uint64_t bits_of(const loquat::Result<Model>& model) {
  INFO((model ? "" : model.error().message()));
  REQUIRE(model);
  return fingerprint(run_tokens(*model, some_tokens(9, model->info().vocabulary)));
}

/// Types of every size of block, panels that end in the middle, and an embedding of several pieces of 1 MiB.
GgufImage odd_model() {
  return make_toy_model({.layers = 1,
                         .width = 96,
                         .heads = 3,
                         .kv_heads = 1,
                         .head_width = 32,
                         .ffn_width = 160,
                         .type = loquat::TensorType::q4_1,
                         .types = {{"ffn_down", loquat::TensorType::q8_0},
                                   {"ffn_up", loquat::TensorType::iq4_nl},
                                   {"attn_v", loquat::TensorType::f16},
                                   {"token_embd", loquat::TensorType::q5_0},
                                   {"output", loquat::TensorType::f32}},
                         .extra_rows = 6001});
}

}  // namespace

TEST_CASE("path, memory and reader give equal logits in either layout, mapped or read (M6, M7)") {
  const GgufImage file = odd_model();
  const TemporaryFolder folder;
  const std::string path = folder.write("toy.gguf", file.bytes);
  const std::uint64_t expected = bits_of(Model::load(file.bytes));
  for (const auto layout : {WeightLayout::packed, WeightLayout::file}) {
    for (const bool use_mmap : {true, false}) {
      CHECK(bits_of(Model::load(path, {.use_mmap = use_mmap, .layout = layout})) == expected);
    }
    PakReader reader(file.bytes);
    CHECK(bits_of(Model::load(reader, {.layout = layout})) == expected);
    CHECK_FALSE(reader.is_outside);
    for (const std::size_t shift : {0, 1, 2, 4, 8, 16, 32}) {  // memory of any alignment
      std::vector<std::byte> shifted(file.bytes.size() + 64);
      std::byte* start = shifted.data() + shift;
      std::memcpy(start, file.bytes.data(), file.bytes.size());
      CHECK(bits_of(Model::load({start, file.bytes.size()}, {.layout = layout})) == expected);
    }
  }
}

TEST_CASE("files with another alignment of tensors load in either layout") {
  for (const std::uint32_t alignment : {8u, 64u, 4096u}) {
    GgufWriter writer = toy_model_writer({.type = loquat::TensorType::q4_0});
    const GgufImage usual = writer.build();
    const GgufImage file = writer.alignment(alignment).build();
    for (const auto layout : {WeightLayout::packed, WeightLayout::file}) {
      CHECK(bits_of(Model::load(file.bytes, {.layout = layout})) == bits_of(Model::load(usual.bytes)));
    }
  }
}

TEST_CASE("packed weights do not need the bytes after loading (M7)") {
  GgufImage file = odd_model();
  const loquat::Result<Model> model = Model::load(file.bytes);
  const std::uint64_t expected = bits_of(model);
  std::memset(file.bytes.data(), 0xFF, file.bytes.size());
  CHECK(bits_of(model) == expected);
}

TEST_CASE("with the file's layout, aligned memory is used in place (M6)") {
  const GgufImage file = make_toy_model();
  std::vector<std::byte> moved(file.bytes.size() + 128);
  const std::size_t to_aligned = 64 - reinterpret_cast<std::uintptr_t>(moved.data()) % 64;
  for (const bool is_aligned : {true, false}) {
    std::byte* start = moved.data() + to_aligned + (is_aligned ? 0 : 4);
    std::memcpy(start, file.bytes.data(), file.bytes.size());
    FailNthAllocator allocator;
    const auto model =
        Model::load({start, file.bytes.size()},
                    {.host = {.allocator = &allocator}, .layout = WeightLayout::file, .threads = {.count = 1}});
    REQUIRE(model);
    CHECK((allocator.live_bytes(loquat::MemoryTag::weights) == 0) == is_aligned);
  }
}

TEST_CASE("split models load from their first part and give the bits of the whole") {
  const GgufWriter whole = toy_model_writer({.type = loquat::TensorType::q4_0});
  const GgufImage file = whole.build();
  const TemporaryFolder folder;
  const std::vector<GgufWriter> parts = whole.split(3);
  std::string first;
  for (std::size_t i = parts.size(); i-- > 0;) {
    first = folder.write("toy-0000" + std::to_string(i + 1) + "-of-00003.gguf", parts[i].build().bytes);
  }
  for (const auto layout : {WeightLayout::packed, WeightLayout::file}) {
    for (const bool use_mmap : {true, false}) {
      const auto model = Model::load(first, {.use_mmap = use_mmap, .layout = layout});
      CHECK(bits_of(model) == bits_of(Model::load(file.bytes)));
    }
  }
}

TEST_CASE("files that are missing, folders, empty or foreign are told apart (F7)") {
  const TemporaryFolder folder;
  CHECK(Model::load((folder.path() / "absent.gguf").string()).code() == ErrorCode::io);
  CHECK(Model::load(folder.path().string()).code() == ErrorCode::io);
  CHECK(Model::load(folder.write("empty.gguf", {})).code() == ErrorCode::truncated);
  const std::string text = "this is no model, but a letter to somebody";
  const std::string letter = folder.write("letter.gguf", std::as_bytes(std::span(text.data(), text.size())));
  CHECK(Model::load(letter).code() == ErrorCode::not_gguf);
}

TEST_CASE("a file cut anywhere is refused (F3)") {
  const GgufImage file = make_toy_model({.layers = 1});
  std::size_t n_wrong = 0;
  const auto check = [&](std::size_t n) {
    const auto result = Model::load(std::span(file.bytes).first(n), {.threads = {.count = 1}});
    const bool is_named = result.code() == ErrorCode::truncated || result.code() == ErrorCode::malformed;
    if (result || !is_named) ++n_wrong;
  };
  for (std::size_t n = 0; n < file.header_bytes; n += 7) check(n);
  for (std::size_t n = file.header_bytes; n < file.bytes.size(); n += 997) check(n);
  check(file.bytes.size() - 1);
  CHECK(n_wrong == 0);
}

TEST_CASE("a reader that fails at any of its reads ends the load with its error (C4)") {
  const GgufImage file = odd_model();
  PakReader good(file.bytes);
  REQUIRE(Model::load(good));
  FailNthAllocator allocator;
  for (std::size_t n = 0; n < good.n_reads; ++n) {
    PakReader reader(file.bytes);
    reader.fail_after = n;
    const auto result = Model::load(reader, {.host = {.allocator = &allocator}, .threads = {.count = 1}});
    CHECK(result.code() == ErrorCode::truncated);
    CHECK(allocator.live_blocks() == 0);
  }
}

TEST_CASE("progress begins at 0, never falls, and says 1 once, last (C4)") {
  const GgufImage file = odd_model();
  for (const auto layout : {WeightLayout::packed, WeightLayout::file}) {
    std::vector<float> shares;
    const auto note = [&](float share) { shares.push_back(share); };
    REQUIRE(Model::load(file.bytes, {.layout = layout, .progress = note}));
    REQUIRE(shares.size() > 10);
    CHECK(shares.front() == 0);
    CHECK(shares.back() == 1);
    CHECK(std::is_sorted(shares.begin(), shares.end()));
    CHECK(std::count(shares.begin(), shares.end(), 1.0f) == 1);
  }
}

TEST_CASE("a load that is stopped at any point frees everything (C4)") {
  const GgufImage file = odd_model();
  std::size_t n_calls = 0;
  REQUIRE(Model::load(file.bytes, {.progress = [&](float) { ++n_calls; }}));
  FailNthAllocator allocator;
  for (std::size_t stop_at = 0; stop_at < n_calls; ++stop_at) {
    std::size_t call = 0;
    const auto stop_there = [&](float) { return call++ == stop_at ? Next::stop : Next::proceed; };
    const auto result = Model::load(file.bytes, {.host = {.allocator = &allocator}, .progress = stop_there});
    CHECK(result.code() == ErrorCode::cancelled);
    CHECK(call == stop_at + 1);
    CHECK(allocator.live_blocks() == 0);
  }
}

TEST_CASE("a stop token ends a load, before or while it runs (C1, C4)") {
  const GgufImage file = odd_model();
  FailNthAllocator allocator;
  loquat::StopToken stop;
  LoadOptions options{.host = {.allocator = &allocator}, .stop_token = stop};
  stop.request();
  CHECK(Model::load(file.bytes, options).code() == ErrorCode::cancelled);
  stop.reset();
  const auto request_soon = [&](float share) {
    if (share > 0.3f) stop.request();
  };
  options.progress = request_soon;
  CHECK(Model::load(file.bytes, options).code() == ErrorCode::cancelled);
  CHECK(allocator.live_blocks() == 0);
}

TEST_CASE("a progress callback that throws or fails ends the load as callback_failed (A3)") {
  const GgufImage file = make_toy_model();
  CHECK(Model::load(file.bytes, {.progress = [](float) { return Next::failed; }}).code() == ErrorCode::callback_failed);
  CHECK(Model::load(file.bytes, {.progress = [](float) { throw 1; }}).code() == ErrorCode::callback_failed);
}

TEST_CASE("memory that fails at any point of a load is reported, and all is given back (M3)") {
  const GgufImage file = odd_model();
  for (const auto layout : {WeightLayout::packed, WeightLayout::file}) {
    for (const bool uses_reader : {false, true}) {
      FailNthAllocator allocator;
      for (std::size_t n = 1;; ++n) {
        allocator.fail_nth(n);
        PakReader reader(file.bytes);
        const LoadOptions options{.host = {.allocator = &allocator}, .layout = layout, .threads = {.count = 2}};
        const auto result = uses_reader ? Model::load(reader, options) : Model::load(file.bytes, options);
        if (allocator.n_failed() == 0) {
          REQUIRE(result);
          break;
        }
        INFO("allocation " << n << ": " << (result ? "" : result.error().message()));
        REQUIRE(result.code() == ErrorCode::out_of_memory);
        REQUIRE(allocator.live_blocks() == 0);
      }
      CHECK(allocator.live_blocks() == 0);
      CHECK(allocator.n_misused() == 0);
    }
  }
}

TEST_CASE("a host with too little memory is told what it was for (M3)") {
  const GgufImage file = odd_model();
  FailNthAllocator allocator;
  allocator.limit_bytes(file.bytes.size() / 2);
  const auto result = Model::load(file.bytes, {.host = {.allocator = &allocator}, .threads = {.count = 1}});
  CHECK(result.code() == ErrorCode::out_of_memory);
  CHECK(result.error().message().find("weights of tensor") != std::string_view::npos);
  CHECK(allocator.live_blocks() == 0);
}

TEST_CASE("loading never holds both copies of the weights (M9)") {
  const GgufImage file = odd_model();
  const std::size_t margin = 65536;  // lists that are only needed while loading
  for (const bool uses_reader : {false, true}) {
    FailNthAllocator allocator;
    PakReader reader(file.bytes);
    const LoadOptions options{.host = {.allocator = &allocator}, .threads = {.count = 1}};
    const auto model = uses_reader ? Model::load(reader, options) : Model::load(file.bytes, options);
    REQUIRE(model);
    const std::size_t staging = uses_reader ? std::size_t{1} << 20 : 0;
    CHECK(allocator.peak_bytes() < allocator.live_bytes() + staging + margin);
  }
}

TEST_CASE("a hundred loads, good, failing and cancelled, leave memory and handles as they were (M1)") {
  const GgufImage file = make_toy_model();
  const TemporaryFolder folder;
  const std::string path = folder.write("toy.gguf", file.bytes);
  const auto cycle = [&](std::size_t i) {
    const auto layout = i % 2 == 0 ? WeightLayout::packed : WeightLayout::file;
    const auto stop_halfway = [](float share) { return share > 0.5f ? Next::stop : Next::proceed; };
    REQUIRE(Model::load(path, {.use_mmap = i % 3 != 0, .layout = layout, .threads = {.count = 2}}));
    CHECK_FALSE(Model::load(std::span(file.bytes).first(file.bytes.size() - 5)));
    CHECK_FALSE(Model::load(path, {.threads = {.count = 2}, .progress = stop_halfway}));
  };
  for (std::size_t i = 0; i < 3; ++i) cycle(i);
  const std::size_t resident = resident_bytes();
  const std::size_t handles = n_open_files();
  for (std::size_t i = 0; i < 100; ++i) cycle(i);
  CHECK(resident_bytes() < resident + (std::size_t{1} << 20));
  CHECK(n_open_files() == handles);
}

}  // namespace loquat_test
