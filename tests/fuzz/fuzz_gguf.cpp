// SPDX-License-Identifier: MIT
// Any bytes as a GGUF file (F8): refused with words, or described truthfully. Memory and reader sources must agree.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

#include "format/source.hpp"
#include "fuzz/fuzz_target.hpp"

using namespace loquat;

namespace {

class BytesReader final : public Reader {
 public:
  explicit BytesReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint64_t size() noexcept override { return bytes_.size(); }
  Status read_at(std::uint64_t offset, std::span<std::byte> to) noexcept override {
    LOQUAT_FUZZ_CHECK(offset <= bytes_.size() && to.size() <= bytes_.size() - offset);
    std::memcpy(to.data(), bytes_.data() + offset, to.size());
    return {};
  }

 private:
  std::span<const std::byte> bytes_;
};

/// Touches every byte that a value claims to have.
unsigned touch(const gguf::Value& value) {
  unsigned sum = 0;
  for (std::uint64_t i = 0; i < value.bytes; ++i) sum += static_cast<unsigned>(value.data[i]);
  return sum;
}

void look_up(const gguf::Description& file, const gguf::MetadataEntry& entry) {
  LOQUAT_FUZZ_CHECK(file.find(entry.key) == &entry.value);
  static_cast<void>(file.get_unsigned(entry.key));
  static_cast<void>(file.get_integer(entry.key));
  static_cast<void>(file.get_number(entry.key));
  static_cast<void>(file.get_bool(entry.key));
  static_cast<void>(file.get_string(entry.key));
  auto strings = file.get_strings(entry.key);
  if (strings && strings->has_value() && (*strings)->size() > 0) {
    auto text = (*strings)->begin();
    std::size_t total = (*text).size();
    for (std::uint64_t i = 1; i < (*strings)->size(); ++i) total += (*++text).size();
    LOQUAT_FUZZ_CHECK(total + 8 * (*strings)->size() == entry.value.bytes);
  }
  std::int64_t whole = 0;
  double number = 0;
  for (const std::uint64_t i : {std::uint64_t{0}, entry.value.count - 1, entry.value.count}) {
    static_cast<void>(gguf::Description::element_as_integer(entry.value, i, whole));
    static_cast<void>(gguf::Description::element_as_number(entry.value, i, number));
  }
}

/// Gives back the sum of all bytes that the metadata claims.
unsigned check_truth(const gguf::Description& file, std::size_t size) {
  unsigned sum = 0;
  for (const gguf::MetadataEntry& entry : file.metadata()) {
    sum += touch(entry.value);
    look_up(file, entry);
  }
  for (const gguf::TensorInfo& tensor : file.tensors()) {
    LOQUAT_FUZZ_CHECK(tensor.offset <= size && tensor.bytes <= size - tensor.offset && tensor.bytes > 0);
    LOQUAT_FUZZ_CHECK(tensor.bytes == row_bytes(tensor.type, tensor.shape[0]) * tensor.rows());
    LOQUAT_FUZZ_CHECK(file.find_tensor(tensor.name) == &tensor);
    LOQUAT_FUZZ_CHECK(tensor.offset % 8 == 0);
  }
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  auto memory = gguf::open_memory(bytes, default_allocator());
  LOQUAT_FUZZ_CHECK(static_cast<bool>(memory) == (size > 0));
  if (!memory) return 0;
  auto file = gguf::parse(**memory, default_allocator());
  BytesReader reader(bytes);
  auto hosted = gguf::open_reader(reader, default_allocator());
  auto same = gguf::parse(**hosted, default_allocator());
  LOQUAT_FUZZ_CHECK(file.code() == same.code());
  if (file) {
    LOQUAT_FUZZ_CHECK(check_truth(*file, size) == check_truth(*same, size));
  } else {
    LOQUAT_FUZZ_CHECK(file.error().message() == same.error().message() && !file.error().message().empty());
  }
  return 0;
}
