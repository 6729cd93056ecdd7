// SPDX-License-Identifier: MIT
// The scanner behind all pre-split rules. What a regular expression engine would find by backtracking is computed
// directly: each shape knows where its greedy match ends.
#include "text/pre_tokenizer.hpp"

#include <algorithm>
#include <array>

#include "base/assert.hpp"
#include "base/utf8.hpp"
#include "text/byte_alphabet.hpp"
#include "text/unicode.hpp"

namespace loquat::inline LOQUAT_ABI::text {

namespace {

struct Scanned {
  std::uint32_t traits;
  std::uint32_t code_point;
  std::uint32_t bytes;
};

constexpr std::uint32_t ascii_traits(std::uint32_t c) noexcept {
  if (c == '\r' || c == '\n') return trait::kOther | trait::kSpace | trait::kNewline;
  if (c >= 9 && c <= 13) return trait::kOther | trait::kSpace;
  if (c == ' ') return trait::kSeparator | trait::kSpace | trait::kBlank;
  if (c < 0x20 || c == 0x7F) return trait::kOther;
  if (c >= '0' && c <= '9') return trait::kNumber | trait::kAsciiDigit | trait::kCountable;
  if (c >= 'A' && c <= 'Z') return trait::kUpper | trait::kAsciiLetter;
  if (c >= 'a' && c <= 'z') return trait::kLower | trait::kAsciiLetter;
  const bool is_symbol = c == '$' || c == '+' || (c >= '<' && c <= '>') || c == '^' || c == '`' || c == '|' || c == '~';
  return trait::kAsciiPunctuation | (is_symbol ? trait::kSymbol : trait::kPunctuation) | (c == '/' ? trait::kSlash : 0);
}

constexpr std::array<std::uint32_t, 128> make_ascii_traits() noexcept {
  std::array<std::uint32_t, 128> table{};
  for (std::uint32_t c = 0; c < 128; ++c) table[c] = ascii_traits(c);
  return table;
}
constexpr std::array<std::uint32_t, 128> kAsciiTraits = make_ascii_traits();

/// Digits of scripts that came with Unicode 17, a version newer than our categories.
constexpr bool is_number_of_unicode_17(std::uint32_t c) noexcept {
  return (c >= 0x11DE0 && c <= 0x11DE9) || (c >= 0x16FF4 && c <= 0x16FF6);
}

std::uint32_t traits_of(std::uint32_t c) noexcept {
  if (c < 0x80) return kAsciiTraits[c];
  const Category category = category_of(c);
  std::uint32_t traits = 1u << static_cast<std::uint32_t>(category);
  if (category == Category::separator || c == 0x85) traits |= trait::kSpace;
  if (category == Category::number || is_number_of_unicode_17(c)) traits |= trait::kCountable;
  if ((c >= 0x4E00 && c <= 0x9FA5) || (c >= 0x3040 && c <= 0x30FF)) traits |= trait::kKanaOrIdeograph;
  return traits;
}

/// One text under one pass: answers where a match that begins at a place ends.
class Matcher {
 public:
  Matcher(std::string_view text, std::size_t end, bool on_bytes) noexcept
      : text_(text), end_(end), on_bytes_(on_bytes) {}

  /// Requires  at < end
  Scanned scan(std::size_t at) const noexcept {
    const std::uint32_t byte = static_cast<unsigned char>(text_[at]);
    if (on_bytes_) {
      const std::uint32_t letter = kByteAlphabet.letter_of[byte];
      return {traits_of(letter), letter, 1};
    }
    if (byte < 0x80) return {kAsciiTraits[byte], byte, 1};
    const utf8::CodePoint next = utf8::decode(text_, at);
    return {traits_of(next.value), next.value, next.bytes};
  }

