// SPDX-License-Identifier: MIT
// Time and stack of encoding long texts (K3, T9; reports 8 and 10).
#include <algorithm>
#include <chrono>
#include <string>

#include "support/catch.hpp"
#include "support/process_meter.hpp"
#include "support/small_stack.hpp"
#include "text/pre_tokenizer.hpp"
#include "text/support.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

constexpr std::size_t kMegabyte = 1'000'000;

/// A toy vocabulary in which a run of one letter merges far: aa, aaaa, ... up to 32.
Vocabulary with_runs(Vocabulary vocabulary, const std::string& letter) {
  std::string run = letter;
  for (int doubling = 0; doubling < 5; ++doubling) {
    if (vocabulary.model == "gpt2") vocabulary.tables.merges.push_back(run + " " + run);
    run += run;
    vocabulary.add(run, 1, 10.0f + static_cast<float>(doubling));
  }
  return vocabulary;
}

/// Pairs looked up: what the time of merging is proportional to, apart from the logarithm of the heap.
std::uint64_t work_of(const Tokenizer& tokenizer, std::string_view text) {
  Array<Token> ids;
  text::EncodeReport report;
  REQUIRE(text::encode_into(tokenizer, text, {}, {}, ids, &report));
  REQUIRE(!ids.empty());
  return report.pairs_looked_up;
}

/// One name for every different set of passes.
std::vector<std::string> different_rules() {
  std::vector<std::string> names;
  std::vector<const text::Pass*> seen;
  for (const text::PreTokenizerRule& rule : text::pre_tokenizer_rules()) {
    if (std::find(seen.begin(), seen.end(), rule.passes.data()) != seen.end()) continue;
    seen.push_back(rule.passes.data());
    names.emplace_back(rule.name);
  }
  return names;
}

std::string repeated(std::string_view unit, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += unit;
  return text;
}

}  // namespace

TEST_CASE("1 MB of one letter takes under a second on a 256 KiB stack, under every rule (K3, T9, report 8)") {
  const std::string letters(kMegabyte, 'a');
  std::vector<Vocabulary> vocabularies = {with_runs(Vocabulary::spm(), "a")};
  for (const std::string& rule : different_rules()) vocabularies.push_back(with_runs(Vocabulary::bpe(rule), "a"));
  for (const Vocabulary& vocabulary : vocabularies) {
    const Tokenizer tokenizer = vocabulary.made();
    run_on_small_stack(256, [&] {
      const CpuMeter meter;  // not wall time: other programs use this machine too
      const Ids ids = encode(tokenizer, letters);
      const std::chrono::duration<double> taken = meter.used();
      INFO(vocabulary.model << " " << vocabulary.pre.value_or(""));
      CHECK(ids.size() < kMegabyte / 16);
#if defined(NDEBUG)
      CHECK(taken.count() < 1.0);
#else
      CHECK(taken.count() < 20.0);
#endif
    });
  }
}

TEST_CASE("text of any kind on a small stack: every character class in turn (T9, report 8)") {
  const char* const units[] = {" ", "\n",       " \n",          "1",    "A",        "aA",    ".",
                               "'", "\xCC\x81", "\xE4\xB8\xAD", "\xFF", "\xC2\xA0", "<|im_", "\xE2\x96\x81"};
  std::string all;
  for (const char* unit : units) all += repeated(unit, 20'000);
  std::vector<Vocabulary> vocabularies = {Vocabulary::spm()};
  for (const std::string& rule : different_rules()) vocabularies.push_back(Vocabulary::bpe(rule));
  for (const Vocabulary& vocabulary : vocabularies) {
    const Tokenizer tokenizer = vocabulary.made();
    run_on_small_stack(256, [&] { CHECK(encode(tokenizer, all).size() > 20'000); });
  }
}

TEST_CASE("four times the text takes less than six times the work (K3, report 10)") {
  const char* const units[] = {"a", "ab ", " ", "word and word ", "\n", "a b", "\xC3\xA9", "\xFF"};
  for (const Vocabulary& vocabulary : {with_runs(Vocabulary::bpe(), "a"), with_runs(Vocabulary::bpe("gpt-4o"), "a"),
                                       with_runs(Vocabulary::spm(), "a")}) {
    const Tokenizer tokenizer = vocabulary.made();
    for (const char* unit : units) {
      INFO(vocabulary.model << " unit " << unit);
      const std::uint64_t small = work_of(tokenizer, repeated(unit, 50'000));
      const std::uint64_t large = work_of(tokenizer, repeated(unit, 200'000));
      CHECK(large < 6 * small + 100);
    }
  }
}

TEST_CASE("encoding time does not grow with the square of the length (K3, report 10)") {
  // Wall time, so with a bound that only a quadratic algorithm misses: 2,000,000 letters would take minutes.
  const Tokenizer tokenizer = with_runs(Vocabulary::spm(), "a").made();
  const auto start = std::chrono::steady_clock::now();
  CHECK(!encode(tokenizer, repeated("a  b ", 2 * kMegabyte)).empty());
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  CHECK(taken.count() < 30.0);
}
