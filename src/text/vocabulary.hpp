// SPDX-License-Identifier: MIT
// What a tokenizer is made of, as the file gives it. text/ depends on base only, so the loader fills this in.
#ifndef LOQUAT_TEXT_VOCABULARY_HPP
#define LOQUAT_TEXT_VOCABULARY_HPP

#include <loquat/array.hpp>
#include <loquat/result.hpp>
#include <loquat/tokenizer.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace loquat::inline LOQUAT_ABI::text {

/// Views are used while the tokenizer is built and copied into it.
struct VocabularySource {
  std::string_view model;               ///< `tokenizer.ggml.model`: "gpt2", "llama", ...
  std::optional<std::string_view> pre;  ///< `tokenizer.ggml.pre`; absent: "default", noted in the log
  std::span<const std::string_view> tokens;
  std::span<const float> scores;             ///< one a token, or empty
  std::span<const std::int32_t> types;       ///< GGUF token_type numbers 1..6, one a token, or empty (all normal)
  std::span<const std::string_view> merges;  ///< "left right"
  SpecialTokens special;                     ///< ids already range-checked, -1 where absent
  std::optional<bool> add_space_prefix;
  bool strips_after_control = false;  ///< white space behind control tokens is dropped (Phi-3; no key says so)
  Token eot = -1;                     ///< `eot_token_id`, `eom_token_id` where given
  Token eom = -1;
};

/// A stretch of text for encoding: content can never become a control token, whatever the options (promise K6).
struct Segment {
  std::size_t begin = 0;  ///< bytes
  std::size_t end = 0;
};

/// What is odd about a vocabulary but no reason to refuse it; the loader tells the log.
struct BuildReport {
  std::size_t duplicate_tokens = 0;     ///< spellings that an earlier id has: the lowest id counts
  std::size_t unusable_merges = 0;      ///< parts or result are not normal tokens
  std::size_t bytes_without_token = 0;  ///< of the 256: they vanish from text, or become the unknown token
};

/// Whether the published tokenizer of this pre-tokenizer name puts a begin-of-sequence token in front: for files that do not say.
bool adds_bos(const VocabularySource& source) noexcept;

/// Builds the shared state behind loquat::Tokenizer.
///
/// Errors    unsupported_tokenizer: model or pre unknown, naming it and the known ones (promise K8);
///           malformed: array lengths that differ, a merge that is not two spellings; out_of_memory
Result<Tokenizer> make_tokenizer(const VocabularySource& source, Allocator& allocator,
                                 BuildReport* report = nullptr) noexcept;

/// Encodes text in which `content` (ascending, disjoint) marks what users wrote: special texts match only outside.
/// Pre-tokenization and merges run across the borders, as they do in the published software.
Result<Array<Token>> encode_segments(const Tokenizer& tokenizer, std::string_view text,
                                     std::span<const Segment> content, const EncodeOptions& options) noexcept;

struct EncodeReport {
  std::uint64_t bytes_without_token = 0;  ///< bytes of the text that vanished (promise K2)
  std::uint64_t pairs_looked_up = 0;      ///< what merging took, for tests of growth (promise K3)
};
/// encode_segments() without a begin-of-sequence token, appending to `ids`.
///
/// Requires  the tokenizer is not empty
Status encode_into(const Tokenizer& tokenizer, std::string_view text, std::span<const Segment> content,
                   const EncodeOptions& options, Array<Token>& ids, EncodeReport* report = nullptr) noexcept;

/// Bytes that the tokenizer holds.
std::size_t memory_of(const Tokenizer& tokenizer) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::text

#endif  // LOQUAT_TEXT_VOCABULARY_HPP
