// SPDX-License-Identifier: MIT
#include "text/support.hpp"

#include <fstream>

#include "format/source.hpp"
#include "models/vocabulary_loader.hpp"
#include "support/catch.hpp"

namespace loquat_test {

using namespace loquat;

Vocabulary Vocabulary::bpe(std::string pre) {
  Vocabulary vocabulary;
  vocabulary.pre = std::move(pre);
  vocabulary.tables = make_toy_bpe();
  vocabulary.special.bos = static_cast<Token>(vocabulary.tables.bos);
  vocabulary.special.eos = static_cast<Token>(vocabulary.tables.eos);
  return vocabulary;
}

Vocabulary Vocabulary::spm() {
  Vocabulary vocabulary;
  vocabulary.model = "llama";
  vocabulary.pre = "default";
  vocabulary.tables = make_toy_spm();
  vocabulary.special.bos = static_cast<Token>(vocabulary.tables.bos);
  vocabulary.special.eos = static_cast<Token>(vocabulary.tables.eos);
  vocabulary.special.unknown = 0;
  return vocabulary;
}

Token Vocabulary::add(std::string spelling, std::int32_t type, float score) {
  tables.tokens.push_back(std::move(spelling));
  tables.types.push_back(type);
  if (!tables.scores.empty()) tables.scores.push_back(score);
  return static_cast<Token>(tables.tokens.size() - 1);
}

Result<Tokenizer> Vocabulary::make(Allocator& allocator, text::BuildReport* report) const {
  const std::vector<std::string_view> tokens(tables.tokens.begin(), tables.tokens.end());
  const std::vector<std::string_view> merges(tables.merges.begin(), tables.merges.end());
  text::VocabularySource source;
  source.model = model;
  if (pre) source.pre = *pre;
  source.tokens = tokens;
  source.scores = tables.scores;
  source.types = tables.types;
  source.merges = merges;
  source.special = special;
  source.add_space_prefix = add_space_prefix;
  source.eot = eot;
  return text::make_tokenizer(source, allocator, report);
}

Tokenizer Vocabulary::made() const {
  auto tokenizer = make();
  INFO((tokenizer ? "" : tokenizer.error().c_str()));
  REQUIRE(tokenizer);
  return *tokenizer;
}

Tokenizer load_vocabulary(const std::filesystem::path& vectors, const std::string& name) {
  const auto path = vectors / "tokenizers" / ("ggml-vocab-" + name + ".gguf");
  auto source = gguf::open_file(path.string(), true, default_allocator());
  REQUIRE(source);
  auto file = gguf::parse(**source, default_allocator());
  REQUIRE(file);
  auto tokenizer = models::load_tokenizer(*file, {}, nullptr, default_allocator());
  INFO((tokenizer ? "" : tokenizer.error().c_str()));
  REQUIRE(tokenizer);
  return *tokenizer;
}

namespace {

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  unsigned bits = 0;
  int n_bits = 0;
  for (const char c : text) {
    const int digit = base64_digit(c);
    if (digit < 0) break;
    bits = bits << 6 | static_cast<unsigned>(digit);
    n_bits += 6;
    if (n_bits < 8) continue;
    n_bits -= 8;
    bytes.push_back(static_cast<char>(bits >> n_bits & 0xFFu));
  }
  return bytes;
}

/// The value of a key in a line of the flat JSON of these files: no nesting, no escapes in what is read.
std::optional<std::string> field(const std::string& line, const std::string& key) {
  const std::string quoted = "\"" + key + "\":";
  std::size_t begin = line.find(quoted);
  if (begin == std::string::npos) return std::nullopt;
  begin += quoted.size();
  const char* close = line[begin] == '"' ? "\"" : line[begin] == '[' ? "]" : ",}";
  if (line[begin] == '"' || line[begin] == '[') ++begin;
  return line.substr(begin, line.find_first_of(close, begin) - begin);
}

Ids read_ids(const std::string& list) {
  Ids ids;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    ids.push_back(std::stoi(list.substr(at, end - at)));
    at = end + 1;
  }
  return ids;
}

}  // namespace

std::vector<Case> read_cases(const std::filesystem::path& path) {
  std::vector<Case> cases;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    Case one;
    one.text = from_base64(field(line, "text_b64").value());
    one.group = field(line, "group").value();
    one.ids = read_ids(field(line, "ids").value_or(""));
    one.ids_without_nfc = read_ids(field(line, "ids_without_nfc").value_or(field(line, "ids").value_or("")));
    const auto decoded = field(line, "decoded_b64");
    one.decoded = decoded ? from_base64(*decoded) : one.text;
    one.parse_special = field(line, "parse_special") == "true";
    cases.push_back(std::move(one));
  }
  REQUIRE(cases.size() > 100);
  return cases;
}

Ids encode(const Tokenizer& tokenizer, std::string_view text, const EncodeOptions& options) {
  auto ids = tokenizer.encode(text, options);
  REQUIRE(ids);
  return Ids(ids->begin(), ids->end());
}

std::string decode(const Tokenizer& tokenizer, const Ids& ids, const DecodeOptions& options) {
  auto text = tokenizer.decode(ids, options);
  REQUIRE(text);
  return std::string(text->view());
}

std::string stream(const Tokenizer& tokenizer, const Ids& ids, const DecodeOptions& options) {
  auto decoder = StreamDecoder::create(tokenizer, options);
  REQUIRE(decoder);
  std::string text;
  for (const Token id : ids) {
    auto piece = decoder->push(id);
    REQUIRE(piece);
    text += *piece;
  }
  auto rest = decoder->flush();
  REQUIRE(rest);
  return text += *rest;
}

std::string replace_ill_formed(std::string_view bytes) {
  // Table 3-7 of the Unicode standard: lead bytes, and what the bytes behind them may be.
  struct Row {
    int lead_low, lead_high, n_behind, second_low, second_high;
  };
  constexpr Row kRows[] = {{0x00, 0x7F, 0, 0, 0},       {0xC2, 0xDF, 1, 0x80, 0xBF}, {0xE0, 0xE0, 2, 0xA0, 0xBF},
                           {0xE1, 0xEC, 2, 0x80, 0xBF}, {0xED, 0xED, 2, 0x80, 0x9F}, {0xEE, 0xEF, 2, 0x80, 0xBF},
                           {0xF0, 0xF0, 3, 0x90, 0xBF}, {0xF1, 0xF3, 3, 0x80, 0xBF}, {0xF4, 0xF4, 3, 0x80, 0x8F}};
  std::string text;
  for (std::size_t i = 0; i < bytes.size();) {
    std::size_t n = 1;
    bool is_whole = false;
    for (const Row& row : kRows) {
      const int lead = static_cast<unsigned char>(bytes[i]);
      if (lead < row.lead_low || lead > row.lead_high) continue;
      int behind = 0;
      for (; behind < row.n_behind && i + n < bytes.size(); ++behind, ++n) {
        const int next = static_cast<unsigned char>(bytes[i + n]);
        if (next < (behind == 0 ? row.second_low : 0x80) || next > (behind == 0 ? row.second_high : 0xBF)) break;
      }
      is_whole = behind == row.n_behind;
    }
    text += is_whole ? bytes.substr(i, n) : std::string_view("\xEF\xBF\xBD");
    i += n;
  }
  return text;
}

}  // namespace loquat_test
