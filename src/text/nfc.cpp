// SPDX-License-Identifier: MIT
// NFC as UAX #15 and chapter 3.11 of the standard define it: decompose canonically, put marks in canonical order,
// compose. Works segment by segment; a segment is a starter and what follows it up to the next character that
// cannot combine backwards, so memory is bounded by the longest run of marks.
#include "text/nfc.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/utf8.hpp"
#include "text/unicode.hpp"
#include "text/unicode_tables.hpp"

namespace loquat::inline LOQUAT_ABI::text {

namespace {

// Hangul syllables are composed by arithmetic (section 3.12): 19 leading, 21 vowels, 27 trailing consonants.
constexpr std::uint32_t kSyllables = 0xAC00, kLeading = 0x1100, kVowels = 0x1161, kTrailing = 0x11A7;
constexpr std::uint32_t kLeadingCount = 19, kVowelCount = 21, kTrailingCount = 28;
constexpr std::uint32_t kSyllableCount = kLeadingCount * kVowelCount * kTrailingCount;

bool is_unstable(std::uint32_t code_point) noexcept {
  if (code_point < 0x300) return false;
  const std::span ranges(unicode_tables::kNfcUnstable, unicode_tables::kNfcUnstable_size);
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), code_point,
                       [](std::uint32_t value, const unicode_tables::Range& range) { return value < range.first; });
  return after != ranges.begin() && code_point <= (after - 1)->last;
}

const unicode_tables::Decomposition* decomposition_of(std::uint32_t code_point) noexcept {
  const std::span all(unicode_tables::kDecompositions, unicode_tables::kDecompositions_size);
  const auto at = std::lower_bound(
      all.begin(), all.end(), code_point,
      [](const unicode_tables::Decomposition& d, std::uint32_t value) { return d.code_point < value; });
  return at != all.end() && at->code_point == code_point ? &*at : nullptr;
}

/// The composite of two code points, or 0.
std::uint32_t compose(std::uint32_t first, std::uint32_t second) noexcept {
  if (first - kLeading < kLeadingCount && second - kVowels < kVowelCount) {
    return kSyllables + ((first - kLeading) * kVowelCount + (second - kVowels)) * kTrailingCount;
  }
  if (first - kSyllables < kSyllableCount && (first - kSyllables) % kTrailingCount == 0 && second > kTrailing &&
      second < kTrailing + kTrailingCount) {
    return first + (second - kTrailing);
  }
  const std::span all(unicode_tables::kCompositions, unicode_tables::kCompositions_size);
  const auto at = std::lower_bound(
      all.begin(), all.end(), std::pair(first, second),
      [](const unicode_tables::Composition& c, const auto& pair) { return std::pair(c.first, c.second) < pair; });
  return at != all.end() && at->first == first && at->second == second ? at->composed : 0;
}

struct Character {
  std::uint32_t code_point;
  std::uint8_t combining_class;
};

class Normalizer {
 public:
  explicit Normalizer(String& out) noexcept
      : out_(out), segment_(out.chars().allocator()), sorted_(out.chars().allocator()) {}

  bool run(std::string_view text) noexcept {
    for (std::size_t i = 0; i < text.size();) {
      const utf8::CodePoint next = utf8::decode(text, i);
      if (!next.is_valid) {
        if (!finish_segment() || !out_.append(text.substr(i, next.bytes))) return false;
      } else {
        // A character that is stable and a starter begins a segment: nothing before can reach across it.
        if (!is_unstable(next.value) && combining_class(next.value) == 0 && !finish_segment()) return false;
        if (!decompose(next.value)) return false;
      }
      i += next.bytes;
    }
    return finish_segment();
  }

 private:
  bool push(std::uint32_t code_point) noexcept { return segment_.push_back({code_point, combining_class(code_point)}); }

