// SPDX-License-Identifier: MIT
// Writes GGUF files in memory: good ones, and ones that are wrong in exactly one field.
//
//   GgufWriter writer;
//   writer.set("general.architecture", "llama").set("llama.block_count", std::uint32_t{2});
//   writer.add_tensor("token_embd.weight", TensorType::q4_0, {64, 288});   // random valid blocks
//   GgufImage image = writer.build();
//   image.put_u64("tensor:token_embd.weight:dimension1", 0);               // break it
//   parse(image.bytes)
#ifndef LOQUAT_TESTS_SUPPORT_GGUF_WRITER_HPP
#define LOQUAT_TESTS_SUPPORT_GGUF_WRITER_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "format/gguf.hpp"
#include "quant/tensor_type.hpp"

namespace loquat_test {

using Bytes = std::vector<std::byte>;

/// Where a field of a written file is.
struct GgufField {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

/// A written file with the place of every field. Names of fields:
///   magic, version, tensor_count, metadata_count
///   key:K:length  key:K:text  key:K:type  key:K:value        K a metadata key
///   key:K:string_length (strings)   key:K:element_type  key:K:count (arrays)
///   tensor:N:length  tensor:N:name  tensor:N:dimensions  tensor:N:dimension0..3  tensor:N:type  tensor:N:offset
///   data:N                                                   N a tensor's name
struct GgufImage {
  Bytes bytes;
  std::map<std::string, GgufField> fields;
  std::size_t header_bytes = 0;  ///< up to the end of the last tensor description
  std::size_t data_start = 0;    ///< header_bytes rounded up to the alignment

  /// Throws std::out_of_range on a name that is not there.
  const GgufField& field(const std::string& name) const { return fields.at(name); }
  void put_u32(const std::string& name, std::uint32_t value) { put(field(name).offset, &value, sizeof value); }
  void put_u64(const std::string& name, std::uint64_t value) { put(field(name).offset, &value, sizeof value); }
  void put(std::size_t offset, const void* from, std::size_t n) { std::memcpy(bytes.data() + offset, from, n); }
  void truncate(std::size_t n) { bytes.resize(n); }
  void flip(std::size_t offset, unsigned bit) { bytes[offset] ^= static_cast<std::byte>(1u << bit); }
};

class GgufWriter {
 public:
  /// Sets a metadata value; one that is there already is replaced in place. T is the file's type: the sized integers,
  /// float, double, bool, or text.
  template <class T>
  GgufWriter& set(const std::string& key, const T& value) {
    if constexpr (std::is_convertible_v<T, std::string_view>) {
      return set_raw(key, type_number<std::string>(), string_bytes(value));
    } else {
      return set_raw(key, type_number<T>(), value_bytes(value));
    }
  }
  template <class T>
  GgufWriter& set_array(const std::string& key, const std::vector<T>& values) {
    Bytes payload;
    for (const auto& value : values) append(payload, element_bytes<T>(value));
    return set_raw_array(key, type_number<T>(), values.size(), payload);
  }
  /// Any type number with any payload.
  GgufWriter& set_raw(const std::string& key, std::uint32_t type, Bytes payload);
  GgufWriter& set_raw_array(const std::string& key, std::uint32_t element_type, std::uint64_t count,
                            const Bytes& elements);
  /// Adds an entry even if its key is there.
  GgufWriter& add_duplicate(const std::string& key, std::uint32_t type, Bytes payload);
  GgufWriter& erase(const std::string& key);
  bool has(const std::string& key) const;

  /// shape: fastest dimension first. Throws std::invalid_argument where the row is no whole number of blocks.
  GgufWriter& add_tensor(const std::string& name, loquat::TensorType type, std::vector<std::uint64_t> shape,
                         Bytes data);
  /// Random valid blocks with finite values of about this root mean square, the same for the same name and seed.
  GgufWriter& add_tensor(const std::string& name, loquat::TensorType type, std::vector<std::uint64_t> shape,
                         float magnitude = 0.1f, std::uint64_t seed = 0);
  GgufWriter& erase_tensor(const std::string& name);
  /// The data of a tensor, to change it. Throws std::out_of_range.
  Bytes& tensor_data(const std::string& name);
  std::size_t tensors() const { return tensors_.size(); }

  GgufWriter& version(std::uint32_t number);
  /// Sets general.alignment too.
  GgufWriter& alignment(std::uint32_t bytes);

  GgufImage build() const;
  /// The files of a split model, as gguf-split makes them: all metadata in the first, tensors shared out in order.
  std::vector<GgufWriter> split(std::size_t n_parts) const;

 private:
  struct Entry {
    std::string key;
    std::uint32_t type = 0;
    Bytes payload;
  };
  struct Tensor {
    std::string name;
    loquat::TensorType type = loquat::TensorType::f32;
    std::vector<std::uint64_t> shape;
    Bytes data;
  };

  template <class T>
  static constexpr std::uint32_t type_number() {
    using loquat::gguf::ValueType;
    ValueType type = ValueType::string;
    if constexpr (std::is_same_v<T, std::uint8_t>) type = ValueType::u8;
    if constexpr (std::is_same_v<T, std::int8_t>) type = ValueType::i8;
    if constexpr (std::is_same_v<T, std::uint16_t>) type = ValueType::u16;
    if constexpr (std::is_same_v<T, std::int16_t>) type = ValueType::i16;
    if constexpr (std::is_same_v<T, std::uint32_t>) type = ValueType::u32;
    if constexpr (std::is_same_v<T, std::int32_t>) type = ValueType::i32;
    if constexpr (std::is_same_v<T, std::uint64_t>) type = ValueType::u64;
    if constexpr (std::is_same_v<T, std::int64_t>) type = ValueType::i64;
    if constexpr (std::is_same_v<T, float>) type = ValueType::f32;
    if constexpr (std::is_same_v<T, double>) type = ValueType::f64;
    if constexpr (std::is_same_v<T, bool>) type = ValueType::boolean;
    return static_cast<std::uint32_t>(type);
  }
  template <class T>
  static Bytes value_bytes(const T& value) {
    Bytes bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }
  template <class T>
  static Bytes element_bytes(const T& value) {
    if constexpr (std::is_convertible_v<T, std::string_view>) {
      return string_bytes(value);
    } else {
      return value_bytes(value);
    }
  }
  static Bytes string_bytes(std::string_view text);
  static void append(Bytes& to, std::span<const std::byte> from);
  void write_entry(GgufImage& image, const Entry& entry) const;
  void write_tensor(GgufImage& image, const Tensor& tensor, std::uint64_t offset) const;

  std::vector<Entry> entries_;
  std::vector<Tensor> tensors_;
  std::uint32_t version_ = 3;
  std::uint32_t alignment_ = 32;
};

/// Rows of random blocks of a computable type: any codes, scales such that values have about this root mean square.
Bytes random_blocks(loquat::TensorType type, std::size_t values, float magnitude, std::uint64_t seed);

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SUPPORT_GGUF_WRITER_HPP
