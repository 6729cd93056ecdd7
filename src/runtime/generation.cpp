// SPDX-License-Identifier: MIT
#include "runtime/generation.hpp"

#include "base/assert.hpp"
#include "base/error.hpp"

namespace loquat::inline LOQUAT_ABI::runtime {

namespace {

double seconds(std::chrono::steady_clock::duration duration) noexcept {
  return std::chrono::duration<double>(duration).count();
}

std::size_t common_prefix(std::span<const Token> a, std::span<const Token> b) noexcept {
  std::size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
  return n;
}

}  // namespace

Status check_tokens(std::span<const Token> tokens, std::size_t vocabulary) noexcept {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] >= 0 && static_cast<std::size_t>(tokens[i]) < vocabulary) continue;
    return make_error(ErrorCode::invalid_argument, "token ids must be 0..{}, token {} is {}", vocabulary - 1, i,
                      tokens[i])
        .with_name("tokens")
        .with_offset(i);
  }
  return {};
}

Generation::Generation(Evaluator& evaluator, const Tokenizer& tokenizer, const Host& host,
                       Allocator& allocator) noexcept
    : evaluator_(&evaluator), tokenizer_(tokenizer), host_(host), allocator_(&allocator), text_(allocator) {
  // A matrix may have more rows than the vocabulary has tokens (padding): those are never drawn (promise F5).
  drawable_ =
      tokenizer.vocabulary_size() < evaluator.vocabulary() ? tokenizer.vocabulary_size() : evaluator.vocabulary();
}

Status Generation::begin(std::span<const Token> prompt, const GenerateOptions& options) noexcept {
  LOQUAT_RETURN_IF_ERROR(check_tokens(prompt, tokenizer_.vocabulary_size()));
  if (is_running()) LOQUAT_RETURN_IF_ERROR(cancel());
  const std::span<const Token> held = evaluator_->tokens();
  const std::size_t shared = options.history == History::replace ? common_prefix(held, prompt) : held.size();
  const std::size_t total = options.history == History::replace ? prompt.size() : held.size() + prompt.size();
  if (total == 0) {
    return make_error(ErrorCode::invalid_argument, "the prompt must have a token where the session holds none")
        .with_name("prompt");
  }
  if (total > evaluator_->context()) {
    return make_error(ErrorCode::context_full, "the context has room for {} tokens, prompt and history need {}",
                      evaluator_->context(), total)
        .with_name("prompt");
  }
  LOQUAT_RETURN_IF_ERROR(prepare(prompt, options));
  const std::span<const Token> rest = options.history == History::replace ? prompt.subspan(shared) : prompt;
  usage_ = {};
  usage_.prompt_tokens = static_cast<std::uint32_t>(prompt.size());
  // The last token is computed again where nothing else would give its logits (promise V4).
  const bool is_cached = rest.empty() && options.history == History::append && evaluator_->has_logits();
  const Token last = rest.empty() ? held[shared - 1] : Token{0};
  const std::size_t kept = rest.empty() && !is_cached ? shared - 1 : shared;
  evaluator_->rewind(kept);
  if (!rest.empty()) {
    LOQUAT_RETURN_IF_ERROR(evaluator_->start(rest));
  } else if (!is_cached) {
    LOQUAT_RETURN_IF_ERROR(evaluator_->start(std::span<const Token>(&last, 1)));
  }
  usage_.evaluated_tokens = static_cast<std::uint32_t>(evaluator_->queued());
  usage_.reused_tokens =
      usage_.prompt_tokens > usage_.evaluated_tokens ? usage_.prompt_tokens - usage_.evaluated_tokens : 0;
  prompt_end_ = total;
  timing_ = {};
  begun_ = Clock::now();
  phase_ = Phase::prefill;
  finish_ = Finish::none;
  return {};
}

Status Generation::prepare(std::span<const Token> prompt, const GenerateOptions& options) noexcept {
  LOQUAT_ASSIGN_OR_RETURN(Sampler sampler, Sampler::create(options.sampling, host_));
  const std::size_t expected = options.max_tokens < evaluator_->context() ? options.max_tokens : evaluator_->context();
  LOQUAT_RETURN_IF_ERROR(text_.start(tokenizer_, options.stop, options.show_special, expected));
  // Penalties look at the last tokens of history and prompt, whatever was cached (promise Z4).
  const std::size_t last_n = options.sampling.penalty_last_n;
  const std::span<const Token> held = evaluator_->tokens();
  if (options.history == History::append && prompt.size() < last_n) {
    const std::size_t n = last_n - prompt.size() < held.size() ? last_n - prompt.size() : held.size();
    for (const Token token : held.last(n)) LOQUAT_RETURN_IF_ERROR(sampler.accept(token));
  }
  for (const Token token : prompt.last(prompt.size() < last_n ? prompt.size() : last_n)) {
    LOQUAT_RETURN_IF_ERROR(sampler.accept(token));
  }
  sampler_ = std::move(sampler);
  max_tokens_ = options.max_tokens;
  overflow_ = options.overflow;
  ignore_end_of_generation_ = options.ignore_end_of_generation;
  return {};
}

