// SPDX-License-Identifier: MIT
// The tokenizer of a model file: reads the keys `tokenizer.ggml.*`, checks them, and has text/ build it.
#ifndef LOQUAT_MODELS_VOCABULARY_LOADER_HPP
#define LOQUAT_MODELS_VOCABULARY_LOADER_HPP

#include <loquat/host.hpp>
#include <loquat/result.hpp>
#include <loquat/tokenizer.hpp>

#include <string_view>

#include "format/gguf.hpp"

namespace loquat::inline LOQUAT_ABI::models {

/// `pre_override`, if not empty, is used instead of the file's `tokenizer.ggml.pre` (promise K8). What is odd but
/// tolerated goes to `log` (may be null): special ids out of range, duplicate tokens, merges that cannot apply, a missing
/// pre-tokenizer name (promises F5, F6).
///
/// Errors    unsupported_tokenizer: no model named, or one, or a pre-tokenizer, that is unknown; malformed: an array
///           that the model needs is absent, of another kind, or of another length; out_of_memory
Result<Tokenizer> load_tokenizer(const gguf::Description& file, std::string_view pre_override, LogSink* log,
                                 Allocator& allocator) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::models

#endif  // LOQUAT_MODELS_VOCABULARY_LOADER_HPP
