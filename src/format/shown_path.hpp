// SPDX-License-Identifier: MIT
// A path as an error text shows it: whole, or its end where it is so long that the reason would not fit after
// it.
#ifndef LOQUAT_FORMAT_SHOWN_PATH_HPP
#define LOQUAT_FORMAT_SHOWN_PATH_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstring>
#include <string_view>

namespace loquat::inline LOQUAT_ABI::gguf {

class ShownPath {
 public:
  explicit ShownPath(std::string_view path) noexcept {
    constexpr std::string_view kDots = "...";
    const bool is_cut = path.size() > sizeof text_;
    if (is_cut) {
      path.remove_prefix(path.size() - (sizeof text_ - kDots.size()));
      while (!path.empty() && (static_cast<unsigned char>(path[0]) & 0xC0u) == 0x80u) path.remove_prefix(1);
      std::memcpy(text_, kDots.data(), kDots.size());
      size_ = kDots.size();
    }
    std::memcpy(text_ + size_, path.data(), path.size());
    size_ += path.size();
  }
  std::string_view view() const noexcept { return {text_, size_}; }

 private:
  char text_[160];  // an error text holds 368
  std::size_t size_ = 0;
};

}  // namespace loquat::inline LOQUAT_ABI::gguf

#endif  // LOQUAT_FORMAT_SHOWN_PATH_HPP
