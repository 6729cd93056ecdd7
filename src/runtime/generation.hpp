// SPDX-License-Identifier: MIT
// One generation on a sequence: computes the prompt, draws tokens, delivers text, ends for a stated reason (C5).
#ifndef LOQUAT_RUNTIME_GENERATION_HPP
#define LOQUAT_RUNTIME_GENERATION_HPP

#include <loquat/result.hpp>
#include <loquat/session.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/evaluator.hpp"
#include "runtime/text_stream.hpp"

namespace loquat::inline LOQUAT_ABI::runtime {

/// Errors    invalid_argument: an id outside [0, vocabulary), with its index
Status check_tokens(std::span<const Token> tokens, std::size_t vocabulary) noexcept;

/// A state machine over an Evaluator; advance() does a slice and returns.
///
/// Threads   one at a time
class Generation {
 public:
  Generation(Evaluator& evaluator, const Tokenizer& tokenizer, const Host& host, Allocator& allocator) noexcept;

  /// Checks everything and queues the prompt. A running generation is ended as cancelled first.
  ///
  /// Errors    invalid_argument, context_full (with counts), out_of_memory: the sequence is as before
  Status begin(std::span<const Token> prompt, const GenerateOptions& options) noexcept;
  bool is_running() const noexcept { return phase_ != Phase::idle && phase_ != Phase::finished; }
  bool was_begun() const noexcept { return phase_ != Phase::idle; }

  /// One slice of work: a layer of at most max_tokens prompt tokens, of one generated token, or a draw.
  ///
  /// Requires  is_running()
  /// Errors    bad_logits, context_full (Overflow::error), out_of_memory: the generation is over, tokens are true
  Status advance(std::size_t max_tokens) noexcept;
  /// Ends it now; an unfinished chunk is dropped (promise C3).
  Status cancel() noexcept;
  /// Ends it after the token that was drawn last is in the cache, so that history is what the caller saw (promise S5).
  Status stop_gently() noexcept;
  bool is_prefilling() const noexcept { return phase_ == Phase::prefill; }

  std::string_view take_new_text() noexcept { return text_.take_new(); }
  Finish finish() const noexcept { return phase_ == Phase::finished ? finish_ : Finish::none; }
  std::uint32_t prompt_total() const noexcept { return usage_.prompt_tokens; }
  std::uint32_t prompt_done() const noexcept;
  std::uint32_t generated() const noexcept { return usage_.generated_tokens; }
  /// Moves the reply out; the generation is then idle.
  Result<Reply> take_reply() noexcept;

 private:
  enum class Phase : std::uint8_t {
    idle,
    prefill,   ///< the prompt is being computed
    decode,    ///< the last drawn token is being computed
    draining,  ///< likewise, and it was the last one
    finished,
  };
  using Clock = std::chrono::steady_clock;

  Status prepare(std::span<const Token> prompt, const GenerateOptions& options) noexcept;
  Status draw() noexcept;
  Status deliver(Token token) noexcept;
  void end(Finish finish) noexcept;
  Status fail(const Error& error) noexcept;
  void drain(Finish finish) noexcept;

  Evaluator* evaluator_;
  Tokenizer tokenizer_;
  Host host_;
  Allocator* allocator_;
  std::optional<Sampler> sampler_;
  TextStream text_;
  Phase phase_ = Phase::idle;
  Finish finish_ = Finish::none;
  std::uint32_t max_tokens_ = 0;
  std::size_t drawable_ = 0;  ///< logits that belong to tokens
  Overflow overflow_ = Overflow::stop;
  bool ignore_end_of_generation_ = false;
  std::size_t prompt_end_ = 0;  ///< tokens of the sequence before the first generated one
  Usage usage_;
  Timing timing_;
  Clock::time_point begun_;
  Clock::time_point prefilled_;
};

}  // namespace loquat::inline LOQUAT_ABI::runtime

#endif  // LOQUAT_RUNTIME_GENERATION_HPP
