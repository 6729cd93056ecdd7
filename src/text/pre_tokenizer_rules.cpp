// SPDX-License-Identifier: MIT
// The table of pre-split rules. Patterns are facts of the published tokenizers (tokenizer.json of each model family);
// above each is its regular expression. Which name means which pattern follows the names that converters to GGUF write.
#include "text/pre_tokenizer.hpp"

namespace loquat::inline LOQUAT_ABI::text {

namespace {

using Shape = Alternative::Shape;

constexpr CharacterSet kLetters{trait::kLetter, 0};
constexpr CharacterSet kLettersAndMarks{trait::kLetter | trait::kMark, 0};
constexpr CharacterSet kNumbers{trait::kNumber, 0};
constexpr CharacterSet kSpaces{trait::kSpace, 0};
constexpr CharacterSet kNewlines{trait::kNewline, 0};
constexpr CharacterSet kNewlinesAndSlash{trait::kNewline | trait::kSlash, 0};
constexpr CharacterSet kBlank{trait::kBlank, 0};
constexpr CharacterSet kPunctuation{trait::kPunctuation, 0};
constexpr CharacterSet kPunctuationAndSymbols{trait::kPunctuation | trait::kSymbol, 0};
constexpr CharacterSet kOthers{trait::kAny, trait::kSpace | trait::kLetter | trait::kNumber};  // [^\s\p{L}\p{N}]
constexpr CharacterSet kOthersNoMarks{trait::kAny, trait::kSpace | trait::kLetter | trait::kNumber | trait::kMark};
constexpr CharacterSet kWordStart{trait::kAny, trait::kNewline | trait::kLetter | trait::kNumber};  // [^\r\n\p{L}\p{N}]
constexpr CharacterSet kWordStartNoSigns{trait::kAny,
                                         trait::kNewline | trait::kLetter | trait::kPunctuation | trait::kSymbol};

constexpr Alternative kSmallContraction{.shape = Shape::contraction, .contraction = Contraction::small};
constexpr Alternative kContraction{.shape = Shape::contraction, .contraction = Contraction::any_case};
constexpr Alternative kToNewline{.shape = Shape::to_newline};
constexpr Alternative kBeforeWord{.shape = Shape::before_word};
constexpr Alternative kSpaceRun{.body = kSpaces};

constexpr Alternative run(const CharacterSet& body, std::uint32_t most = ~std::uint32_t{0}) noexcept {
  return {.body = body, .most = most};
}
constexpr Alternative run_after(const CharacterSet& prefix, const CharacterSet& body,
                                const CharacterSet& suffix = {}) noexcept {
  return {.prefix_presence = Presence::optional, .prefix = prefix, .body = body, .suffix = suffix};
}

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
constexpr Alternative kGpt2Pattern[] = {
    kSmallContraction,
    run_after(kBlank, kLetters),
    run_after(kBlank, kNumbers),
    run_after(kBlank, kOthers),
    kBeforeWord,
    kSpaceRun,
};
constexpr Pass kGpt2[] = {{kGpt2Pattern}};

// Single digits, then the pattern of GPT-2 (Hugging Face's steps Digits and ByteLevel).
constexpr Alternative kSingleDigit[] = {run({trait::kCountable, 0}, 1)};
constexpr Pass kDigitsThenGpt2[] = {{kSingleDigit}, {kGpt2Pattern}};

// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
constexpr Alternative kLlama3Pattern[] = {
    kContraction,     run_after(kWordStart, kLetters),
    run(kNumbers, 3), run_after(kBlank, kOthers, kNewlines),
    kToNewline,       kBeforeWord,
    kSpaceRun,
};
constexpr Pass kLlama3[] = {{kLlama3Pattern}};

// As Llama 3, but single numbers: \p{N}
constexpr Alternative kQwen2Pattern[] = {
    kContraction,     run_after(kWordStart, kLetters),
    run(kNumbers, 1), run_after(kBlank, kOthers, kNewlines),
    kToNewline,       kBeforeWord,
    kSpaceRun,
};
constexpr Pass kQwen2[] = {{kQwen2Pattern}};

// As Qwen 2, but marks belong to words: [^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+ and  ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*
constexpr Alternative kQwen35Pattern[] = {
    kContraction,     run_after(kWordStart, kLettersAndMarks),
    run(kNumbers, 1), run_after(kBlank, kOthersNoMarks, kNewlines),
    kToNewline,       kBeforeWord,
    kSpaceRun,
};
constexpr Pass kQwen35[] = {{kQwen35Pattern}};

// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|...)?
// |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|...)?
// |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
constexpr Alternative cased_word(Contraction contraction) noexcept {
  return {.shape = Shape::cased_word,
          .prefix_presence = Presence::optional,
          .prefix = kWordStart,
          .contraction = contraction};
}
constexpr Alternative kGpt4oPattern[] = {
    cased_word(Contraction::any_case),
    run(kNumbers, 3),
    run_after(kBlank, kOthers, kNewlinesAndSlash),
    kToNewline,
    kBeforeWord,
    kSpaceRun,
};
constexpr Pass kGpt4o[] = {{kGpt4oPattern}};

// As GPT-4o without contractions and with single numbers.
constexpr Alternative kTekkenPattern[] = {
    cased_word(Contraction::none),
    run(kNumbers, 1),
    run_after(kBlank, kOthers, kNewlinesAndSlash),
    kToNewline,
    kBeforeWord,
    kSpaceRun,
};
constexpr Pass kTekken[] = {{kTekkenPattern}};

// Falcon: runs of punctuation; the pattern of GPT-2; then, on the letters of the byte alphabet, runs of numbers and
// groups of three digits.
constexpr Alternative kPunctuationRun[] = {run({trait::kPunctuation | trait::kAsciiPunctuation, 0})};
constexpr Alternative kCountableRun[] = {run({trait::kCountable, 0})};
constexpr Alternative kThreeDigitsPattern[] = {{.body = {trait::kAsciiDigit, 0}, .least = 3, .most = 3}};
constexpr Pass kFalcon[] = {{kPunctuationRun}, {kGpt2Pattern}, {kCountableRun, true}, {kThreeDigitsPattern, true}};

// DeepSeek V3: \p{N}{1,3}, then [一-龥぀-ゟ゠-ヿ]+, then
// [!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
constexpr Alternative kThreeNumbers[] = {run(kNumbers, 3)};
constexpr Alternative kKanaOrIdeographs[] = {run({trait::kKanaOrIdeograph, 0})};
constexpr Alternative kDeepseek3Pattern[] = {
    {.prefix_presence = Presence::required, .prefix = {trait::kAsciiPunctuation, 0}, .body = {trait::kAsciiLetter, 0}},
    run_after(kWordStartNoSigns, kLettersAndMarks),
    run_after(kBlank, kPunctuationAndSymbols, kNewlines),
    kToNewline,
    kBeforeWord,
    kSpaceRun,
};
constexpr Pass kDeepseek3[] = {{kThreeNumbers}, {kKanaOrIdeographs}, {kDeepseek3Pattern}};

// The older DeepSeek models: [\r\n], then \s?LETTERS+, then \s?SIGNS+, (\s+$ in the language model,) then [一-龥ࠀ-一가-퟿]+, then
// single digits. LETTERS and SIGNS are \p{L} and \p{P} in the coder; in the language model they are lists.
constexpr CodePointRange kEastAsian[] = {{0x0800, 0x9FA5}, {0xAC00, 0xD7FF}};
constexpr CodePointRange kDeepseekSigns[] = {
    {0x21, 0x2F}, {0x3A, 0x7E}, {0x2018, 0x201F}, {0x3000, 0x3002}, {0xFF01, 0xFF0F}, {0xFF1A, 0xFF5E},
};
// clang-format off
constexpr CodePointRange kDeepseekLetters[] = {
    {0x41, 0x5A}, {0x61, 0x7A}, {0xB5, 0xB5}, {0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x1BA}, {0x1BC, 0x1BF}, {0x1C4, 0x293},
    {0x295, 0x2AF}, {0x370, 0x373}, {0x376, 0x377}, {0x37B, 0x37D}, {0x37F, 0x37F}, {0x386, 0x386}, {0x388, 0x38A},
    {0x38C, 0x38C}, {0x38E, 0x3A1}, {0x3A3, 0x3F5}, {0x3F7, 0x481}, {0x48A, 0x52F}, {0x531, 0x556}, {0x10A0, 0x10C5},
    {0x13A0, 0x13F5}, {0x13F8, 0x13FD}, {0x1C90, 0x1CBA}, {0x1CBD, 0x1CBF}, {0x1D00, 0x1D2B}, {0x1D6B, 0x1D77},
    {0x1D79, 0x1D9A}, {0x1E00, 0x1F15}, {0x1F18, 0x1F1D}, {0x1F20, 0x1F45}, {0x1F48, 0x1F4D}, {0x1F50, 0x1F57},
    {0x1F59, 0x1F59}, {0x1F5B, 0x1F5B}, {0x1F5D, 0x1F5D}, {0x1F5F, 0x1F7D}, {0x1F80, 0x1FB4}, {0x1FB6, 0x1FBC},
    {0x1FBE, 0x1FBE}, {0x1FC2, 0x1FC4}, {0x1FC6, 0x1FCC}, {0x1FD0, 0x1FD3}, {0x1FD6, 0x1FDB}, {0x1FE0, 0x1FEC},
    {0x1FF2, 0x1FF4}, {0x1FF6, 0x1FFC}, {0x2102, 0x2102}, {0x2107, 0x2107}, {0x210A, 0x2113}, {0x2115, 0x2115},
    {0x2119, 0x211D}, {0x2124, 0x2124}, {0x2126, 0x2126}, {0x2128, 0x2128}, {0x212A, 0x212D}, {0x212F, 0x2134},
    {0x2139, 0x2139}, {0x213C, 0x213F}, {0x2145, 0x2149}, {0x214E, 0x214E}, {0x2183, 0x2184}, {0x2C00, 0x2C7B},
    {0x2C7E, 0x2CE4}, {0x2CEB, 0x2CEE}, {0x2CF2, 0x2CF3}, {0xA640, 0xA66D}, {0xA680, 0xA69B}, {0xA722, 0xA76F},
    {0xA771, 0xA787}, {0xA78B, 0xA78E}, {0xAB70, 0xABBF}, {0xFB00, 0xFB06}, {0xFB13, 0xFB17}, {0xFF21, 0xFF3A},
    {0xFF41, 0xFF5A}, {0x10400, 0x1044F}, {0x104B0, 0x104D3}, {0x104D8, 0x104FB}, {0x10C80, 0x10CB2},
    {0x10CC0, 0x10CF2}, {0x118A0, 0x118DF}, {0x1E900, 0x1E943},
};
// clang-format on
constexpr Alternative kNewline[] = {run(kNewlines, 1)};
constexpr Alternative kSpaceAndLetters[] = {run_after(kSpaces, kLetters)};
constexpr Alternative kSpaceAndPunctuation[] = {run_after(kSpaces, kPunctuation)};
constexpr Alternative kSpaceAndListedLetters[] = {
    {.prefix_presence = Presence::optional, .prefix = kSpaces, .ranges = kDeepseekLetters},
};
constexpr Alternative kSpaceAndListedSigns[] = {
    {.prefix_presence = Presence::optional, .prefix = kSpaces, .ranges = kDeepseekSigns},
};
constexpr Alternative kTrailingSpace[] = {{.shape = Shape::at_end}};
constexpr Alternative kEastAsianRun[] = {{.ranges = kEastAsian}};
constexpr Pass kDeepseekCoder[] = {
    {kNewline}, {kSpaceAndLetters}, {kSpaceAndPunctuation}, {kEastAsianRun}, {kSingleDigit}};
constexpr Pass kDeepseekLanguage[] = {{kNewline},       {kSpaceAndListedLetters}, {kSpaceAndListedSigns},
                                      {kTrailingSpace}, {kEastAsianRun},          {kSingleDigit}};

// "default" is what a file without the key gets: the pattern of GPT-2, which was the only one before the key existed.
constexpr PreTokenizerRule kRules[] = {
    {.name = "default", .passes = kGpt2},
    {.name = "gpt-2", .passes = kGpt2},
    {.name = "gpt-neox", .passes = kGpt2, .normalizes = true},
    {.name = "mpt", .passes = kGpt2, .normalizes = true},
    {.name = "smollm", .passes = kDigitsThenGpt2},
    {.name = "starcoder", .passes = kDigitsThenGpt2},
    {.name = "refact", .passes = kDigitsThenGpt2},
    {.name = "llama-bpe", .passes = kLlama3, .whole_words = true, .adds_bos = true},
    {.name = "llama3", .passes = kLlama3, .whole_words = true, .adds_bos = true},
    {.name = "llama-v3", .passes = kLlama3, .whole_words = true, .adds_bos = true},
    {.name = "lfm2", .passes = kLlama3, .whole_words = true, .adds_bos = true},
    {.name = "smaug-bpe", .passes = kLlama3, .whole_words = true},
    {.name = "dbrx", .passes = kLlama3},
    {.name = "qwen2", .passes = kQwen2, .normalizes = true},
    {.name = "deepseek-r1-qwen", .passes = kQwen2, .normalizes = true},
    {.name = "qwen35", .passes = kQwen35, .normalizes = true},
    {.name = "gpt-4o", .passes = kGpt4o, .whole_words = true},
    {.name = "tekken", .passes = kTekken, .whole_words = true, .adds_bos = true},
    {.name = "falcon", .passes = kFalcon},
    {.name = "deepseek-llm", .passes = kDeepseekLanguage},
    {.name = "deepseek-coder", .passes = kDeepseekCoder},
    {.name = "deepseek-v3", .passes = kDeepseek3},
};

}  // namespace

std::span<const PreTokenizerRule> pre_tokenizer_rules() noexcept { return kRules; }

}  // namespace loquat::inline LOQUAT_ABI::text