  /// End of the match, or `at` where there is none; then none begins before `retry` either.
  std::size_t match(const Alternative& alternative, std::size_t at, std::size_t& retry) const noexcept {
    retry = at + scan(at).bytes;
    switch (alternative.shape) {
      case Alternative::Shape::run: return match_run(alternative, at);
      case Alternative::Shape::contraction: return skip_contraction(alternative.contraction, at);
      case Alternative::Shape::cased_word: return match_cased_word(alternative, at);
      case Alternative::Shape::to_newline: return match_to_newline(at);
      case Alternative::Shape::before_word: return match_before_word(at);
      case Alternative::Shape::at_end: return match_at_end(at, retry);
    }
    return at;
  }

 private:
  static constexpr CharacterSet kSpaces{trait::kSpace, 0};

  std::size_t skip(const CharacterSet& set, std::uint32_t most, std::size_t at) const noexcept {
    for (; at < end_ && most > 0; --most) {
      const Scanned next = scan(at);
      if (!set.has(next.traits)) break;
      at += next.bytes;
    }
    return at;
  }

  static bool is_in(std::span<const CodePointRange> ranges, std::uint32_t code_point) noexcept {
    const auto after = std::upper_bound(ranges.begin(), ranges.end(), code_point,
                                        [](std::uint32_t c, const CodePointRange& range) { return c < range.first; });
    return after != ranges.begin() && code_point <= (after - 1)->last;
  }

  /// End of body{least,most}, or `begin` where it does not match.
  std::size_t skip_body(const Alternative& a, std::size_t begin) const noexcept {
    std::uint32_t n = 0;
    std::size_t at = begin;
    for (; at < end_ && n < a.most; ++n) {
      const Scanned next = scan(at);
      if (!(a.ranges.empty() ? a.body.has(next.traits) : is_in(a.ranges, next.code_point))) break;
      at += next.bytes;
    }
    return n < a.least ? begin : at;
  }

  /// End of the one code point in front, or `at` where the prefix does not match.
  std::size_t skip_prefix(const Alternative& a, std::size_t at) const noexcept {
    return a.prefix_presence == Presence::none ? at : skip(a.prefix, 1, at);
  }

  std::size_t match_run(const Alternative& a, std::size_t at) const noexcept {
    std::size_t body = skip_prefix(a, at);
    if (a.prefix_presence == Presence::required && body == at) return at;
    std::size_t end = skip_body(a, body);
    if (end == body) {  // nothing behind the prefix: the prefix may be the body
      if (a.prefix_presence != Presence::optional || body == at) return at;
      end = skip_body(a, at);
      if (end == at) return at;
    }
    end = skip(a.suffix, a.suffix_most, end);
    return skip_contraction(a.contraction, end);
  }

