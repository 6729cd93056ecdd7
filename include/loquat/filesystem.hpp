// SPDX-License-Identifier: MIT
#ifndef LOQUAT_FILESYSTEM_HPP
#define LOQUAT_FILESYSTEM_HPP

#include <loquat/config.hpp>
#include <loquat/model.hpp>

#include <filesystem>
#include <string>
#include <string_view>

// Loading from std::filesystem::path. Not part of <loquat/loquat.hpp>: <filesystem> is heavy.

namespace loquat::inline LOQUAT_ABI {

/// As Model::load(path as UTF-8, options).
inline Result<Model> load_model(const std::filesystem::path& path, const LoadOptions& options = {}) {
  const std::u8string utf8 = path.u8string();
  return Model::load(std::string_view(reinterpret_cast<const char*>(utf8.data()), utf8.size()), options);
}

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_FILESYSTEM_HPP
