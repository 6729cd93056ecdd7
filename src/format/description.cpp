// SPDX-License-Identifier: MIT
// Looking things up in a parsed header.
#include <algorithm>
#include <limits>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "format/cursor.hpp"
#include "format/gguf.hpp"
#include "format/header_fields.hpp"

namespace loquat::inline LOQUAT_ABI::gguf {

namespace {

constexpr std::uint64_t kMostSigned = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

/// An integer of any width: magnitude bits and whether it is below zero.
struct Integer {
  std::uint64_t bits = 0;
  bool is_negative = false;
};

template <class T>
Integer widen(const std::byte* from) noexcept {
  const T value = load<T>(from);
  return {static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), value < 0};
}

bool load_integer(ValueType type, const std::byte* from, Integer& value) noexcept {
  switch (type) {
    case ValueType::u8: value = {load<std::uint8_t>(from), false}; return true;
    case ValueType::u16: value = {load<std::uint16_t>(from), false}; return true;
    case ValueType::u32: value = {load<std::uint32_t>(from), false}; return true;
    case ValueType::u64: value = {load<std::uint64_t>(from), false}; return true;
    case ValueType::i8: value = widen<std::int8_t>(from); return true;
    case ValueType::i16: value = widen<std::int16_t>(from); return true;
    case ValueType::i32: value = widen<std::int32_t>(from); return true;
    case ValueType::i64: value = widen<std::int64_t>(from); return true;
    default: return false;
  }
}

bool to_signed(const Integer& integer, std::int64_t& value) noexcept {
  if (!integer.is_negative && integer.bits > kMostSigned) return false;
  value = static_cast<std::int64_t>(integer.bits);
  return true;
}

bool load_number(ValueType type, const std::byte* from, double& value) noexcept {
  if (type == ValueType::f32) {
    value = static_cast<double>(load<float>(from));
    return true;
  }
  if (type == ValueType::f64) {
    value = load<double>(from);
    return true;
  }
  Integer integer;
  if (!load_integer(type, from, integer)) return false;
  value = integer.is_negative ? static_cast<double>(static_cast<std::int64_t>(integer.bits))
                              : static_cast<double>(integer.bits);
  return true;
}

Error wrong_type(std::string_view key, const Value& value, const char* expected) noexcept {
  Error error =
      value.type == ValueType::array
          ? make_error(ErrorCode::malformed, "key '{}' must be {}, file has an array of {} {}", key, expected,
                       value.count, to_string(value.element_type))
          : make_error(ErrorCode::malformed, "key '{}' must be {}, file has {}", key, expected, to_string(value.type));
  return error.with_name(key).with_offset(value.offset);
}

Error out_of_range(std::string_view key, const Value& value, const char* expected, const Integer& found) noexcept {
  Error error = found.is_negative
                    ? make_error(ErrorCode::malformed, "key '{}' must be {}, file says {}", key, expected,
                                 static_cast<std::int64_t>(found.bits))
                    : make_error(ErrorCode::malformed, "key '{}' must be {}, file says {}", key, expected, found.bits);
  return error.with_name(key).with_offset(value.offset);
}

std::string_view text_at(const std::byte* from, std::uint64_t bytes) noexcept {
  return {reinterpret_cast<const char*>(from), static_cast<std::size_t>(bytes)};
}

}  // namespace

const char* to_string(ValueType type) noexcept {
  switch (type) {
    case ValueType::u8: return "u8";
    case ValueType::i8: return "i8";
    case ValueType::u16: return "u16";
    case ValueType::i16: return "i16";
    case ValueType::u32: return "u32";
    case ValueType::i32: return "i32";
    case ValueType::f32: return "f32";
    case ValueType::boolean: return "bool";
    case ValueType::string: return "string";
    case ValueType::array: return "array";
    case ValueType::u64: return "u64";
    case ValueType::i64: return "i64";
    case ValueType::f64: return "f64";
  }
  return "unknown";
}

std::string_view StringArray::Iterator::operator*() const noexcept {
  return text_at(at_ + sizeof(std::uint64_t), load<std::uint64_t>(at_));
}

StringArray::Iterator& StringArray::Iterator::operator++() noexcept {
  at_ += sizeof(std::uint64_t) + load<std::uint64_t>(at_);
  return *this;
}

Description::Description(Allocator& allocator) noexcept
    : headers_(allocator, MemoryTag::metadata),
      metadata_(allocator, MemoryTag::metadata),
      tensors_(allocator, MemoryTag::metadata),
      by_name_(allocator, MemoryTag::metadata) {}

