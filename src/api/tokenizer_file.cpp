// SPDX-License-Identifier: MIT
// A tokenizer without its model.
#include <loquat/model.hpp>

#include "base/error.hpp"
#include "format/source.hpp"
#include "models/vocabulary_loader.hpp"

namespace loquat::inline LOQUAT_ABI {

Result<Tokenizer> load_tokenizer(std::string_view path, const LoadOptions& options) noexcept {
  Allocator& allocator = options.host.allocator != nullptr ? *options.host.allocator : default_allocator();
  LOQUAT_ASSIGN_OR_RETURN(const gguf::ModelFile file, gguf::open_model(path, options.use_mmap, allocator));
  return models::load_tokenizer(file.description, options.pre_tokenizer, options.host.log, allocator);
}

}  // namespace loquat::inline LOQUAT_ABI
