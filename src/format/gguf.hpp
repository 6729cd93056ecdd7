// SPDX-License-Identifier: MIT
// GGUF files, versions 2 and 3, little-endian: header bytes in, description out. Never allocates by a number from the
// file, never touches tensor data (promises F1-F8). docs/formats.md has the drawing.
#ifndef LOQUAT_FORMAT_GGUF_HPP
#define LOQUAT_FORMAT_GGUF_HPP

#include <loquat/array.hpp>
#include <loquat/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "quant/tensor_type.hpp"

namespace loquat::inline LOQUAT_ABI::gguf {

enum class ValueType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };
const char* to_string(ValueType type) noexcept;

/// One metadata value, a view into the header bytes.
struct Value {
  ValueType type = ValueType::u8;
  ValueType element_type = ValueType::u8;  ///< of an array
  std::uint64_t count = 1;                 ///< elements of an array
  const std::byte* data = nullptr;         ///< little-endian payload: the number, the characters, or the elements
  std::uint64_t bytes = 0;                 ///< of the payload
  std::uint64_t offset = 0;                ///< of the payload in the file, for error texts
};

struct MetadataEntry {
  std::string_view key;
  Value value;
};

struct TensorInfo {
  std::string_view name;
  TensorType type = TensorType::f32;
  std::uint32_t n_dimensions = 1;
  std::uint64_t shape[4] = {1, 1, 1, 1};  ///< fastest first: shape[0] values a row, shape[1] rows
  std::uint64_t offset = 0;               ///< absolute in its part
  std::uint64_t bytes = 0;
  std::uint32_t part = 0;  ///< which file of a split model

  std::uint64_t rows() const noexcept { return shape[1] * shape[2] * shape[3]; }
  std::uint64_t values() const noexcept { return shape[0] * rows(); }
};

/// Walks a string array without allocating: `StringArray::Iterator` gives std::string_view.
class StringArray {
 public:
  StringArray() noexcept = default;
  explicit StringArray(const Value& value) noexcept : data_(value.data), count_(value.count) {}
  std::uint64_t size() const noexcept { return count_; }

  class Iterator {
   public:
    explicit Iterator(const std::byte* at) noexcept : at_(at) {}
    std::string_view operator*() const noexcept;
    Iterator& operator++() noexcept;

   private:
    const std::byte* at_;
  };
  /// The first element; advance at most size() - 1 times.
  Iterator begin() const noexcept { return Iterator(data_); }

 private:
  const std::byte* data_ = nullptr;
  std::uint64_t count_ = 0;
};

/// What a GGUF header says, fully checked: types known, strings and arrays inside the file, tensor ranges inside their part,
/// aligned, not overlapping, names unique. Owns a copy of the header bytes; all views point into it.
class Description {
 public:
  explicit Description(Allocator& allocator) noexcept;
  Description(Description&&) noexcept = default;
  Description& operator=(Description&&) noexcept = default;

  std::uint32_t version() const noexcept { return version_; }
  std::span<const MetadataEntry> metadata() const noexcept { return metadata_; }
  std::span<const TensorInfo> tensors() const noexcept { return tensors_; }

  /// O(log n) or better. Null when absent.
  const Value* find(std::string_view key) const noexcept;
  const TensorInfo* find_tensor(std::string_view name) const noexcept;

  // Typed look-ups. nullopt: absent. Error malformed (key, type found, type expected): present with another kind.
  // Numbers convert between widths where the value fits.
  Result<std::optional<std::uint64_t>> get_unsigned(std::string_view key) const noexcept;
  Result<std::optional<std::int64_t>> get_integer(std::string_view key) const noexcept;
  Result<std::optional<double>> get_number(std::string_view key) const noexcept;
  Result<std::optional<bool>> get_bool(std::string_view key) const noexcept;
  Result<std::optional<std::string_view>> get_string(std::string_view key) const noexcept;
  Result<std::optional<StringArray>> get_strings(std::string_view key) const noexcept;
  /// Elements of a numeric array converted one by one; false when i is outside or the element does not fit.
  static bool element_as_integer(const Value& array, std::uint64_t i, std::int64_t& value) noexcept;
  static bool element_as_number(const Value& array, std::uint64_t i, double& value) noexcept;

  std::uint32_t parts() const noexcept { return parts_; }
  std::size_t memory() const noexcept;

 private:
  friend class Parser;
  Array<Array<std::byte>> headers_;  ///< one a part; moved, never resized after parsing
  Array<MetadataEntry> metadata_;    ///< sorted by key
  Array<TensorInfo> tensors_;        ///< in file order
  Array<std::uint32_t> by_name_;     ///< indices of tensors_, sorted by name
  std::uint32_t version_ = 0;
  std::uint32_t parts_ = 1;
};

/// Bytes of one file of a model, wherever they are.
///
/// Threads   view() and read() from any thread
class Source {
 public:
  virtual ~Source() = default;
  virtual std::uint64_t size() const noexcept = 0;
  /// The bytes in place, or an empty span where this source has to be read. Range inside size().
  virtual std::span<const std::byte> view(std::uint64_t offset, std::uint64_t bytes) const noexcept = 0;
  /// Copies. Range inside size().
  virtual Status read(std::uint64_t offset, std::span<std::byte> to) const noexcept = 0;
  /// Tells a mapped source that a range will not be used again, so that its pages leave memory (promise M9).
  virtual void discard(std::uint64_t, std::uint64_t) const noexcept {}
  virtual std::string_view name() const noexcept = 0;  ///< path, "memory" or "reader"
};

/// Parses the header of one complete file.
///
/// Errors    not_gguf, truncated, malformed, unsupported_version, unsupported_type, out_of_memory; each with offset and name
/// Cost      O(header) time and memory; allocations never exceed the bytes present
Result<Description> parse(const Source& source, Allocator& allocator) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::gguf

#endif  // LOQUAT_FORMAT_GGUF_HPP
