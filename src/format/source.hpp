// SPDX-License-Identifier: MIT
// Where a model's bytes come from: mapped file, read file, memory, host's reader; and split models of several files.
#ifndef LOQUAT_FORMAT_SOURCE_HPP
#define LOQUAT_FORMAT_SOURCE_HPP

#include <loquat/array.hpp>
#include <loquat/model.hpp>
#include <loquat/result.hpp>

#include <cstddef>
#include <span>
#include <string_view>

#include "base/ref.hpp"
#include "format/gguf.hpp"

namespace loquat::inline LOQUAT_ABI::gguf {

/// A heap-held Source with one owner.
class OwnedSource {
 public:
  OwnedSource() noexcept = default;
  OwnedSource(Source* source, Allocator& allocator, std::size_t bytes, std::size_t alignment) noexcept
      : source_(source), allocator_(&allocator), bytes_(bytes), alignment_(alignment) {}
  OwnedSource(OwnedSource&& other) noexcept;
  OwnedSource& operator=(OwnedSource&& other) noexcept;
  ~OwnedSource();
  const Source& operator*() const noexcept { return *source_; }
  const Source* operator->() const noexcept { return source_; }
  explicit operator bool() const noexcept { return source_ != nullptr; }

 private:
  Source* source_ = nullptr;
  Allocator* allocator_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t alignment_ = 0;
};

/// Opens a regular file, mapped or for reading. `path` is UTF-8 (wide calls on Windows).
///
/// Errors    io: missing, a directory, unreadable (system's words); truncated: empty; out_of_memory
Result<OwnedSource> open_file(std::string_view path, bool use_mmap, Allocator& allocator) noexcept;
Result<OwnedSource> open_memory(std::span<const std::byte> bytes, Allocator& allocator) noexcept;
Result<OwnedSource> open_reader(Reader& reader, Allocator& allocator) noexcept;

/// A whole model: its description and the sources of all parts (`-00001-of-0000N.gguf` siblings are opened too).
struct ModelFile {
  explicit ModelFile(Allocator& allocator) noexcept : description(allocator), parts(allocator, MemoryTag::metadata) {}
  Description description;
  Array<OwnedSource> parts;  ///< TensorInfo::part indexes it
};
Result<ModelFile> open_model(std::string_view path, bool use_mmap, Allocator& allocator) noexcept;
/// From one source; a split model is refused with words.
Result<ModelFile> open_model(OwnedSource source, Allocator& allocator) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::gguf

#endif  // LOQUAT_FORMAT_SOURCE_HPP
