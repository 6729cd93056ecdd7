// SPDX-License-Identifier: MIT
// Ids, bytes and streams of published vocabularies against recorded references.
#include <map>
#include <string>

#include "support/catch.hpp"
#include "support/vectors.hpp"
#include "text/support.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

std::string shown(const Ids& ids) {
  std::string text;
  for (std::size_t i = 0; i < ids.size() && i < 40; ++i) text += std::to_string(ids[i]) + " ";
  return text;
}

// Checks are made in bulk: Catch counts and formats each CHECK, 30,000 of them would take longer than the encoding.
void check_case(const Tokenizer& tokenizer, const Case& one) {
  EncodeOptions options;
  options.special = one.parse_special ? Special::tokens : Special::plain;
  const Ids ids = encode(tokenizer, one.text, options);
  options.normalize = false;
  const Ids raw = encode(tokenizer, one.text, options);
  const DecodeOptions with_special{.show_special = true};
  const std::string bytes = decode(tokenizer, one.ids, with_special);
  const bool is_right = ids == one.ids && raw == one.ids_without_nfc && bytes == one.decoded &&
                        stream(tokenizer, one.ids, with_special) == replace_ill_formed(bytes);
  if (is_right) return;
  INFO("group " << one.group << ", special " << one.parse_special << ", text " << one.text.substr(0, 200));
  CHECK(shown(ids) == shown(one.ids));
  CHECK(shown(raw) == shown(one.ids_without_nfc));
  CHECK(bytes == one.decoded);
  FAIL_CHECK("see above");
}

const char* const kVocabularies[] = {
    "gpt-2",       "smollm",   "llama-bpe",   "qwen2",  "gpt-4o",   "tekken-reduced", "qwen35-reduced",
    "mpt",         "gpt-neox", "starcoder",   "refact", "falcon",   "deepseek-llm",   "deepseek-coder",
    "deepseek-v3", "gemma3",   "mistral-spm", "phi-3",  "baichuan", "llama-spm",
};

bool has_every_byte(const Tokenizer& tokenizer) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(static_cast<unsigned char>(byte));
    if (encode(tokenizer, {&c, 1}, {.normalize = false}).empty()) return false;
  }
  return true;
}

/// What README.md of the real models calls the end of a generation, and gpt-oss's published ends: not <|end|> there, which
/// ends one message of several.
const std::map<std::string, Ids> kEnds = {
    {"smollm", {0, 2}},
    {"qwen2", {151643, 151645}},
    {"gemma3", {1, 106}},
    {"llama-bpe", {128001, 128009}},
    {"gpt-4o", {199999, 200002, 200012}},
};

void check_broken_bytes(const Tokenizer& tokenizer, const std::vector<Case>& cases) {
  const bool is_complete = has_every_byte(tokenizer);
  for (const Case& one : cases) {
    const Ids ids = encode(tokenizer, one.text);
    const std::string back = decode(tokenizer, ids);
    if (is_complete && back != one.text) FAIL_CHECK("other bytes came back: " << one.group);
    if (stream(tokenizer, ids) != replace_ill_formed(back)) FAIL_CHECK("streamed: " << one.group);
  }
}

}  // namespace

TEST_CASE(
    "published vocabularies: ids, bytes, streams, broken bytes and ends as their references (K1, K2, K5, K7, K9, S1, "
    "S4, reports 6, 24)") {
  LOQUAT_NEED_VECTORS(folder);
  const auto broken = read_cases(folder / "tokenizers" / "invalid-utf8.cases.jsonl");
  for (const char* name : kVocabularies) {
    DYNAMIC_SECTION(name) {
      const Tokenizer tokenizer = load_vocabulary(folder, name);
      for (const Case& one : read_cases(folder / "tokenizers" / (std::string(name) + ".cases.jsonl")))
        check_case(tokenizer, one);
      check_broken_bytes(tokenizer, broken);
      const auto ends = kEnds.find(name);
      if (ends != kEnds.end())
        CHECK(Ids(tokenizer.end_of_generation().begin(), tokenizer.end_of_generation().end()) == ends->second);
    }
  }
}

TEST_CASE("most published vocabularies have a token for every byte, as their README says (K2)") {
  LOQUAT_NEED_VECTORS(folder);
  CHECK(has_every_byte(load_vocabulary(folder, "gpt-2")));
  CHECK(has_every_byte(load_vocabulary(folder, "llama-spm")));
  CHECK_FALSE(has_every_byte(load_vocabulary(folder, "smollm")));
}
