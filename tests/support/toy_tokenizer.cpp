// SPDX-License-Identifier: MIT
#include "support/toy_tokenizer.hpp"

#include <cstdio>

namespace loquat_test {

namespace {

constexpr std::int32_t kNormal = 1;
constexpr std::int32_t kUnknown = 2;
constexpr std::int32_t kControl = 3;
constexpr std::int32_t kUserDefined = 4;
constexpr std::int32_t kByte = 6;

const char* const kSpace = "\xE2\x96\x81";  // U+2581, SentencePiece's space

std::string utf8(std::uint32_t code) {
  if (code < 0x80) return {static_cast<char>(code)};
  return {static_cast<char>(0xC0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3F))};
}

/// GPT-2's alphabet: printable Latin-1 bytes stand for themselves, the other 68 for U+0100 and up, in order.
std::string byte_letter(std::uint32_t byte, std::uint32_t& n_moved) {
  const bool is_printable = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
  return utf8(is_printable ? byte : 0x100 + n_moved++);
}

void add(ToyVocabularyTables& tables, const std::string& text, std::int32_t type, float score = 0) {
  tables.tokens.push_back(text);
  tables.types.push_back(type);
  tables.scores.push_back(score);
}

void add_chat_tokens(ToyVocabularyTables& tables) {
  add(tables, "<|im_start|>", kControl);
  add(tables, "<|im_end|>", kControl);
  add(tables, "<tool>", kUserDefined);
}

}  // namespace

ToyVocabularyTables make_toy_bpe() {
  ToyVocabularyTables tables;
  std::uint32_t n_moved = 0;
  for (std::uint32_t byte = 0; byte < 256; ++byte) add(tables, byte_letter(byte, n_moved), kNormal);
  // U+0120 stands for a space, U+010A for a line feed.
  // clang-format off
  tables.merges = {"\xC4\xA0 t", "h e", "\xC4\xA0t he", "i n", "a n", "\xC4\xA0 a", "e r", "o n", "r e", "n d",
                   "\xC4\xA0" "a nd", "o u", "l l", "H e", "i s", "\xC4\xA0 w", "\xC4\xA0w o", "\xC4\xA0 i",
                   "in g", "t i", "ti on", "\xC4\x8A \xC4\x8A", "\xC4\xA0 \xC4\xA0", "He ll"};
  // clang-format on
  for (const std::string& merge : tables.merges) {
    const std::size_t gap = merge.find(' ');
    add(tables, merge.substr(0, gap) + merge.substr(gap + 1), kNormal);
  }
  tables.bos = static_cast<std::uint32_t>(tables.tokens.size());
  add(tables, "<|endoftext|>", kControl);
  add_chat_tokens(tables);
  tables.eos = tables.bos + 2;
  tables.scores.clear();
  return tables;
}

ToyVocabularyTables make_toy_spm() {
  ToyVocabularyTables tables;
  add(tables, "<unk>", kUnknown);
  add(tables, "<s>", kControl);
  add(tables, "</s>", kControl);
  for (unsigned byte = 0; byte < 256; ++byte) {
    char text[8];
    std::snprintf(text, sizeof text, "<0x%02X>", byte);
    add(tables, text, kByte);
  }
  const std::string space = kSpace;
  const std::vector<std::string> pieces = {
      space + "t", "he",        space + "the", "in",          "an", space + "a", "er",         "on",
      "re",        "nd",        "ou",          space + "and", "ll", "He",        "Hell",       "is",
      "ing",       space + "w", space + "wo",  space + "i",   "ti", "tion",      space + space};
  float score = 0;
  for (const std::string& piece : pieces) add(tables, piece, kNormal, -score++);
  // Single characters come last, as a SentencePiece trainer writes them: the lowest scores.
  add(tables, space, kNormal, -score++);
  for (char c = '!'; c <= '~'; ++c) add(tables, {c}, kNormal, -score++);
  add(tables, "\xC3\xA9", kNormal, -score++);
  add_chat_tokens(tables);
  tables.bos = 1;
  tables.eos = 2;
  return tables;
}

}  // namespace loquat_test
