// SPDX-License-Identifier: MIT
// Regular files on POSIX systems, mapped or read.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "format/shown_path.hpp"
#include "format/source.hpp"
#include "format/source_object.hpp"

namespace loquat::inline LOQUAT_ABI::gguf {

namespace {

/// The system's words for an errno value, whichever strerror_r the C library has.
class SystemMessage {
 public:
  explicit SystemMessage(int number) noexcept {
    text_[0] = '\0';
    use(::strerror_r(number, text_, sizeof text_));
  }
  const char* c_str() const noexcept { return chosen_; }

 private:
  void use(const char* text) noexcept { chosen_ = text; }
  void use(int) noexcept { chosen_ = text_; }

  char text_[128];
  const char* chosen_ = text_;
};

Error io_error(const char* action, std::string_view path, int number) noexcept {
  return make_error(ErrorCode::io, "cannot {} '{}': {}", action, ShownPath(path).view(), SystemMessage(number).c_str())
      .with_name(path);
}

/// Owns a descriptor.
class File {
 public:
  explicit File(int descriptor) noexcept : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

class ReadFileSource final : public Source {
 public:
  ReadFileSource(File file, std::uint64_t size, String path) noexcept
      : file_(std::move(file)), size_(size), path_(std::move(path)) {}

  std::uint64_t size() const noexcept override { return size_; }
  std::span<const std::byte> view(std::uint64_t, std::uint64_t) const noexcept override { return {}; }
  Status read(std::uint64_t offset, std::span<std::byte> to) const noexcept override {
    // Linux moves at most 2^31 - 4096 bytes a call; smaller pieces also keep a slow disk interruptible.
    constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
    while (!to.empty()) {
      const std::size_t wanted = std::min(to.size(), kMostAtOnce);
      const ssize_t got = ::pread(file_.get(), to.data(), wanted, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return io_error("read", name(), errno).with_offset(offset);
      if (got == 0) return shrunk(offset);
      offset += static_cast<std::uint64_t>(got);
      to = to.subspan(static_cast<std::size_t>(got));
    }
    return {};
  }
  std::string_view name() const noexcept override { return path_; }

 private:
  Error shrunk(std::uint64_t offset) const noexcept {
    return make_error(ErrorCode::truncated,
                      "file '{}' became shorter while it was read: no byte at offset {}, expected {}",
                      ShownPath(name()).view(), offset, size_)
        .with_name(name())
        .with_offset(offset);
  }

  File file_;
  std::uint64_t size_;
  String path_;
};

/// Owns a mapping. The descriptor may be closed while it lives.
class Mapping {
 public:
  Mapping(void* address, std::size_t size) noexcept : address_(address), size_(size) {}
  Mapping(Mapping&& other) noexcept : address_(std::exchange(other.address_, nullptr)), size_(other.size_) {}
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping() {
    if (address_ != nullptr) ::munmap(address_, size_);
  }
  std::span<const std::byte> bytes() const noexcept { return {static_cast<const std::byte*>(address_), size_}; }
  /// Gives the whole pages inside the range back; they come from the file again if they are touched.
  void discard(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const std::uint64_t begin = (offset + page - 1) / page * page;
    const std::uint64_t end = (offset + bytes) / page * page;
    if (end <= begin) return;
    ::madvise(static_cast<std::byte*>(address_) + begin, static_cast<std::size_t>(end - begin), MADV_DONTNEED);
  }

 private:
  void* address_;
  std::size_t size_;
};

class MappedFileSource final : public Source {
 public:
  MappedFileSource(Mapping mapping, String path) noexcept : mapping_(std::move(mapping)), path_(std::move(path)) {}

  std::uint64_t size() const noexcept override { return mapping_.bytes().size(); }
  std::span<const std::byte> view(std::uint64_t offset, std::uint64_t bytes) const noexcept override {
    return mapping_.bytes().subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes));
  }
  Status read(std::uint64_t offset, std::span<std::byte> to) const noexcept override {
    if (!to.empty()) std::memcpy(to.data(), mapping_.bytes().data() + offset, to.size());
    return {};
  }
  void discard(std::uint64_t offset, std::uint64_t bytes) const noexcept override { mapping_.discard(offset, bytes); }
  std::string_view name() const noexcept override { return path_; }

 private:
  Mapping mapping_;
  String path_;
};

/// What the file is, and its size; only regular files with something in them pass.
Result<std::uint64_t> regular_file_size(const File& file, std::string_view path) noexcept {
  struct stat facts = {};
  if (::fstat(file.get(), &facts) != 0) return io_error("look at", path, errno);
  if (S_ISDIR(facts.st_mode)) {
    return make_error(ErrorCode::io, "'{}' is a directory, expected a model file", ShownPath(path).view())
        .with_name(path);
  }
  if (!S_ISREG(facts.st_mode)) {
    return make_error(ErrorCode::io, "'{}' is not a regular file (a device, pipe or socket)", ShownPath(path).view())
        .with_name(path);
  }
  if (facts.st_size <= 0) {
    return make_error(ErrorCode::truncated, "file '{}' is empty (0 bytes)", ShownPath(path).view())
        .with_name(path)
        .with_offset(0);
  }
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  if (size > std::numeric_limits<std::size_t>::max() / 2) {
    return make_error(ErrorCode::io, "file '{}' of {} bytes is too large for this process", ShownPath(path).view(),
                      size)
        .with_name(path);
  }
  return size;
}

}  // namespace

Result<OwnedSource> open_file(std::string_view path, bool use_mmap, Allocator& allocator) noexcept {
  LOQUAT_RETURN_IF_ERROR(check_path(path));
  String name(allocator, MemoryTag::metadata);
  if (!name.append(path) || !name.push_back('\0')) {
    return out_of_memory(path.size() + 1, "a file's path");
  }
  // Non-blocking: opening a pipe that nobody writes to would wait for ever otherwise.
  File file(::open(name.data(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) return io_error("open", path, errno);
  LOQUAT_ASSIGN_OR_RETURN(const std::uint64_t size, regular_file_size(file, path));
  name.truncate(path.size());
  if (!use_mmap) return make_source<ReadFileSource>(allocator, std::move(file), size, std::move(name));
  void* address = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) return io_error("map", path, errno);
  return make_source<MappedFileSource>(allocator, Mapping(address, static_cast<std::size_t>(size)), std::move(name));
}

}  // namespace loquat::inline LOQUAT_ABI::gguf
