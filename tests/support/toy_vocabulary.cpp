// SPDX-License-Identifier: MIT
#include "support/toy_vocabulary.hpp"

#include <stdexcept>

#include "text/vocabulary.hpp"

namespace loquat_test {

namespace {

/// The code point that stands for a byte: printable Latin-1 for itself, the rest from 256 on in ascending order.
unsigned spelling_of(unsigned byte) {
  const auto is_printable = [](unsigned b) { return (b >= 33 && b <= 126) || (b >= 161 && b != 173); };
  if (is_printable(byte)) return byte;
  unsigned n = 0;
  for (unsigned b = 0; b < byte; ++b) n += is_printable(b) ? 0 : 1;
  return 256 + n;
}

}  // namespace

std::string byte_level(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const unsigned code = spelling_of(static_cast<unsigned char>(c));
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else {
      text += static_cast<char>(0xC0 | code >> 6);
      text += static_cast<char>(0x80 | (code & 0x3F));
    }
  }
  return text;
}

loquat::Token ToyVocabulary::id(std::string_view piece) const {
  if (piece.size() == 1) return static_cast<unsigned char>(piece[0]);
  return tokenizer.find(byte_level(piece));
}

ToyVocabulary make_toy_vocabulary(const std::vector<std::string>& pieces) {
  std::vector<std::string> texts;
  for (unsigned byte = 0; byte < 256; ++byte) texts.push_back(byte_level(std::string(1, static_cast<char>(byte))));
  for (const std::string& piece : pieces) texts.push_back(byte_level(piece));
  std::vector<std::int32_t> types(texts.size(), 1);
  for (const char* control : {"<|end|>", "<|im_end|>", "<|marker|>"}) {
    texts.emplace_back(control);
    types.push_back(3);
  }
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  loquat::text::VocabularySource source;
  source.model = "gpt2";
  source.pre = "gpt-2";
  source.tokens = views;
  source.types = types;
  source.special.eos = static_cast<loquat::Token>(texts.size() - 3);
  auto tokenizer = loquat::text::make_tokenizer(source, loquat::default_allocator());
  if (!tokenizer) throw std::runtime_error(tokenizer.error().c_str());
  ToyVocabulary toy;
  toy.tokenizer = std::move(*tokenizer);
  toy.size = texts.size();
  toy.end_of_text = static_cast<loquat::Token>(texts.size() - 3);
  toy.end_of_turn = toy.end_of_text + 1;
  toy.marker = toy.end_of_text + 2;
  return toy;
}

}  // namespace loquat_test
