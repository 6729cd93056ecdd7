// SPDX-License-Identifier: MIT
#include "format/header_fields.hpp"

#include <limits>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace loquat::inline LOQUAT_ABI::gguf {

namespace {

constexpr std::uint64_t kMostSigned = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

/// A length-prefixed name; leaves the subject on it.
Status read_name(Cursor& cursor, const char* noun, std::uint64_t& offset, std::uint64_t& bytes) noexcept {
  cursor.set_subject(noun);
  LOQUAT_RETURN_IF_ERROR(cursor.require(sizeof(std::uint64_t)));
  const std::uint64_t length_offset = cursor.position();
  bytes = cursor.take<std::uint64_t>();
  if (bytes == 0 || bytes > kMostNameBytes) {
    return make_error(ErrorCode::malformed, "length of a {} at offset {} must be 1..{}, file says {}", noun,
                      length_offset, kMostNameBytes, bytes)
        .with_offset(length_offset);
  }
  LOQUAT_RETURN_IF_ERROR(cursor.require(bytes));
  offset = cursor.position();
  cursor.skip(bytes);
  return {};
}

Status read_string(Cursor& cursor, Value& value) noexcept {
  LOQUAT_RETURN_IF_ERROR(cursor.require(sizeof(std::uint64_t)));
  value.bytes = cursor.take<std::uint64_t>();
  LOQUAT_RETURN_IF_ERROR(cursor.require(value.bytes));
  value.offset = cursor.position();
  cursor.skip(value.bytes);
  return {};
}

/// Walks the elements: each takes at least its 8 bytes of length, so the walk is bounded by the file's bytes.
Status read_string_elements(Cursor& cursor, Value& value) noexcept {
  value.offset = cursor.position();
  for (std::uint64_t i = 0; i < value.count; ++i) {
    LOQUAT_RETURN_IF_ERROR(cursor.require(sizeof(std::uint64_t)));
    const std::uint64_t bytes = cursor.take<std::uint64_t>();
    LOQUAT_RETURN_IF_ERROR(cursor.require(bytes));
    cursor.skip(bytes);
  }
  value.bytes = cursor.position() - value.offset;
  return {};
}

Status read_fixed_elements(Cursor& cursor, Value& value, std::uint64_t element_bytes) noexcept {
  if (!checked_multiply(value.count, element_bytes, value.bytes)) {
    return cursor.about_subject(make_error(ErrorCode::malformed,
                                           "array of key '{}' has {} elements of {} bytes, more than any file holds",
                                           cursor.subject_name().view(), value.count, element_bytes));
  }
  LOQUAT_RETURN_IF_ERROR(cursor.require(value.bytes));
  value.offset = cursor.position();
  cursor.skip(value.bytes);
  return {};
}

Status read_array(Cursor& cursor, Value& value) noexcept {
  LOQUAT_RETURN_IF_ERROR(cursor.require(sizeof(std::uint32_t) + sizeof(std::uint64_t)));
  const std::uint64_t type_offset = cursor.position();
  const auto element_type = cursor.take<std::uint32_t>();
  value.element_type = static_cast<ValueType>(element_type);
  value.count = cursor.take<std::uint64_t>();
  if (value.element_type == ValueType::string) {
    return read_string_elements(cursor, value);
  }
  if (const std::uint64_t element_bytes = fixed_bytes(value.element_type); element_bytes != 0) {
    return read_fixed_elements(cursor, value, element_bytes);
  }
  const bool is_nested = value.element_type == ValueType::array;
  return cursor
      .about_subject(make_error(ErrorCode::malformed,
                                "array of key '{}' has element type {}{}, expected 0..8 or 10..12",
                                cursor.subject_name().view(), element_type, is_nested ? " (arrays of arrays)" : ""))
      .with_offset(type_offset);
}

Status read_value(Cursor& cursor, Value& value) noexcept {
  switch (value.type) {
    case ValueType::string: return read_string(cursor, value);
    case ValueType::array: return read_array(cursor, value);
    default:
      value.bytes = fixed_bytes(value.type);
      LOQUAT_RETURN_IF_ERROR(cursor.require(value.bytes));
      value.offset = cursor.position();
      cursor.skip(value.bytes);
      return {};
  }
}

Status read_shape(Cursor& cursor, TensorInfo& tensor) noexcept {
  LOQUAT_RETURN_IF_ERROR(cursor.require(sizeof(std::uint32_t)));
  const auto n_dimensions = cursor.take<std::uint32_t>();
  if (n_dimensions < 1 || n_dimensions > 4) {
    return cursor.about_subject(make_error(ErrorCode::malformed, "tensor '{}' must have 1..4 dimensions, file says {}",
                                           cursor.subject_name().view(), n_dimensions));
  }
  tensor.n_dimensions = n_dimensions;
  LOQUAT_RETURN_IF_ERROR(cursor.require(n_dimensions * sizeof(std::uint64_t)));
  for (std::uint32_t i = 0; i < n_dimensions; ++i) {
    tensor.shape[i] = cursor.take<std::uint64_t>();
    if (tensor.shape[i] == 0) {
      return cursor.about_subject(make_error(ErrorCode::malformed,
                                             "dimension {} of tensor '{}' is 0, expected at least 1", i,
                                             cursor.subject_name().view()));
    }
  }
  return {};
}

/// Bytes of the whole tensor; its product of dimensions must fit 63 bits, as the format's own writers assume.
Status measure_tensor(Cursor& cursor, TensorInfo& tensor, const TensorTypeInfo& type) noexcept {
  std::uint64_t values = 1;
  bool fits = true;
  for (const std::uint64_t extent : tensor.shape) fits = fits && checked_multiply(values, extent, values);
  fits = fits && values <= kMostSigned;
  const std::uint64_t blocks = fits ? values / type.block_values : 0;
  if (!fits || !checked_multiply(blocks, type.block_bytes, tensor.bytes)) {
    return cursor.about_subject(
        make_error(ErrorCode::malformed, "tensor '{}' of {} x {} x {} x {} values is larger than any file",
                   cursor.subject_name().view(), tensor.shape[0], tensor.shape[1], tensor.shape[2], tensor.shape[3]));
  }
  if (tensor.shape[0] % type.block_values != 0) {
    return cursor.about_subject(
        make_error(ErrorCode::malformed, "row length of tensor '{}' must be a multiple of {} ({}), file says {}",
                   cursor.subject_name().view(), type.block_values, type.name, tensor.shape[0]));
  }
  return {};
}

}  // namespace