  std::size_t skip_contraction(Contraction kind, std::size_t at) const noexcept {
    if (kind == Contraction::none || end_ - at < 2 || text_[at] != '\'') return at;
    const bool any_case = kind == Contraction::any_case;
    const auto small = [&](std::size_t i) {
      const char c = i < end_ ? text_[i] : '\0';
      return any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    const char first = small(at + 1);
    if (first == 's' || first == 't' || first == 'm' || first == 'd') return at + 2;
    if (any_case && end_ - at >= 3 && text_.substr(at + 1, 2) == "\xC5\xBF") return at + 3;  // U+017F folds to s
    const char second = small(at + 2);
    const bool is_pair =
        (first == 'r' && second == 'e') || (first == 'v' && second == 'e') || (first == 'l' && second == 'l');
    return is_pair ? at + 3 : at;
  }

  struct CasedWord {
    std::size_t upper_then_lower;  ///< end of U*W+, or where it was looked for
    std::size_t upper;             ///< end of U+W*, likewise
  };
  CasedWord cased_word(std::size_t at) const noexcept {
    constexpr std::uint32_t kCaseless = trait::kModifier | trait::kOtherLetter | trait::kMark;
    constexpr CharacterSet kUpperSide{trait::kUpper | trait::kTitle | kCaseless, 0};
    constexpr CharacterSet kLowerSide{trait::kLower | kCaseless, 0};
    std::size_t upper_end = at;
    std::size_t after_last_caseless = at;
    while (upper_end < end_) {
      const Scanned next = scan(upper_end);
      if (!kUpperSide.has(next.traits)) break;
      upper_end += next.bytes;
      if (kLowerSide.has(next.traits)) after_last_caseless = upper_end;
    }
    const std::size_t lower_end = skip(kLowerSide, ~std::uint32_t{0}, upper_end);
    // U* gives back until W+ has something: the last character of its run that is on both sides.
    return {lower_end > upper_end ? lower_end : after_last_caseless, upper_end};
  }

  std::size_t match_cased_word(const Alternative& a, std::size_t at) const noexcept {
    const std::size_t behind = skip_prefix(a, at);
    const CasedWord with = cased_word(behind);
    const CasedWord without = behind == at ? with : cased_word(at);
    std::size_t end = at;
    if (with.upper_then_lower > behind) {
      end = with.upper_then_lower;
    } else if (without.upper_then_lower > at) {
      end = without.upper_then_lower;
    } else if (with.upper > behind) {
      end = with.upper;
    } else if (without.upper > at) {
      end = without.upper;
    }
    return end == at ? at : skip_contraction(a.contraction, end);
  }

  std::size_t match_to_newline(std::size_t at) const noexcept {
    std::size_t end = at;
    while (at < end_) {
      const Scanned next = scan(at);
      if (!kSpaces.has(next.traits)) break;
      at += next.bytes;
      if ((next.traits & trait::kNewline) != 0) end = at;
    }
    return end;
  }

  std::size_t match_before_word(std::size_t at) const noexcept {
    std::size_t last = at;
    std::size_t end = at;
    while (end < end_) {
      const Scanned next = scan(end);
      if (!kSpaces.has(next.traits)) return last;
      last = end;
      end += next.bytes;
    }
    return end;
  }

  std::size_t match_at_end(std::size_t at, std::size_t& retry) const noexcept {
    const std::size_t end = skip(kSpaces, ~std::uint32_t{0}, at);
    if (end == end_) return end;
    retry = std::max(retry, end);
    return at;
  }

  std::string_view text_;
  std::size_t end_;
  bool on_bytes_;
};

}  // namespace

const PreTokenizerRule* find_pre_tokenizer(std::string_view name) noexcept {
  for (const PreTokenizerRule& rule : pre_tokenizer_rules()) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

PreTokenizer::PreTokenizer(const PreTokenizerRule& rule, std::string_view text) noexcept
    : passes_(rule.passes), text_(text) {
  LOQUAT_ASSERT(passes_.size() <= kMaxPasses);
  levels_[0].end = text.size();
}

std::size_t PreTokenizer::cut(const Pass& pass, Level& level) const noexcept {
  if (level.match_end > level.at) return level.match_end;
  const Matcher matcher(text_, level.end, pass.on_bytes);
  for (std::size_t at = level.at; at < level.end;) {
    std::size_t next = level.end;
    for (const Alternative& alternative : pass.alternatives) {
      std::size_t retry = at;
      const std::size_t end = matcher.match(alternative, at, retry);
      if (end > at) {
        level.match_end = end;
        return at > level.at ? at : end;
      }
      next = std::min(next, retry);
    }
    at = next;
  }
  return level.end;
}

bool PreTokenizer::next(std::string_view& piece) noexcept {
  while (depth_ > 0 && levels_[depth_].at == levels_[depth_].end) --depth_;
  while (levels_[depth_].at < levels_[depth_].end) {
    Level& level = levels_[depth_];
    const std::size_t begin = level.at;
    const std::size_t end = depth_ < passes_.size() ? cut(passes_[depth_], level) : level.end;
    level.at = end;
    if (depth_ + 1 >= passes_.size()) {
      piece = text_.substr(begin, end - begin);
      return true;
    }
    ++depth_;
    levels_[depth_] = Level{begin, 0, end};
  }
  return false;
}

}  // namespace loquat::inline LOQUAT_ABI::text
