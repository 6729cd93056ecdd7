// SPDX-License-Identifier: MIT
// Cuts text into the pieces inside which byte-pair merges happen. Published tokenizers describe the cuts by regular
// expressions; here each is a row of data over one scanner, which needs no backtracking, no stack and no memory.
#ifndef LOQUAT_TEXT_PRE_TOKENIZER_HPP
#define LOQUAT_TEXT_PRE_TOKENIZER_HPP

#include <loquat/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace loquat::inline LOQUAT_ABI::text {

/// Properties of a code point, one bit each. A byte that is not UTF-8 has those of U+FFFD (a symbol).
namespace trait {
inline constexpr std::uint32_t kUpper = 1u << 0;  // the first eleven in the order of text::Category
inline constexpr std::uint32_t kLower = 1u << 1;
inline constexpr std::uint32_t kTitle = 1u << 2;
inline constexpr std::uint32_t kModifier = 1u << 3;
inline constexpr std::uint32_t kOtherLetter = 1u << 4;
inline constexpr std::uint32_t kMark = 1u << 5;
inline constexpr std::uint32_t kNumber = 1u << 6;
inline constexpr std::uint32_t kPunctuation = 1u << 7;
inline constexpr std::uint32_t kSymbol = 1u << 8;
inline constexpr std::uint32_t kSeparator = 1u << 9;
inline constexpr std::uint32_t kOther = 1u << 10;
inline constexpr std::uint32_t kSpace = 1u << 11;             ///< White_Space: \s
inline constexpr std::uint32_t kNewline = 1u << 12;           ///< \r \n
inline constexpr std::uint32_t kBlank = 1u << 13;             ///< U+0020
inline constexpr std::uint32_t kSlash = 1u << 14;             ///< /
inline constexpr std::uint32_t kAsciiLetter = 1u << 15;       ///< A-Z a-z
inline constexpr std::uint32_t kAsciiDigit = 1u << 16;        ///< 0-9
inline constexpr std::uint32_t kAsciiPunctuation = 1u << 17;  ///< the 32 visible ASCII characters that are neither
inline constexpr std::uint32_t kKanaOrIdeograph = 1u << 18;   ///< U+4E00-9FA5, U+3040-30FF
inline constexpr std::uint32_t kCountable = 1u << 19;  ///< number of Unicode 17: what Hugging Face's Digits step takes
inline constexpr std::uint32_t kLetter = kUpper | kLower | kTitle | kModifier | kOtherLetter;
inline constexpr std::uint32_t kAny = ~std::uint32_t{0};
}  // namespace trait

/// Code points with one of the traits `any` and none of `none`. Without `any`: no code point.
struct CharacterSet {
  std::uint32_t any = 0;
  std::uint32_t none = 0;
  constexpr bool has(std::uint32_t traits) const noexcept { return (traits & any) != 0 && (traits & none) == 0; }
};

struct CodePointRange {
  std::uint32_t first;
  std::uint32_t last;
};

enum class Presence : std::uint8_t { none, optional, required };
/// `'s 't 're 've 'm 'll 'd`, small letters only or in any case (U+017F counts as an s).
enum class Contraction : std::uint8_t { none, small, any_case };

/// One alternative of a pattern.
struct Alternative {
  enum class Shape : std::uint8_t {
    run,          ///< prefix? body{least,most} suffix{0,suffix_most} contraction?
    contraction,  ///< a contraction alone
    cased_word,   ///< prefix? then U*W+, else U+W*, then contraction?  U: not lower case, W: not upper or title case
    to_newline,   ///< \s*[\r\n]+: white space up to its last newline
    before_word,  ///< \s+(?!\S): white space, but its last character only at the end of the text
    at_end,       ///< \s+$: white space at the end of the text
  };
  Shape shape = Shape::run;
  Presence prefix_presence = Presence::none;
  CharacterSet prefix{};
  CharacterSet body{};
  std::span<const CodePointRange> ranges{};  ///< `run`: the body by code points, instead of by traits
  std::uint32_t least = 1;
  std::uint32_t most = ~std::uint32_t{0};
  CharacterSet suffix{};
  std::uint32_t suffix_most = ~std::uint32_t{0};
  Contraction contraction = Contraction::none;
};

/// First alternative that matches wins; what lies between matches is a piece of its own. Later passes cut each piece
/// of the one before on its own.
struct Pass {
  std::span<const Alternative> alternatives;
  bool on_bytes = false;  ///< sees each byte as the code point of the byte-level alphabet (published order of falcon)
};

struct PreTokenizerRule {
  std::string_view name;  ///< `tokenizer.ggml.pre`
  std::span<const Pass> passes;
  bool normalizes = false;   ///< the published tokenizer applies NFC first
  bool whole_words = false;  ///< a piece that is a token is not built by merges
  bool adds_bos = false;     ///< the published tokenizer begins with its begin-of-sequence token
};

/// All rules, for messages.
std::span<const PreTokenizerRule> pre_tokenizer_rules() noexcept;
/// Null when there is none of that name.
const PreTokenizerRule* find_pre_tokenizer(std::string_view name) noexcept;

/// Gives the pieces of one text in order; together they are the text.
///
/// Cost      O(text); each code point is looked at by a bounded number of alternatives
class PreTokenizer {
 public:
  static constexpr std::size_t kMaxPasses = 6;

  PreTokenizer(const PreTokenizerRule& rule, std::string_view text) noexcept;
  /// False at the end.
  bool next(std::string_view& piece) noexcept;

 private:
  struct Level {
    std::size_t at = 0;
    std::size_t match_end = 0;  ///< a match that was found while skipping what lies before it, else 0
    std::size_t end = 0;
  };
  std::size_t cut(const Pass& pass, Level& level) const noexcept;

  std::span<const Pass> passes_;
  std::string_view text_;
  Level levels_[kMaxPasses + 1];
  std::size_t depth_ = 0;
};

}  // namespace loquat::inline LOQUAT_ABI::text

#endif  // LOQUAT_TEXT_PRE_TOKENIZER_HPP