std::uint64_t fixed_bytes(ValueType type) noexcept {
  switch (type) {
    case ValueType::u8:
    case ValueType::i8:
    case ValueType::boolean: return 1;
    case ValueType::u16:
    case ValueType::i16: return 2;
    case ValueType::u32:
    case ValueType::i32:
    case ValueType::f32: return 4;
    case ValueType::u64:
    case ValueType::i64:
    case ValueType::f64: return 8;
    case ValueType::string:
    case ValueType::array: return 0;
  }
  return 0;
}

Status read_entry(Cursor& cursor, MetadataEntry& entry) noexcept {
  std::uint64_t key_offset = 0;
  std::uint64_t key_bytes = 0;
  LOQUAT_RETURN_IF_ERROR(read_name(cursor, "metadata key", key_offset, key_bytes));
  cursor.set_subject("value of key", key_offset, key_bytes);
  LOQUAT_RETURN_IF_ERROR(cursor.require(sizeof(std::uint32_t)));
  const std::uint64_t type_offset = cursor.position();
  const auto type = cursor.take<std::uint32_t>();
  if (type > static_cast<std::uint32_t>(ValueType::f64)) {
    return cursor
        .about_subject(make_error(ErrorCode::malformed, "value of key '{}' has type {}, expected 0..12",
                                  cursor.subject_name().view(), type))
        .with_offset(type_offset);
  }
  entry.value = Value{};
  entry.value.type = static_cast<ValueType>(type);
  LOQUAT_RETURN_IF_ERROR(read_value(cursor, entry.value));
  entry.key = cursor.text(key_offset, key_bytes);
  entry.value.data = cursor.at(entry.value.offset);
  return {};
}

Status read_tensor(Cursor& cursor, TensorInfo& tensor) noexcept {
  std::uint64_t name_offset = 0;
  std::uint64_t name_bytes = 0;
  LOQUAT_RETURN_IF_ERROR(read_name(cursor, "tensor name", name_offset, name_bytes));
  cursor.set_subject("description of tensor", name_offset, name_bytes);
  tensor = TensorInfo{};
  LOQUAT_RETURN_IF_ERROR(read_shape(cursor, tensor));
  LOQUAT_RETURN_IF_ERROR(cursor.require(sizeof(std::uint32_t) + sizeof(std::uint64_t)));
  const auto type_number = cursor.take<std::uint32_t>();
  const TensorTypeInfo* type = find_tensor_type(type_number);
  if (type == nullptr) {
    return cursor.about_subject(make_error(ErrorCode::unsupported_type,
                                           "tensor '{}' has type number {}, which is unknown",
                                           cursor.subject_name().view(), type_number));
  }
  tensor.type = type->type;
  LOQUAT_RETURN_IF_ERROR(measure_tensor(cursor, tensor, *type));
  tensor.offset = cursor.take<std::uint64_t>();
  tensor.name = cursor.text(name_offset, name_bytes);
  return {};
}

}  // namespace loquat::inline LOQUAT_ABI::gguf
