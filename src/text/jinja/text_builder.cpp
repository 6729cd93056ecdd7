// SPDX-License-Identifier: MIT
#include "text/jinja/text_builder.hpp"

#include <cstring>

namespace loquat::inline LOQUAT_ABI::text::jinja {

bool TextBuilder::start_origins(const Text& text) noexcept {
  if (has_origins_) return true;
  if (chars_.empty() && text.origins == nullptr) {
    is_content_ = text.is_content;
    return true;
  }
  if (text.origins == nullptr && text.is_content == is_content_) return true;
  if (!origins_.reserve(*arena_, chars_.size() + text.size)) return false;
  const std::uint8_t origin = is_content_ ? 1 : 0;
  for (std::size_t i = 0; i < chars_.size(); ++i) static_cast<void>(origins_.push(*arena_, origin));
  has_origins_ = true;
  return true;
}

void TextBuilder::append(const Text& text) noexcept {
  if (has_failed_ || text.size == 0) return;
  if (text.size > limit_bytes_ - chars_.size()) {
    has_failed_ = is_too_long_ = true;
    return;
  }
  const bool is_ready = start_origins(text);
  if (!is_ready || !chars_.append(*arena_, text.data, text.size)) {
    has_failed_ = true;
    return;
  }
  if (!has_origins_) return;
  if (text.origins != nullptr) {
    has_failed_ = !origins_.append(*arena_, text.origins, text.size);
    return;
  }
  const std::uint8_t origin = text.is_content ? 1 : 0;
  for (std::size_t i = 0; i < text.size && !has_failed_; ++i) has_failed_ = !origins_.push(*arena_, origin);
}

void TextBuilder::truncate(std::size_t size) noexcept {
  chars_.truncate(size);
  if (has_origins_) origins_.truncate(size);
}

Text TextBuilder::text() const noexcept {
  Text text(std::string_view(chars_.data(), chars_.size()), is_content_);
  if (has_origins_) text.origins = origins_.data();
  if (chars_.empty()) text = Text();
  return text;
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