const Value* Description::find(std::string_view key) const noexcept {
  const MetadataEntry* found =
      std::lower_bound(metadata_.begin(), metadata_.end(), key,
                       [](const MetadataEntry& entry, std::string_view wanted) noexcept { return entry.key < wanted; });
  return found != metadata_.end() && found->key == key ? &found->value : nullptr;
}

const TensorInfo* Description::find_tensor(std::string_view name) const noexcept {
  const std::uint32_t* found = std::lower_bound(
      by_name_.begin(), by_name_.end(), name,
      [this](std::uint32_t index, std::string_view wanted) noexcept { return tensors_[index].name < wanted; });
  return found != by_name_.end() && tensors_[*found].name == name ? &tensors_[*found] : nullptr;
}

Result<std::optional<std::uint64_t>> Description::get_unsigned(std::string_view key) const noexcept {
  const Value* value = find(key);
  if (value == nullptr) return std::optional<std::uint64_t>{};
  Integer integer;
  if (!load_integer(value->type, value->data, integer)) return wrong_type(key, *value, "an integer");
  if (integer.is_negative) return out_of_range(key, *value, "0 or more", integer);
  return std::optional<std::uint64_t>{integer.bits};
}

Result<std::optional<std::int64_t>> Description::get_integer(std::string_view key) const noexcept {
  const Value* value = find(key);
  if (value == nullptr) return std::optional<std::int64_t>{};
  Integer integer;
  if (!load_integer(value->type, value->data, integer)) return wrong_type(key, *value, "an integer");
  std::int64_t number = 0;
  if (!to_signed(integer, number)) return out_of_range(key, *value, "below 2^63", integer);
  return std::optional<std::int64_t>{number};
}

Result<std::optional<double>> Description::get_number(std::string_view key) const noexcept {
  const Value* value = find(key);
  if (value == nullptr) return std::optional<double>{};
  double number = 0;
  if (!load_number(value->type, value->data, number)) return wrong_type(key, *value, "a number");
  return std::optional<double>{number};
}

Result<std::optional<bool>> Description::get_bool(std::string_view key) const noexcept {
  const Value* value = find(key);
  if (value == nullptr) return std::optional<bool>{};
  if (value->type != ValueType::boolean) return wrong_type(key, *value, "true or false");
  const auto byte = load<std::uint8_t>(value->data);
  if (byte > 1) return out_of_range(key, *value, "true or false (1 or 0)", Integer{byte, false});
  return std::optional<bool>{byte == 1};
}

Result<std::optional<std::string_view>> Description::get_string(std::string_view key) const noexcept {
  const Value* value = find(key);
  if (value == nullptr) return std::optional<std::string_view>{};
  if (value->type != ValueType::string) return wrong_type(key, *value, "a string");
  return std::optional<std::string_view>{text_at(value->data, value->bytes)};
}

Result<std::optional<StringArray>> Description::get_strings(std::string_view key) const noexcept {
  const Value* value = find(key);
  if (value == nullptr) return std::optional<StringArray>{};
  const bool is_strings = value->type == ValueType::array && value->element_type == ValueType::string;
  if (!is_strings) return wrong_type(key, *value, "an array of strings");
  return std::optional<StringArray>{StringArray(*value)};
}

bool Description::element_as_integer(const Value& array, std::uint64_t i, std::int64_t& value) noexcept {
  if (array.type != ValueType::array || i >= array.count) return false;
  const std::byte* from = array.data + i * fixed_bytes(array.element_type);
  Integer integer;
  if (array.element_type == ValueType::boolean) {
    integer.bits = load<std::uint8_t>(from) != 0 ? 1 : 0;
  } else if (!load_integer(array.element_type, from, integer)) {
    return false;
  }
  return to_signed(integer, value);
}

bool Description::element_as_number(const Value& array, std::uint64_t i, double& value) noexcept {
  if (array.type != ValueType::array || i >= array.count) return false;
  return load_number(array.element_type, array.data + i * fixed_bytes(array.element_type), value);
}

std::size_t Description::memory() const noexcept {
  std::size_t bytes =
      headers_.capacity_bytes() + metadata_.capacity_bytes() + tensors_.capacity_bytes() + by_name_.capacity_bytes();
  for (const Array<std::byte>& header : headers_) bytes += header.capacity_bytes();
  return bytes;
}

}  // namespace loquat::inline LOQUAT_ABI::gguf
