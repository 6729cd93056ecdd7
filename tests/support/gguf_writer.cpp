// SPDX-License-Identifier: MIT
#include "support/gguf_writer.hpp"

#include <algorithm>
#include <stdexcept>

namespace loquat_test {

namespace {

/// Appends named fields to an image.
class FieldAppender {
 public:
  FieldAppender(GgufImage& image, std::string prefix) : image_(&image), prefix_(std::move(prefix)) {}

  void bytes(const std::string& name, std::span<const std::byte> from) {
    image_->fields[prefix_ + name] = {image_->bytes.size(), from.size()};
    image_->bytes.insert(image_->bytes.end(), from.begin(), from.end());
  }
  template <class T>
  void number(const std::string& name, T value) {
    bytes(name, std::as_bytes(std::span(&value, 1)));
  }
  void text(const std::string& name, std::string_view value) { bytes(name, std::as_bytes(std::span(value))); }
  /// Names a place inside bytes that are there already.
  void mark(const std::string& name, std::size_t offset, std::size_t n) {
    image_->fields[prefix_ + name] = {offset, n};
  }

 private:
  GgufImage* image_;
  std::string prefix_;
};

std::size_t padded(std::size_t n, std::size_t alignment) { return (n + alignment - 1) / alignment * alignment; }

std::uint64_t hash_of(std::string_view name, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325u ^ seed;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

constexpr auto kStringType = static_cast<std::uint32_t>(loquat::gguf::ValueType::string);
constexpr auto kArrayType = static_cast<std::uint32_t>(loquat::gguf::ValueType::array);

}  // namespace

void GgufWriter::append(Bytes& to, std::span<const std::byte> from) {
  const std::size_t had = to.size();
  to.resize(had + from.size());
  if (!from.empty()) std::memcpy(to.data() + had, from.data(), from.size());
}

Bytes GgufWriter::string_bytes(std::string_view text) {
  const std::uint64_t length = text.size();
  Bytes bytes(sizeof length + text.size());
  std::memcpy(bytes.data(), &length, sizeof length);
  if (!text.empty()) std::memcpy(bytes.data() + sizeof length, text.data(), text.size());
  return bytes;
}

GgufWriter& GgufWriter::set_raw(const std::string& key, std::uint32_t type, Bytes payload) {
  for (Entry& entry : entries_) {
    if (entry.key != key) continue;
    entry.type = type;
    entry.payload = std::move(payload);
    return *this;
  }
  return add_duplicate(key, type, std::move(payload));
}

GgufWriter& GgufWriter::set_raw_array(const std::string& key, std::uint32_t element_type, std::uint64_t count,
                                      const Bytes& elements) {
  Bytes payload = value_bytes(element_type);
  append(payload, value_bytes(count));
  append(payload, elements);
  return set_raw(key, kArrayType, std::move(payload));
}

GgufWriter& GgufWriter::add_duplicate(const std::string& key, std::uint32_t type, Bytes payload) {
  entries_.push_back({key, type, std::move(payload)});
  return *this;
}

GgufWriter& GgufWriter::erase(const std::string& key) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.key == key; });
  return *this;
}

bool GgufWriter::has(const std::string& key) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
}

GgufWriter& GgufWriter::add_tensor(const std::string& name, loquat::TensorType type, std::vector<std::uint64_t> shape,
                                   Bytes data) {
  if (shape.empty() || shape[0] % loquat::tensor_type_info(type).block_values != 0) {
    throw std::invalid_argument("toy tensor " + name + ": its rows are not whole blocks");
  }
  tensors_.push_back({name, type, std::move(shape), std::move(data)});
  return *this;
}

GgufWriter& GgufWriter::add_tensor(const std::string& name, loquat::TensorType type, std::vector<std::uint64_t> shape,
                                   float magnitude, std::uint64_t seed) {
  std::size_t values = 1;
  for (const std::uint64_t extent : shape) values *= static_cast<std::size_t>(extent);
  Bytes data = random_blocks(type, values, magnitude, hash_of(name, seed));
  return add_tensor(name, type, std::move(shape), std::move(data));
}

GgufWriter& GgufWriter::erase_tensor(const std::string& name) {
  std::erase_if(tensors_, [&](const Tensor& tensor) { return tensor.name == name; });
  return *this;
}

Bytes& GgufWriter::tensor_data(const std::string& name) {
  for (Tensor& tensor : tensors_) {
    if (tensor.name == name) return tensor.data;
  }
  throw std::out_of_range("no toy tensor " + name);
}

GgufWriter& GgufWriter::version(std::uint32_t number) {
  version_ = number;
  return *this;
}

GgufWriter& GgufWriter::alignment(std::uint32_t bytes) {
  alignment_ = bytes;
  return set("general.alignment", bytes);
}

void GgufWriter::write_entry(GgufImage& image, const Entry& entry) const {
  FieldAppender field(image, "key:" + entry.key + ":");
  field.number("length", static_cast<std::uint64_t>(entry.key.size()));
  field.text("text", entry.key);
  field.number("type", entry.type);
  const std::size_t value_offset = image.bytes.size();
  field.bytes("value", entry.payload);
  if (entry.type == kStringType) field.mark("string_length", value_offset, 8);
  if (entry.type == kArrayType) {
    field.mark("element_type", value_offset, 4);
    field.mark("count", value_offset + 4, 8);
  }
}

void GgufWriter::write_tensor(GgufImage& image, const Tensor& tensor, std::uint64_t offset) const {
  FieldAppender field(image, "tensor:" + tensor.name + ":");
  field.number("length", static_cast<std::uint64_t>(tensor.name.size()));
  field.text("name", tensor.name);
  field.number("dimensions", static_cast<std::uint32_t>(tensor.shape.size()));
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    field.number("dimension" + std::to_string(i), tensor.shape[i]);
  }
  field.number("type", static_cast<std::uint32_t>(tensor.type));
  field.number("offset", offset);
}

GgufImage GgufWriter::build() const {
  GgufImage image;
  FieldAppender field(image, "");
  field.text("magic", "GGUF");
  field.number("version", version_);
  field.number("tensor_count", static_cast<std::uint64_t>(tensors_.size()));
  field.number("metadata_count", static_cast<std::uint64_t>(entries_.size()));
  for (const Entry& entry : entries_) write_entry(image, entry);
  std::size_t offset = 0;
  for (const Tensor& tensor : tensors_) {
    write_tensor(image, tensor, offset);
    offset = padded(offset + tensor.data.size(), alignment_);
  }
  image.header_bytes = image.bytes.size();
  image.data_start = padded(image.header_bytes, alignment_);
  if (!tensors_.empty()) image.bytes.resize(image.data_start);
  for (const Tensor& tensor : tensors_) {
    field.bytes("data:" + tensor.name, tensor.data);
    image.bytes.resize(padded(image.bytes.size(), alignment_));
  }
  return image;
}

std::vector<GgufWriter> GgufWriter::split(std::size_t n_parts) const {
  std::vector<GgufWriter> parts(n_parts);
  parts[0].entries_ = entries_;
  for (std::size_t i = 0; i < n_parts; ++i) {
    parts[i].version_ = version_;
    parts[i].alignment(alignment_);
    parts[i].set("split.no", static_cast<std::uint16_t>(i));
    parts[i].set("split.count", static_cast<std::uint16_t>(n_parts));
    parts[i].set("split.tensors.count", static_cast<std::int32_t>(tensors_.size()));
  }
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    parts[i * n_parts / tensors_.size()].tensors_.push_back(tensors_[i]);
  return parts;
}

}  // namespace loquat_test
