// SPDX-License-Identifier: MIT
#include "format/parser.hpp"

#include <algorithm>
#include <bit>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "format/header_fields.hpp"

namespace loquat::inline LOQUAT_ABI::gguf {

namespace {

// The bytes "FUGG" read as a little-endian number: a magic number stored by a big-endian writer.
constexpr std::uint32_t kMagicReversed = 0x47475546;
constexpr std::uint64_t kPreambleBytes = 4 + 4 + 8 + 8;
// The format asks for a multiple of 8 and gives 32 where the key is absent; readers in use take powers of two
// only.
constexpr std::string_view kAlignmentKey = "general.alignment";
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::uint64_t kLeastAlignment = 8;
constexpr std::uint64_t kMostAlignment = 65536;

Error big_endian() noexcept {
  return make_error(ErrorCode::unsupported_version,
                    "this GGUF file is big-endian; only little-endian files can be read: convert it first")
      .with_offset(4);
}

Status check_magic(Cursor& cursor) noexcept {
  cursor.set_subject("magic number");
  // A file of one to three bytes can still be the start of a GGUF file.
  const std::uint64_t present = std::min<std::uint64_t>(cursor.size(), 4);
  LOQUAT_RETURN_IF_ERROR(cursor.require(present));
  const PrintableName found(cursor.text(0, present));
  if (found.view() != std::string_view("GGUF").substr(0, present) && found.view() != "FUGG") {
    return make_error(ErrorCode::not_gguf, "not a GGUF file: it begins with '{}', expected 'GGUF'", found.view())
        .with_offset(0);
  }
  LOQUAT_RETURN_IF_ERROR(cursor.require(4));
  if (cursor.take<std::uint32_t>() == kMagicReversed) return big_endian();
  return {};
}

/// A version number as a big-endian writer stores it.
std::uint32_t reversed(std::uint32_t value) noexcept {
  return (value >> 24) | ((value >> 8) & 0xff00u) | ((value << 8) & 0xff0000u) | (value << 24);
}

Status check_version(std::uint32_t version) noexcept {
  if (version == 2 || version == 3) return {};
  if (reversed(version) >= 1 && reversed(version) <= 3) return big_endian();
  if (version == 1) {
    return make_error(ErrorCode::unsupported_version,
                      "GGUF version 1 is not read (expected 2 or 3): convert the model again with a current "
                      "converter")
        .with_offset(4);
  }
  return make_error(ErrorCode::unsupported_version, "GGUF version {} is not known, expected 2 or 3", version)
      .with_offset(4);
}

/// A count cannot be larger than the rest of the file allows.
Status check_count(const Cursor& cursor, const char* noun, std::uint64_t count, std::uint64_t least_bytes) noexcept {
  if (count <= cursor.remaining() / least_bytes) return {};
  return make_error(ErrorCode::truncated, "header promises {} {} of at least {} bytes, but the file has {} bytes",
                    count, noun, least_bytes, cursor.size())
      .with_offset(cursor.position());
}

Status check_alignment(std::uint64_t alignment, std::uint64_t offset) noexcept {
  if (std::has_single_bit(alignment) && alignment >= kLeastAlignment && alignment <= kMostAlignment) return {};
  return make_error(ErrorCode::malformed, "key '{}' must be a power of two in {}..{}, file says {}", kAlignmentKey,
                    kLeastAlignment, kMostAlignment, alignment)
      .with_name(kAlignmentKey)
      .with_offset(offset);
}

/// Makes the offset absolute and proves the range.
Status place_tensor(TensorInfo& tensor, std::uint64_t data_start, std::uint64_t alignment,
                    std::uint64_t file_size) noexcept {
  const PrintableName name(tensor.name);
  const std::uint64_t relative = tensor.offset;
  if (relative % alignment != 0) {
    return make_error(ErrorCode::malformed, "offset of tensor '{}' must be a multiple of {}, file says {}", name.view(),
                      alignment, relative)
        .with_name(name.view())
        .with_offset(relative);
  }
  std::uint64_t end = 0;
  if (!checked_add(data_start, relative, tensor.offset) || !checked_add(tensor.offset, tensor.bytes, end)) {
    return make_error(ErrorCode::malformed, "tensor '{}' of {} bytes at data offset {} lies outside any file",
                      name.view(), tensor.bytes, relative)
        .with_name(name.view())
        .with_offset(relative);
  }
  if (end > file_size) {
    return make_error(ErrorCode::truncated, "tensor '{}' ends at byte {}, but the file has only {} bytes", name.view(),
                      end, file_size)
        .with_name(name.view())
        .with_offset(tensor.offset);
  }
  return {};
}

}  // namespace

Result<Description> parse(const Source& source, Allocator& allocator) noexcept {
  Parser parser(allocator);
  return parser.parse(source);
}

Result<Description> Parser::parse(const Source& source) noexcept {
  Array<std::byte> buffer(*allocator_, MemoryTag::metadata);
  Cursor cursor(source, buffer);
  LOQUAT_RETURN_IF_ERROR(read_preamble(cursor));
  LOQUAT_RETURN_IF_ERROR(walk(cursor));
  LOQUAT_RETURN_IF_ERROR(keep_header(cursor, std::move(buffer)));
  LOQUAT_RETURN_IF_ERROR(collect());
  LOQUAT_RETURN_IF_ERROR(sort_metadata());
  LOQUAT_RETURN_IF_ERROR(place_tensors(source.size()));
  LOQUAT_RETURN_IF_ERROR(check_names());
  return std::move(description_);
}

Status Parser::read_preamble(Cursor& cursor) noexcept {
  LOQUAT_RETURN_IF_ERROR(check_magic(cursor));
  cursor.set_subject("header");
  LOQUAT_RETURN_IF_ERROR(cursor.require(sizeof(std::uint32_t)));
  description_.version_ = cursor.take<std::uint32_t>();
  LOQUAT_RETURN_IF_ERROR(check_version(description_.version_));
  LOQUAT_RETURN_IF_ERROR(cursor.require(2 * sizeof(std::uint64_t)));
  n_tensors_ = cursor.take<std::uint64_t>();
  n_metadata_ = cursor.take<std::uint64_t>();
  LOQUAT_RETURN_IF_ERROR(check_count(cursor, "tensors", n_tensors_, kLeastTensorBytes));
  return check_count(cursor, "metadata entries", n_metadata_, kLeastEntryBytes);
}

Status Parser::walk(Cursor& cursor) noexcept {
  MetadataEntry entry;
  for (std::uint64_t i = 0; i < n_metadata_; ++i) LOQUAT_RETURN_IF_ERROR(read_entry(cursor, entry));
  TensorInfo tensor;
  for (std::uint64_t i = 0; i < n_tensors_; ++i) LOQUAT_RETURN_IF_ERROR(read_tensor(cursor, tensor));
  header_bytes_ = cursor.position();
  return {};
}

Status Parser::keep_header(Cursor& cursor, Array<std::byte> buffer) noexcept {
  const auto bytes = static_cast<std::size_t>(header_bytes_);
  if (buffer.empty()) {
    if (!buffer.reserve(bytes)) return out_of_memory(bytes, "the header of a model file");
    if (!buffer.copy_from(std::span(cursor.at(0), bytes))) return out_of_memory(bytes, "the header of a model file");
  } else {
    buffer.truncate(bytes);
  }
  if (!description_.headers_.push_back(std::move(buffer)))
    return out_of_memory(sizeof buffer, "the header of a model file");
  return {};
}

Status Parser::collect() noexcept {
  const auto n_metadata = static_cast<std::size_t>(n_metadata_);
  const auto n_tensors = static_cast<std::size_t>(n_tensors_);
  if (!description_.metadata_.reserve(n_metadata)) {
    return out_of_memory(n_metadata * sizeof(MetadataEntry), "the metadata entries of a model file");
  }
  if (!description_.tensors_.reserve(n_tensors)) {
    return out_of_memory(n_tensors * sizeof(TensorInfo), "the tensor descriptions of a model file");
  }
  Cursor cursor{std::span<const std::byte>(description_.headers_[0])};
  cursor.skip(kPreambleBytes);
  MetadataEntry entry;
  TensorInfo tensor;
  bool has_room = true;
  for (std::size_t i = 0; i < n_metadata; ++i) {
    LOQUAT_RETURN_IF_ERROR(read_entry(cursor, entry));
    has_room = has_room && description_.metadata_.push_back(entry);
  }
  for (std::size_t i = 0; i < n_tensors; ++i) {
    LOQUAT_RETURN_IF_ERROR(read_tensor(cursor, tensor));
    has_room = has_room && description_.tensors_.push_back(tensor);
  }
  return has_room ? Status{} : Status{out_of_memory(0, "the description of a model file")};
}

Status Parser::sort_metadata() noexcept {
  Array<MetadataEntry>& entries = description_.metadata_;
  std::sort(entries.begin(), entries.end(),
            [](const MetadataEntry& a, const MetadataEntry& b) noexcept { return a.key < b.key; });
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].key != entries[i - 1].key) continue;
    const PrintableName key(entries[i].key);
    const std::uint64_t later = std::max(entries[i].value.offset, entries[i - 1].value.offset);
    return make_error(ErrorCode::malformed, "key '{}' appears twice (values at offsets {} and {})", key.view(),
                      std::min(entries[i].value.offset, entries[i - 1].value.offset), later)
        .with_name(key.view())
        .with_offset(later);
  }
  return {};
}

