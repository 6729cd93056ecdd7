// SPDX-License-Identifier: MIT
// Any text through every pre-split rule and both models (K2, K5, K7, S1, S4), and any file as a vocabulary (F5, F6).
// Input: a GGUF file, or one byte that chooses rule and options and then the text.
#include <algorithm>
#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "format/source.hpp"
#include "fuzz/fuzz_target.hpp"
#include "models/vocabulary_loader.hpp"
#include "support/toy_tokenizer.hpp"
#include "text/pre_tokenizer.hpp"
#include "text/vocabulary.hpp"

using namespace loquat;

namespace {

Tokenizer make(const loquat_test::ToyVocabularyTables& tables, std::string_view model, std::string_view pre) {
  const std::vector<std::string_view> tokens(tables.tokens.begin(), tables.tokens.end());
  const std::vector<std::string_view> merges(tables.merges.begin(), tables.merges.end());
  text::VocabularySource source;
  source.model = model;
  source.pre = pre;
  source.tokens = tokens;
  source.scores = tables.scores;
  source.types = tables.types;
  source.merges = merges;
  source.special.bos = static_cast<Token>(tables.bos);
  source.special.eos = static_cast<Token>(tables.eos);
  auto tokenizer = text::make_tokenizer(source, default_allocator());
  LOQUAT_FUZZ_CHECK(tokenizer);
  return *tokenizer;
}

/// One tokenizer a pre-split rule, then SentencePiece.
std::vector<Tokenizer> make_all() {
  std::vector<Tokenizer> all;
  for (const text::PreTokenizerRule& rule : text::pre_tokenizer_rules()) {
    all.push_back(make(loquat_test::make_toy_bpe(), "gpt2", rule.name));
  }
  all.push_back(make(loquat_test::make_toy_spm(), "llama", "default"));
  return all;
}

bool is_well_formed(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const utf8::CodePoint next = utf8::decode(text, i);
    if (!next.is_valid) return false;
    i += next.bytes;
  }
  return true;
}

std::string lossy(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size();) {
    const utf8::CodePoint next = utf8::decode(bytes, i);
    text += next.is_valid ? bytes.substr(i, next.bytes) : utf8::kReplacementBytes;
    i += next.bytes;
  }
  return text;
}

std::string stream(const Tokenizer& tokenizer, std::span<const Token> ids) {
  auto decoder = StreamDecoder::create(tokenizer, {.show_special = true});
  LOQUAT_FUZZ_CHECK(decoder);
  std::string text;
  for (const Token id : ids) {
    auto piece = decoder->push(id);
    LOQUAT_FUZZ_CHECK(piece && is_well_formed(*piece));
    text += *piece;
  }
  auto rest = decoder->flush();
  LOQUAT_FUZZ_CHECK(rest && is_well_formed(*rest));
  return text += *rest;
}

/// Gives the decoded bytes.
std::string check_text(const Tokenizer& tokenizer, std::string_view text, const EncodeOptions& options) {
  auto ids = tokenizer.encode(text, options);
  LOQUAT_FUZZ_CHECK(ids);
  auto count = tokenizer.count(text, options);
  LOQUAT_FUZZ_CHECK(count && *count == ids->size());
  for (const Token id : *ids) {
    LOQUAT_FUZZ_CHECK(id >= 0 && static_cast<std::size_t>(id) < tokenizer.vocabulary_size());
    LOQUAT_FUZZ_CHECK(options.special == Special::tokens || tokenizer.token_kind(id) != TokenKind::control);
  }
  auto bytes = tokenizer.decode(*ids, {.show_special = true});
  LOQUAT_FUZZ_CHECK(bytes);
  LOQUAT_FUZZ_CHECK(stream(tokenizer, *ids) == lossy(*bytes));
  return std::string(bytes->view());
}

void fuzz_file(std::span<const std::byte> bytes) {
  auto source = gguf::open_memory(bytes, default_allocator());
  LOQUAT_FUZZ_CHECK(source);
  auto file = gguf::parse(**source, default_allocator());
  if (!file) return;
  auto tokenizer = models::load_tokenizer(*file, {}, nullptr, default_allocator());
  if (!tokenizer) {
    LOQUAT_FUZZ_CHECK(!tokenizer.error().message().empty());
    return;
  }
  for (const Special special : {Special::plain, Special::tokens}) {
    check_text(*tokenizer, "abc  a\n<s>ab<u> \xFF\xC3\xA9 1'd", {.special = special});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Tokenizer> tokenizers = make_all();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.starts_with("GGUF")) fuzz_file(std::as_bytes(std::span(data, size)));
  if (input.empty()) return 0;
  const Tokenizer& tokenizer = tokenizers[(data[0] & 0x7Fu) % tokenizers.size()];
  const std::string_view text = input.substr(1);
  const EncodeOptions options{.special = (data[0] & 0x80u) != 0 ? Special::tokens : Special::plain};
  check_text(tokenizer, text, options);
  EncodeOptions raw = options;
  raw.normalize = false;
  const std::string back = check_text(tokenizer, text, raw);
  // The toy BPE has a token for every byte: without normalization nothing is lost.
  if (tokenizer.model_kind() == "gpt2") LOQUAT_FUZZ_CHECK(back == text);
  return 0;
}
