// SPDX-License-Identifier: MIT
// Vocabularies as files give them: odd ones, wrong ones, unknown ones.
#include <loquat/host.hpp>

#include "format/source.hpp"
#include "models/vocabulary_loader.hpp"
#include "support/catch.hpp"
#include "support/gguf_writer.hpp"
#include "text/support.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

class Log final : public LogSink {
 public:
  void write(LogLevel level, std::string_view message) noexcept override {
    text += message;
    text += '\n';
    n_warnings += level == LogLevel::warning ? 1 : 0;
  }
  std::string text;
  int n_warnings = 0;
};

GgufWriter file_of(const Vocabulary& vocabulary) {
  GgufWriter writer;
  writer.set("general.architecture", "llama").set("tokenizer.ggml.model", vocabulary.model);
  if (vocabulary.pre) writer.set("tokenizer.ggml.pre", *vocabulary.pre);
  writer.set_array("tokenizer.ggml.tokens", vocabulary.tables.tokens)
      .set_array("tokenizer.ggml.token_type", vocabulary.tables.types);
  if (vocabulary.model == "gpt2") writer.set_array("tokenizer.ggml.merges", vocabulary.tables.merges);
  if (vocabulary.model == "llama") writer.set_array("tokenizer.ggml.scores", vocabulary.tables.scores);
  writer.set("tokenizer.ggml.bos_token_id", vocabulary.tables.bos)
      .set("tokenizer.ggml.eos_token_id", vocabulary.tables.eos);
  return writer;
}

Result<Tokenizer> load(const GgufWriter& writer, LogSink* log = nullptr, std::string_view pre_override = {}) {
  const GgufImage image = writer.build();
  auto source = gguf::open_memory(image.bytes, default_allocator());
  REQUIRE(source);
  auto file = gguf::parse(**source, default_allocator());
  REQUIRE(file);
  return models::load_tokenizer(*file, pre_override, log, default_allocator());
}

}  // namespace

TEST_CASE("a vocabulary from a file is the vocabulary") {
  for (const Vocabulary& vocabulary : {Vocabulary::bpe(), Vocabulary::spm()}) {
    Log log;
    auto tokenizer = load(file_of(vocabulary), &log);
    REQUIRE(tokenizer);
    CHECK(log.text.empty());
    CHECK(tokenizer->vocabulary_size() == vocabulary.tables.tokens.size());
    CHECK(tokenizer->model_kind() == vocabulary.model);
    CHECK(tokenizer->pre_tokenizer() == *vocabulary.pre);
    CHECK(tokenizer->special_tokens().bos == vocabulary.special.bos);
    CHECK(tokenizer->special_tokens().add_bos ==
          (vocabulary.model == "llama"));  // the default where the file is silent
    CHECK(encode(*tokenizer, "The <tool>ing") == encode(vocabulary.made(), "The <tool>ing"));
    for (std::size_t i = 0; i < vocabulary.tables.tokens.size(); ++i) {
      CHECK(tokenizer->token_text(static_cast<Token>(i)) == vocabulary.tables.tokens[i]);
    }
  }
}

TEST_CASE(
    "an invented pre-tokenizer name is an error that names it and the known ones; an override helps (K8, report 22)") {
  const GgufWriter writer = file_of(Vocabulary::bpe("no-such-pre"));
  auto refused = load(writer);
  REQUIRE(refused.code() == ErrorCode::unsupported_tokenizer);
  CHECK(refused.error().message().find("no-such-pre") != std::string_view::npos);
  CHECK(refused.error().message().find("llama-bpe") != std::string_view::npos);
  CHECK(refused.error().name() == "tokenizer.ggml.pre");
  auto forced = load(writer, nullptr, "smollm");
  REQUIRE(forced);
  CHECK(forced->pre_tokenizer() == "smollm");
  CHECK(load(file_of(Vocabulary::bpe()), nullptr, "neither-this").code() == ErrorCode::unsupported_tokenizer);
}