Status Parser::place_tensors(std::uint64_t file_size) noexcept {
  LOQUAT_ASSIGN_OR_RETURN(const auto given, description_.get_unsigned(kAlignmentKey));
  const std::uint64_t alignment = given.value_or(kDefaultAlignment);
  if (given) LOQUAT_RETURN_IF_ERROR(check_alignment(alignment, description_.find(kAlignmentKey)->offset));
  // Header sizes are sizes of things in memory, so rounding up cannot wrap.
  const std::uint64_t data_start = (header_bytes_ + alignment - 1) & ~(alignment - 1);
  for (TensorInfo& tensor : description_.tensors_) {
    LOQUAT_RETURN_IF_ERROR(place_tensor(tensor, data_start, alignment, file_size));
  }
  return check_overlaps();
}

Status Parser::check_overlaps() noexcept {
  // by_name_ serves as the scratch list of indices; index_names() sorts it again.
  const Array<TensorInfo>& tensors = description_.tensors_;
  Array<std::uint32_t>& order = description_.by_name_;
  if (!order.reserve(tensors.size()) || !order.resize(tensors.size())) {
    return out_of_memory(tensors.size() * sizeof(std::uint32_t), "the tensor names of a model file");
  }
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) noexcept { return tensors[a].offset < tensors[b].offset; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const TensorInfo& first = tensors[order[i - 1]];
    const TensorInfo& second = tensors[order[i]];
    if (second.offset >= first.offset + first.bytes) continue;
    const PrintableName first_name(first.name);
    const PrintableName second_name(second.name);
    return make_error(ErrorCode::malformed, "tensor '{}' begins at byte {}, inside tensor '{}' ({} bytes from {})",
                      second_name.view(), second.offset, first_name.view(), first.bytes, first.offset)
        .with_name(second_name.view())
        .with_offset(second.offset);
  }
  return {};
}

