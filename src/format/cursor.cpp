// SPDX-License-Identifier: MIT
#include "format/cursor.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace loquat::inline LOQUAT_ABI::gguf {

namespace {

// The header of a model with a small vocabulary; larger ones (a 150,000-token vocabulary: 6 MB) take a few
// doublings.
constexpr std::uint64_t kFirstStep = 64 * 1024;

}  // namespace

PrintableName::PrintableName(std::string_view name) noexcept {
  size_ = std::min(name.size(), sizeof text_);
  for (std::size_t i = 0; i < size_; ++i) {
    const bool is_printable = name[i] >= 0x20 && name[i] < 0x7f;
    text_[i] = is_printable ? name[i] : '?';
  }
}

Cursor::Cursor(const Source& source, Array<std::byte>& buffer) noexcept
    : source_(&source), buffer_(&buffer), size_(source.size()) {
  const std::span<const std::byte> in_place = source.view(0, size_);
  base_ = in_place.data();
  available_ = in_place.size();
}

Status Cursor::fetch(std::uint64_t bytes) noexcept {
  if (bytes > remaining()) return truncated(bytes);
  const std::uint64_t wanted = std::min(size_, std::max({position_ + bytes, available_ * 2, kFirstStep}));
  const std::size_t had = buffer_->size();
  if (!buffer_->reserve(static_cast<std::size_t>(wanted)) || !buffer_->resize(static_cast<std::size_t>(wanted))) {
    return out_of_memory(static_cast<std::size_t>(wanted), "the header of a model file");
  }
  base_ = buffer_->data();
  LOQUAT_RETURN_IF_ERROR(source_->read(had, std::span(buffer_->data() + had, buffer_->size() - had)));
  available_ = wanted;
  return {};
}

Error Cursor::truncated(std::uint64_t bytes) const noexcept {
  const PrintableName name = subject_name();
  Error error = name_bytes_ == 0
                    ? make_error(ErrorCode::truncated,
                                 "file ends inside the {}: {} bytes expected at offset {}, file has {} bytes", noun_,
                                 bytes, position_, size_)
                    : make_error(ErrorCode::truncated,
                                 "file ends inside the {} '{}': {} bytes expected at offset {}, file has {} bytes",
                                 noun_, name.view(), bytes, position_, size_);
  return about_subject(error);
}

Error Cursor::about_subject(Error error) const noexcept {
  error.with_offset(position_);
  if (name_bytes_ != 0) error.with_name(subject_name().view());
  return error;
}

}  // namespace loquat::inline LOQUAT_ABI::gguf