Status Generation::advance(std::size_t max_tokens) noexcept {
  LOQUAT_ASSERT(is_running());
  if (!evaluator_->is_idle()) {
    if (auto status = evaluator_->run_slice(max_tokens); !status) return fail(status.error());
    if (!evaluator_->is_idle()) return {};
  }
  if (phase_ == Phase::prefill) {
    prefilled_ = Clock::now();
    timing_.prefill = seconds(prefilled_ - begun_);
    phase_ = Phase::decode;
  }
  if (phase_ == Phase::draining) {
    end(finish_);
    return {};
  }
  return draw();
}

Status Generation::draw() noexcept {
  if (usage_.generated_tokens == max_tokens_) {
    if (auto status = text_.flush(); !status) return fail(status.error());
    end(Finish::max_tokens);
    return {};
  }
  if (evaluator_->tokens().size() == evaluator_->context()) {
    if (auto status = text_.flush(); !status) return fail(status.error());
    if (overflow_ == Overflow::error) {
      return fail(make_error(ErrorCode::context_full, "the context of {} tokens is full after {} generated tokens",
                             evaluator_->context(), usage_.generated_tokens));
    }
    end(Finish::context_full);
    return {};
  }
  const auto token = sampler_->sample(evaluator_->logits().first(drawable_));
  if (!token) return fail(token.error());
  if (++usage_.generated_tokens == 1) timing_.first_token = seconds(Clock::now() - begun_);
  if (auto status = deliver(*token); !status) return fail(status.error());
  if (auto status = evaluator_->start(std::span<const Token>(&*token, 1)); !status) return fail(status.error());
  return {};
}

Status Generation::deliver(Token token) noexcept {
  LOQUAT_RETURN_IF_ERROR(text_.push(token));
  if (text_.is_stopped()) {
    drain(Finish::stop_text);
  } else if (!ignore_end_of_generation_ && tokenizer_.is_end_of_generation(token)) {
    drain(Finish::end_of_generation);
    return text_.flush();
  } else if (usage_.generated_tokens == max_tokens_) {
    drain(Finish::max_tokens);
    return text_.flush();
  }
  return {};
}

void Generation::drain(Finish finish) noexcept {
  phase_ = Phase::draining;
  finish_ = finish;
}

void Generation::end(Finish finish) noexcept {
  finish_ = finish;
  if (phase_ != Phase::prefill) timing_.decode = seconds(Clock::now() - prefilled_);
  phase_ = Phase::finished;
}

Status Generation::fail(const Error& error) noexcept {
  evaluator_->abandon();
  phase_ = Phase::idle;
  return error;
}

Status Generation::cancel() noexcept {
  if (!is_running()) return {};
  evaluator_->abandon();
  const Status flushed = text_.flush();
  end(Finish::cancelled);
  return flushed;
}

Status Generation::stop_gently() noexcept {
  if (phase_ == Phase::draining) return {};
  if (phase_ != Phase::decode) return cancel();
  drain(Finish::cancelled);
  return text_.flush();
}

std::uint32_t Generation::prompt_done() const noexcept {
  const std::size_t held = evaluator_->tokens().size();
  const std::size_t missing = held < prompt_end_ ? prompt_end_ - held : 0;
  return missing < usage_.prompt_tokens ? usage_.prompt_tokens - static_cast<std::uint32_t>(missing) : 0;
}

Result<Reply> Generation::take_reply() noexcept {
  Reply reply;
  const std::span<const Token> held = evaluator_->tokens();
  reply.tokens = Array<Token>(*allocator_);
  if (held.size() > prompt_end_ && !reply.tokens.append(held.subspan(prompt_end_))) {
    return out_of_memory((held.size() - prompt_end_) * sizeof(Token), "the tokens of a reply");
  }
  reply.finish = finish_;
  reply.usage = usage_;
  reply.usage.withheld_bytes = static_cast<std::uint32_t>(text_.withheld_bytes());
  reply.timing = timing_;
  reply.seed = sampler_->seed();
  reply.text = std::move(text_.text());
  phase_ = Phase::idle;
  return reply;
}

}  // namespace loquat::inline LOQUAT_ABI::runtime