TEST_CASE("without a pre-tokenizer name the documented default is used, with a warning (K8, report 22)") {
  Vocabulary vocabulary = Vocabulary::bpe();
  vocabulary.pre.reset();
  Log log;
  auto tokenizer = load(file_of(vocabulary), &log);
  REQUIRE(tokenizer);
  CHECK(tokenizer->pre_tokenizer() == "default");
  CHECK(log.n_warnings == 1);
  CHECK(log.text.find("tokenizer.ggml.pre") != std::string::npos);
  CHECK(encode(*tokenizer, "in 12 's") == encode(Vocabulary::bpe("gpt-2").made(), "in 12 's"));
  CHECK(load(file_of(vocabulary).set("general.architecture", "gptneox"))->pre_tokenizer() == "gpt-neox");
}

TEST_CASE("an unknown tokenizer model is an error that names it and the known ones (K8)") {
  auto refused = load(file_of(Vocabulary::bpe()).set("tokenizer.ggml.model", "syllables"));
  REQUIRE(refused.code() == ErrorCode::unsupported_tokenizer);
  CHECK(refused.error().message().find("syllables") != std::string_view::npos);
  CHECK(refused.error().message().find("gpt2, llama") != std::string_view::npos);
  CHECK(load(file_of(Vocabulary::bpe()).erase("tokenizer.ggml.model")).code() == ErrorCode::unsupported_tokenizer);
}

TEST_CASE("arrays that the model needs must be there, of one length and the right kind (F5, F7)") {
  const auto code_without = [](const Vocabulary& vocabulary, const std::string& key) {
    auto tokenizer = load(file_of(vocabulary).erase(key));
    CHECK(tokenizer.error().name() == key);
    return tokenizer.code();
  };
  CHECK(code_without(Vocabulary::bpe(), "tokenizer.ggml.tokens") == ErrorCode::malformed);
  CHECK(code_without(Vocabulary::bpe(), "tokenizer.ggml.merges") == ErrorCode::malformed);
  CHECK(code_without(Vocabulary::spm(), "tokenizer.ggml.scores") == ErrorCode::malformed);
  CHECK(load(file_of(Vocabulary::bpe()).set_array("tokenizer.ggml.token_type", std::vector<std::int32_t>{1})).code() ==
        ErrorCode::malformed);
  CHECK(load(file_of(Vocabulary::spm()).set_array("tokenizer.ggml.scores", std::vector<float>{1})).code() ==
        ErrorCode::malformed);
  CHECK(load(file_of(Vocabulary::bpe()).set_array("tokenizer.ggml.tokens", std::vector<std::string>{})).code() ==
        ErrorCode::malformed);
  CHECK(load(file_of(Vocabulary::bpe()).set("tokenizer.ggml.tokens", "text")).code() == ErrorCode::malformed);
  CHECK(load(file_of(Vocabulary::bpe()).set("tokenizer.ggml.token_type", "text")).code() == ErrorCode::malformed);
  const std::vector<std::string> texts(Vocabulary::bpe().tables.tokens.size(), "x");
  CHECK(load(file_of(Vocabulary::bpe()).set_array("tokenizer.ggml.token_type", texts)).code() == ErrorCode::malformed);
  for (const char* merge : {"", "a", "a ", " a", " "}) {
    INFO("merge '" << merge << "'");
    auto refused =
        load(file_of(Vocabulary::bpe()).set_array("tokenizer.ggml.merges", std::vector<std::string>{"a b", merge}));
    CHECK(refused.code() == ErrorCode::malformed);
    CHECK(refused.error().offset() == 1);
  }
}

