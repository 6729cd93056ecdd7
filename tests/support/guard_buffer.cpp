// SPDX-License-Identifier: MIT
#include "support/guard_buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

namespace loquat_test {

namespace {
constexpr std::byte kPattern{0xA5};
}

GuardBuffer::GuardBuffer(std::size_t bytes, Guard guard) : size_(bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  body_bytes_ = std::max<std::size_t>(1, (bytes + page - 1) / page) * page;
  mapping_bytes_ = body_bytes_ + 2 * page;
  void* mapping = mmap(nullptr, mapping_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<std::byte*>(mapping);
  body_ = mapping_ + page;
  if (mprotect(body_, body_bytes_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  std::fill_n(body_, body_bytes_, kPattern);
  data_ = guard == Guard::after ? body_ + body_bytes_ - bytes : body_;
}

GuardBuffer::~GuardBuffer() { munmap(mapping_, mapping_bytes_); }

std::span<std::byte> GuardBuffer::slack() const {
  if (data_ != body_) return {body_, static_cast<std::size_t>(data_ - body_)};
  return {data_ + size_, body_bytes_ - size_};
}

bool GuardBuffer::is_intact() const {
  return std::ranges::all_of(slack(), [](std::byte byte) { return byte == kPattern; });
}

void GuardBuffer::protect() { mprotect(body_, body_bytes_, PROT_READ); }

}  // namespace loquat_test
