// SPDX-License-Identifier: MIT
// Failing allocations (M3): typed error, nothing leaked, and the tokenizer works afterwards.
#include "support/catch.hpp"
#include "support/fail_nth_allocator.hpp"
#include "text/support.hpp"

using namespace loquat;
using namespace loquat_test;

namespace {

/// Fails the nth allocation of `work` for every n; `work` answers with the code of its outcome.
template <class Work>
void fail_everywhere(FailNthAllocator& allocator, const Work& work) {
  const std::size_t live = allocator.live_bytes();
  for (std::size_t n = 1;; ++n) {
    allocator.fail_nth(n);
    const ErrorCode code = work();
    const bool has_failed = allocator.n_failed() > 0;
    CHECK(code == (has_failed ? ErrorCode::out_of_memory : ErrorCode::none));
    CHECK(allocator.live_bytes() == live);
    if (!has_failed) break;
    REQUIRE(n < 10'000);
  }
  allocator.fail_nth(FailNthAllocator::kNever);
  CHECK(allocator.n_misused() == 0);
}

const char* const kText = "The <tool>and\xCC\x81 e\xCC\x81 <|im_start|>ing the n\xFF\xE4\xB8\xAD  over";

}  // namespace

TEST_CASE("making a tokenizer fails cleanly at every allocation (M3)") {
  for (Vocabulary vocabulary : {Vocabulary::bpe("qwen2"), Vocabulary::spm()}) {
    vocabulary.add("twin", 3);
    vocabulary.add("twin", 1);
    FailNthAllocator allocator;
    fail_everywhere(allocator, [&] { return vocabulary.make(allocator).code(); });
    CHECK(allocator.live_bytes() == 0);
  }
}

TEST_CASE("encoding, decoding and streaming fail cleanly at every allocation (M3)") {
  for (const Vocabulary& vocabulary : {Vocabulary::bpe("qwen2"), Vocabulary::bpe("llama-bpe"), Vocabulary::spm()}) {
    FailNthAllocator allocator;
    auto made = vocabulary.make(allocator);
    REQUIRE(made);
    const Tokenizer tokenizer = *made;
    const EncodeOptions options{.special = Special::tokens, .add_bos = true, .add_eos = true};
    fail_everywhere(allocator, [&] { return tokenizer.encode(kText, options).code(); });
    const Ids ids = encode(tokenizer, kText, options);
    fail_everywhere(allocator, [&] { return tokenizer.decode(ids, {.show_special = true}).code(); });
    fail_everywhere(allocator, [&] {
      auto decoder = StreamDecoder::create(tokenizer);
      if (!decoder) return decoder.code();
      for (const Token id : ids) {
        auto piece = decoder->push(id);
        if (!piece) return piece.code();
      }
      return decoder->flush().code();
    });
    CHECK(encode(tokenizer, kText, options) == ids);
  }
}

TEST_CASE("a stream decoder that ran out of memory goes on where it was (M3, S4)") {
  FailNthAllocator allocator;
  auto tokenizer = Vocabulary::bpe().make(allocator);
  REQUIRE(tokenizer);
  const Ids ids = encode(*tokenizer, kText);
  const std::string whole = stream(*tokenizer, ids);
  for (std::size_t n = 1; n < 12; ++n) {
    auto decoder = StreamDecoder::create(*tokenizer);
    REQUIRE(decoder);
    allocator.fail_nth(n);
    std::string text;
    for (const Token id : ids) {
      auto piece = decoder->push(id);
      if (!piece) piece = decoder->push(id);  // the failure passed
      REQUIRE(piece);
      text += *piece;
    }
    auto rest = decoder->flush();
    if (!rest) rest = decoder->flush();
    REQUIRE(rest);
    CHECK(text + std::string(*rest) == whole);
    allocator.fail_nth(FailNthAllocator::kNever);
  }
}

TEST_CASE("memory_of tells what a tokenizer holds, within a tenth (M2)") {
  for (const Vocabulary& vocabulary : {Vocabulary::bpe(), Vocabulary::spm()}) {
    FailNthAllocator allocator;
    auto tokenizer = vocabulary.make(allocator);
    REQUIRE(tokenizer);
    const double told = static_cast<double>(text::memory_of(*tokenizer));
    const double held = static_cast<double>(allocator.live_bytes());
    CHECK(told > 0.9 * held);
    CHECK(told < 1.1 * held);
  }
  CHECK(text::memory_of(Tokenizer()) == 0);
}

TEST_CASE("copies share one tokenizer and the last one gives it back (M8)") {
  FailNthAllocator allocator;
  {
    auto made = Vocabulary::bpe().make(allocator);
    REQUIRE(made);
    Tokenizer first = *made;
    Tokenizer second = first;
    const std::size_t live = allocator.live_bytes();
    made = Error(ErrorCode::cancelled, "gone");
    first = Tokenizer();
    CHECK(allocator.live_bytes() == live);
    CHECK(!encode(second, "the").empty());
    CHECK_FALSE(first);
  }
  CHECK(allocator.live_bytes() == 0);
}