Status Parser::index_names(Description& model, const TensorInfo*& twice) noexcept {
  const Array<TensorInfo>& tensors = model.tensors_;
  Array<std::uint32_t>& order = model.by_name_;
  if (!order.reserve(tensors.size()) || !order.resize(tensors.size())) {
    return out_of_memory(tensors.size() * sizeof(std::uint32_t), "the tensor names of a model file");
  }
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) noexcept {
    const int compared = tensors[a].name.compare(tensors[b].name);
    return compared != 0 ? compared < 0 : a < b;
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (tensors[order[i]].name == tensors[order[i - 1]].name) twice = &tensors[order[i]];
  }
  return {};
}

Status Parser::check_names() noexcept {
  const TensorInfo* twice = nullptr;
  LOQUAT_RETURN_IF_ERROR(index_names(description_, twice));
  if (twice == nullptr) return {};
  const PrintableName name(twice->name);
  return make_error(ErrorCode::malformed, "tensor '{}' appears twice (the later one has its data at byte {})",
                    name.view(), twice->offset)
      .with_name(name.view())
      .with_offset(twice->offset);
}

Status Parser::add_part(Description& model, Description part) noexcept {
  const auto index = static_cast<std::uint32_t>(model.headers_.size());
  for (TensorInfo& tensor : part.tensors_) {
    tensor.part = index;
    if (!model.tensors_.push_back(tensor))
      return out_of_memory(sizeof tensor, "the tensor descriptions of a model file");
  }
  if (!model.headers_.push_back(std::move(part.headers_[0]))) {
    return out_of_memory(sizeof(Array<std::byte>), "the header of a model file");
  }
  model.parts_ = index + 1;
  return {};
}

}  // namespace loquat::inline LOQUAT_ABI::gguf
