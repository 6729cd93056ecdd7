// SPDX-License-Identifier: MIT
// Regular files on Windows, mapped or read. Wide calls only: paths come in as UTF-8 (promise M5).
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "format/shown_path.hpp"
#include "format/source.hpp"
#include "format/source_object.hpp"

namespace loquat::inline LOQUAT_ABI::gguf {

namespace {

Error io_error(const char* action, std::string_view path, DWORD number) noexcept {
  const char* words = "system error";
  if (number == ERROR_FILE_NOT_FOUND || number == ERROR_PATH_NOT_FOUND) words = "no such file";
  if (number == ERROR_ACCESS_DENIED) words = "access denied";
  if (number == ERROR_SHARING_VIOLATION) words = "another program has it open";
  return make_error(ErrorCode::io, "cannot {} '{}': {} (Windows error {})", action, ShownPath(path).view(), words,
                    number)
      .with_name(path);
}

/// Owns a handle; both "none" values count as none.
class Handle {
 public:
  explicit Handle(HANDLE handle) noexcept : handle_(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (handle_ != nullptr) ::CloseHandle(handle_);
  }
  HANDLE get() const noexcept { return handle_; }

 private:
  HANDLE handle_;
};

class ReadFileSource final : public Source {
 public:
  ReadFileSource(Handle file, std::uint64_t size, String path) noexcept
      : file_(std::move(file)), size_(size), path_(std::move(path)) {}

  std::uint64_t size() const noexcept override { return size_; }
  std::span<const std::byte> view(std::uint64_t, std::uint64_t) const noexcept override { return {}; }
  Status read(std::uint64_t offset, std::span<std::byte> to) const noexcept override {
    constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
    while (!to.empty()) {
      OVERLAPPED place = {};  // gives the offset without a shared file position, so that threads can read at once
      place.Offset = static_cast<DWORD>(offset);
      place.OffsetHigh = static_cast<DWORD>(offset >> 32);
      DWORD got = 0;
      const auto wanted = static_cast<DWORD>(std::min(to.size(), kMostAtOnce));
      const BOOL is_read = ::ReadFile(file_.get(), to.data(), wanted, &got, &place);
      const DWORD number = is_read ? ERROR_SUCCESS : ::GetLastError();
      if (got == 0 && (is_read || number == ERROR_HANDLE_EOF)) return shrunk(offset);
      if (!is_read) return io_error("read", name(), number).with_offset(offset);
      offset += got;
      to = to.subspan(got);
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

  Handle file_;
  std::uint64_t size_;
  String path_;
};

/// Owns a view of a file. The file's and the mapping object's handles may be closed while it lives.
class Mapping {
 public:
  Mapping(const void* address, std::size_t size) noexcept : address_(address), size_(size) {}
  Mapping(Mapping&& other) noexcept : address_(std::exchange(other.address_, nullptr)), size_(other.size_) {}
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping() {
    if (address_ != nullptr) ::UnmapViewOfFile(address_);
  }
  std::span<const std::byte> bytes() const noexcept { return {static_cast<const std::byte*>(address_), size_}; }

 private:
  const void* address_;
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
  void discard(std::uint64_t offset, std::uint64_t bytes) const noexcept override {
    // Unlocking pages that are not locked takes them out of the working set; the call reports failure all the
    // same.
    auto* begin = const_cast<std::byte*>(mapping_.bytes().data() + offset);
    static_cast<void>(::VirtualUnlock(begin, static_cast<SIZE_T>(bytes)));
  }
  std::string_view name() const noexcept override { return path_; }

 private:
  Mapping mapping_;
  String path_;
};

/// UTF-8 to the wide, zero-terminated form.
Status widen(std::string_view path, Array<wchar_t>& wide) noexcept {
  const auto bytes = static_cast<int>(std::min<std::size_t>(path.size(), std::numeric_limits<int>::max()));
  const int n = ::MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.data(), bytes, nullptr, 0);
  if (n <= 0) return make_error(ErrorCode::invalid_argument, "the path is not valid UTF-8");
  if (!wide.resize(static_cast<std::size_t>(n) + 1)) return out_of_memory(path.size() * 2, "a file's path");
  ::MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path.data(), bytes, wide.data(), n);
  return {};
}

Result<std::uint64_t> regular_file_size(const Handle& file, std::string_view path) noexcept {
  if (::GetFileType(file.get()) != FILE_TYPE_DISK) {
    return make_error(ErrorCode::io, "'{}' is not a regular file (a device or pipe)", ShownPath(path).view())
        .with_name(path);
  }
  LARGE_INTEGER size = {};
  if (!::GetFileSizeEx(file.get(), &size)) return io_error("look at", path, ::GetLastError());
  if (size.QuadPart <= 0) {
    return make_error(ErrorCode::truncated, "file '{}' is empty (0 bytes)", ShownPath(path).view())
        .with_name(path)
        .with_offset(0);
  }
  const auto bytes = static_cast<std::uint64_t>(size.QuadPart);
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) {
    return make_error(ErrorCode::io, "file '{}' of {} bytes is too large for this process", ShownPath(path).view(),
                      bytes)
        .with_name(path);
  }
  return bytes;
}

Result<OwnedSource> map_file(Handle file, std::uint64_t size, String name, Allocator& allocator) noexcept {
  const Handle mapping(::CreateFileMappingW(file.get(), nullptr, PAGE_READONLY, 0, 0, nullptr));
  if (mapping.get() == nullptr) return io_error("map", name, ::GetLastError());
  const void* address = ::MapViewOfFile(mapping.get(), FILE_MAP_READ, 0, 0, 0);
  if (address == nullptr) return io_error("map", name, ::GetLastError());
  return make_source<MappedFileSource>(allocator, Mapping(address, static_cast<std::size_t>(size)), std::move(name));
}

}  // namespace

Result<OwnedSource> open_file(std::string_view path, bool use_mmap, Allocator& allocator) noexcept {
  LOQUAT_RETURN_IF_ERROR(check_path(path));
  String name(allocator, MemoryTag::metadata);
  if (!name.append(path)) return out_of_memory(path.size(), "a file's path");
  Array<wchar_t> wide(allocator, MemoryTag::metadata);
  LOQUAT_RETURN_IF_ERROR(widen(path, wide));
  const DWORD attributes = ::GetFileAttributesW(wide.data());
  if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
    return make_error(ErrorCode::io, "'{}' is a directory, expected a model file", ShownPath(path).view())
        .with_name(path);
  }
  Handle file(::CreateFileW(wide.data(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING,
                            FILE_ATTRIBUTE_NORMAL, nullptr));
  if (file.get() == nullptr) return io_error("open", path, ::GetLastError());
  LOQUAT_ASSIGN_OR_RETURN(const std::uint64_t size, regular_file_size(file, path));
  if (use_mmap) return map_file(std::move(file), size, std::move(name), allocator);
  return make_source<ReadFileSource>(allocator, std::move(file), size, std::move(name));
}

}  // namespace loquat::inline LOQUAT_ABI::gguf
