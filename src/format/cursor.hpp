// SPDX-License-Identifier: MIT
// Reading a header front to back. Every step is proven to lie inside the file before a byte is looked at;
// sources that cannot show their bytes in place are read in growing steps, so memory follows what has been
// walked, not what is claimed.
#ifndef LOQUAT_FORMAT_CURSOR_HPP
#define LOQUAT_FORMAT_CURSOR_HPP

#include <loquat/array.hpp>
#include <loquat/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "format/gguf.hpp"

namespace loquat::inline LOQUAT_ABI::gguf {

/// A name from a file made fit for an error text: printable ASCII, at most 79 characters.
class PrintableName {
 public:
  explicit PrintableName(std::string_view name) noexcept;
  std::string_view view() const noexcept { return {text_, size_}; }

 private:
  char text_[79];
  std::size_t size_ = 0;
};

/// A position in a file's header.
class Cursor {
 public:
  /// Over a source; `buffer` takes the bytes of one that has no view.
  Cursor(const Source& source, Array<std::byte>& buffer) noexcept;
  /// Over header bytes that are complete.
  explicit Cursor(std::span<const std::byte> header) noexcept
      : base_(header.data()), available_(header.size()), size_(header.size()) {}

  std::uint64_t position() const noexcept { return position_; }
  std::uint64_t size() const noexcept { return size_; }
  std::uint64_t remaining() const noexcept { return size_ - position_; }

  /// What is being read, for error texts: "value of key" and where its name is in the header.
  void set_subject(const char* noun, std::uint64_t name_offset = 0, std::uint64_t name_bytes = 0) noexcept {
    noun_ = noun;
    name_offset_ = name_offset;
    name_bytes_ = name_bytes;
  }
  PrintableName subject_name() const noexcept { return PrintableName(text(name_offset_, name_bytes_)); }

  /// Proves that the next `bytes` bytes are in the file and brings them into memory. Pointers and views from
  /// before are invalid afterwards.
  ///
  /// Errors    truncated, with the subject; out_of_memory; those of the source
  Status require(std::uint64_t bytes) noexcept {
    if (bytes <= available_ - position_) [[likely]]
      return {};
    return fetch(bytes);
  }
  /// Requires  require(sizeof(T)) succeeded
  template <class T>
  T take() noexcept {
    const T value = load<T>(base_ + position_);
    position_ += sizeof(T);
    return value;
  }
  /// Requires  require(bytes) succeeded
  void skip(std::uint64_t bytes) noexcept { position_ += bytes; }

  /// Bytes already walked over.
  const std::byte* at(std::uint64_t offset) const noexcept { return base_ + offset; }
  std::string_view text(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    return bytes == 0
               ? std::string_view{}
               : std::string_view(reinterpret_cast<const char*>(base_ + offset), static_cast<std::size_t>(bytes));
  }

  /// "file ends inside the value of key 'x': ..."
  Error truncated(std::uint64_t bytes) const noexcept;
  /// An error about the subject at the current position: its name and offset are filled in.
  Error about_subject(Error error) const noexcept;

 private:
  Status fetch(std::uint64_t bytes) noexcept;

  const Source* source_ = nullptr;
  Array<std::byte>* buffer_ = nullptr;
  const std::byte* base_ = nullptr;
  std::uint64_t available_ = 0;  ///< bytes from base_ that are in memory
  std::uint64_t size_ = 0;       ///< of the file
  std::uint64_t position_ = 0;
  const char* noun_ = "header";
  std::uint64_t name_offset_ = 0;
  std::uint64_t name_bytes_ = 0;
};

}  // namespace loquat::inline LOQUAT_ABI::gguf

#endif  // LOQUAT_FORMAT_CURSOR_HPP