TEST_CASE("what the model does not need may have any type and length (F6, report 42)") {
  GgufWriter writer = file_of(Vocabulary::bpe());
  writer.set_array("tokenizer.ggml.scores", std::vector<std::uint8_t>{1, 2, 3});
  CHECK(load(writer));
  CHECK(load(writer.set("tokenizer.ggml.scores", "none")));
  GgufWriter scored = file_of(Vocabulary::spm());
  CHECK(load(scored.set("tokenizer.ggml.merges", std::uint32_t{7})));
  std::vector<std::uint8_t> small_types;
  for (const std::int32_t type : Vocabulary::bpe().tables.types) small_types.push_back(static_cast<std::uint8_t>(type));
  CHECK(load(file_of(Vocabulary::bpe()).set_array("tokenizer.ggml.token_type", small_types)));
  std::vector<double> wide_scores;
  for (const float score : Vocabulary::spm().tables.scores) wide_scores.push_back(static_cast<double>(score));
  CHECK(load(file_of(Vocabulary::spm()).set_array("tokenizer.ggml.scores", wide_scores)));
}

TEST_CASE("special ids outside the vocabulary are ignored with a note (F5, report 40)") {
  const auto size = static_cast<std::uint32_t>(Vocabulary::bpe().tables.tokens.size());
  for (const std::uint32_t bad : {size, size + 1, 0xFFFFFFFFu}) {
    Log log;
    GgufWriter writer = file_of(Vocabulary::bpe());
    writer.set("tokenizer.ggml.eos_token_id", bad).set("tokenizer.ggml.padding_token_id", bad);
    auto tokenizer = load(writer, &log);
    REQUIRE(tokenizer);
    CHECK(tokenizer->special_tokens().eos == -1);
    CHECK(tokenizer->special_tokens().padding == -1);
    CHECK(log.n_warnings == 2);
  }
}

TEST_CASE("duplicate tokens load, the lowest id counts, and the log says so (F6, K10)") {
  Vocabulary vocabulary = Vocabulary::bpe();
  const Token twin = vocabulary.add("the", 1);
  vocabulary.add("the", 1);
  Log log;
  auto tokenizer = load(file_of(vocabulary), &log);
  REQUIRE(tokenizer);
  CHECK(tokenizer->find("the") == twin);
  CHECK(log.text.find("1 tokens") != std::string::npos);
}

TEST_CASE("merges that cannot apply are left out, and the log says so (F6)") {
  Vocabulary vocabulary = Vocabulary::bpe();
  vocabulary.tables.merges.push_back("qq zz");
  vocabulary.tables.merges.push_back("q z");
  Log log;
  auto tokenizer = load(file_of(vocabulary), &log);
  REQUIRE(tokenizer);
  CHECK(log.text.find("2 merges") != std::string::npos);
  CHECK(encode(*tokenizer, "qz").size() == 2);
}

TEST_CASE("hostile vocabularies load or are refused: empty spellings, all alike, odd types") {
  Vocabulary vocabulary = Vocabulary::bpe();
  vocabulary.add("", 3);
  vocabulary.add("", 4);
  vocabulary.add("x", -5);
  vocabulary.add("y", 99);
  CHECK(decode(vocabulary.made(), encode(vocabulary.made(), "xy")) == "xy");
  Vocabulary same = Vocabulary::bpe();
  for (auto& token : same.tables.tokens) token.assign(1, 'a');
  CHECK(same.make());
  for (int i = 0; i < 50'000; ++i) same.add("a", i % 2 == 0 ? 3 : 1);
  CHECK(same.make());
}

TEST_CASE("scores that are not numbers lose against all others") {
  Vocabulary vocabulary = Vocabulary::spm();
  vocabulary.add("xy", 1, std::numeric_limits<float>::quiet_NaN());
  const Token better = vocabulary.add("yz", 1, -std::numeric_limits<float>::infinity());
  const Tokenizer tokenizer = vocabulary.made();
  CHECK(encode(tokenizer, "xyz").back() == better);
}

TEST_CASE("an empty handle answers everything") {
  const Tokenizer none;
  CHECK_FALSE(none);
  CHECK(none.vocabulary_size() == 0);
  CHECK(none.encode("a").code() == ErrorCode::invalid_argument);
  CHECK(none.decode({}).code() == ErrorCode::invalid_argument);
  CHECK(none.find("a") == -1);
  CHECK(none.token_text(0).empty());
  CHECK(none.special_tokens().bos == -1);
  CHECK(none.end_of_generation().empty());
}
