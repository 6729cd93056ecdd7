// SPDX-License-Identifier: MIT
// Sources other than files: memory and the host's reader.
#include "format/source.hpp"

#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "format/source_object.hpp"

namespace loquat::inline LOQUAT_ABI::gguf {

namespace {

class MemorySource final : public Source {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}
  std::uint64_t size() const noexcept override { return bytes_.size(); }
  std::span<const std::byte> view(std::uint64_t offset, std::uint64_t bytes) const noexcept override {
    return bytes_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes));
  }
  Status read(std::uint64_t offset, std::span<std::byte> to) const noexcept override {
    if (!to.empty()) std::memcpy(to.data(), bytes_.data() + offset, to.size());
    return {};
  }
  std::string_view name() const noexcept override { return "memory"; }

 private:
  std::span<const std::byte> bytes_;
};

class ReaderSource final : public Source {
 public:
  ReaderSource(Reader& reader, std::uint64_t size) noexcept : reader_(&reader), size_(size) {}
  std::uint64_t size() const noexcept override { return size_; }
  std::span<const std::byte> view(std::uint64_t, std::uint64_t) const noexcept override { return {}; }
  Status read(std::uint64_t offset, std::span<std::byte> to) const noexcept override {
    if (to.empty()) return {};
    Status status = reader_->read_at(offset, to);
    if (status) return status;
    Error error = make_error(status.code(), "reader failed at offset {} ({} bytes wanted): {}", offset, to.size(),
                             status.error().message());
    return error.with_name(status.error().name()).with_offset(offset);
  }
  std::string_view name() const noexcept override { return "reader"; }

 private:
  Reader* reader_;
  std::uint64_t size_;
};

}  // namespace

OwnedSource::OwnedSource(OwnedSource&& other) noexcept
    : source_(std::exchange(other.source_, nullptr)),
      allocator_(other.allocator_),
      bytes_(other.bytes_),
      alignment_(other.alignment_) {}

OwnedSource& OwnedSource::operator=(OwnedSource&& other) noexcept {
  std::swap(source_, other.source_);
  std::swap(allocator_, other.allocator_);
  std::swap(bytes_, other.bytes_);
  std::swap(alignment_, other.alignment_);
  return *this;
}

OwnedSource::~OwnedSource() {
  if (source_ == nullptr) return;
  source_->~Source();
  allocator_->deallocate(source_, bytes_, alignment_, MemoryTag::metadata);
}

Result<OwnedSource> open_memory(std::span<const std::byte> bytes, Allocator& allocator) noexcept {
  if (bytes.empty()) return make_error(ErrorCode::truncated, "the model in memory is empty (0 bytes)").with_offset(0);
  return make_source<MemorySource>(allocator, bytes);
}

Result<OwnedSource> open_reader(Reader& reader, Allocator& allocator) noexcept {
  const std::uint64_t size = reader.size();
  if (size == 0) return make_error(ErrorCode::truncated, "the model's reader is empty (0 bytes)").with_offset(0);
  return make_source<ReaderSource>(allocator, reader, size);
}

}  // namespace loquat::inline LOQUAT_ABI::gguf