  bool decompose(std::uint32_t code_point) noexcept {
    if (code_point - kSyllables < kSyllableCount) {
      const std::uint32_t index = code_point - kSyllables;
      const std::uint32_t trailing = index % kTrailingCount;
      return push(kLeading + index / (kVowelCount * kTrailingCount)) &&
             push(kVowels + index / kTrailingCount % kVowelCount) && (trailing == 0 || push(kTrailing + trailing));
    }
    // Only the first part decomposes further, at most four times (U+1F82, U+1FA7 and their like).
    std::uint32_t seconds[4];
    std::size_t n_seconds = 0;
    while (const auto* parts = decomposition_of(code_point)) {
      if (parts->second != 0 && n_seconds < std::size(seconds)) seconds[n_seconds++] = parts->second;
      code_point = parts->first;
    }
    if (!push(code_point)) return false;
    while (n_seconds > 0) {
      if (!push(seconds[--n_seconds])) return false;
    }
    return true;
  }

  /// Stable order by combining class within each run of marks.
  bool sort_marks() noexcept {
    for (std::size_t i = 0; i < segment_.size();) {
      if (segment_[i].combining_class == 0) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < segment_.size() && segment_[end].combining_class != 0) ++end;
      if (!sort_run(std::span(segment_.data() + i, end - i))) return false;
      i = end;
    }
    return true;
  }

  bool sort_run(std::span<Character> run) noexcept {
    const auto by_class = [](const Character& a, const Character& b) { return a.combining_class < b.combining_class; };
    if (std::is_sorted(run.begin(), run.end(), by_class)) return true;
    sorted_.clear();
    std::uint32_t begin[257] = {};
    for (const Character& c : run) ++begin[c.combining_class + 1];
    for (std::size_t c = 1; c < std::size(begin); ++c) begin[c] += begin[c - 1];
    if (!sorted_.resize(run.size())) return false;
    for (const Character& c : run) sorted_[begin[c.combining_class]++] = c;
    std::copy(sorted_.begin(), sorted_.end(), run.begin());
    return true;
  }

  /// Composes in place: each character joins the last starter unless one of equal or higher class, or another
  /// starter, stands between (definition D117).
  void compose_segment() noexcept {
    constexpr std::size_t kNone = ~std::size_t{0};
    std::size_t starter = kNone;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < segment_.size(); ++i) {
      const Character c = segment_[i];
      if (starter != kNone) {
        const bool is_adjacent = kept == starter + 1;
        const bool is_blocked = !is_adjacent && segment_[kept - 1].combining_class >= c.combining_class;
        const std::uint32_t composite = is_blocked ? 0 : compose(segment_[starter].code_point, c.code_point);
        if (composite != 0) {
          segment_[starter].code_point = composite;
          continue;
        }
      }
      if (c.combining_class == 0) starter = kept;
      segment_[kept++] = c;
    }
    segment_.truncate(kept);
  }

  bool finish_segment() noexcept {
    if (segment_.empty()) return true;
    if (!sort_marks()) return false;
    compose_segment();
    for (const Character& c : segment_) {
      char bytes[4];
      if (!out_.append(std::string_view(bytes, utf8::encode(c.code_point, bytes)))) return false;
    }
    segment_.clear();
    return true;
  }

  String& out_;
  Array<Character> segment_;
  Array<Character> sorted_;
};

}  // namespace

bool needs_nfc(std::string_view text) noexcept {
  bool may_change = false;
  std::uint8_t last_class = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      last_class = 0;
      ++i;
      continue;
    }
    const utf8::CodePoint next = utf8::decode(text, i);
    if (!next.is_valid) return false;
    const std::uint8_t combining = combining_class(next.value);
    may_change = may_change || is_unstable(next.value) || (combining != 0 && combining < last_class);
    last_class = combining;
    i += next.bytes;
  }
  return may_change;
}

bool normalize_nfc(std::string_view text, String& normalized) noexcept {
  normalized.clear();
  if (!normalized.reserve(text.size())) return false;
  return Normalizer(normalized).run(text);
}

}  // namespace loquat::inline LOQUAT_ABI::text
