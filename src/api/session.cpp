// SPDX-License-Identifier: MIT
// Session: checks, the busy rule and cancellation around runtime/generation.
#include <loquat/session.hpp>

#include <utility>

#include "api/session_state.hpp"
#include "base/error.hpp"
#include "base/float_environment.hpp"

namespace loquat::inline LOQUAT_ABI {

using detail::BusyGuard;
using detail::ModelState;
using detail::SessionState;

namespace {

Error busy() noexcept {
  return make_error(ErrorCode::busy, "the session is in use by another call; use one session per thread, or wait");
}

Status check(const SessionOptions& options, std::uint32_t trained_context) noexcept {
  if (options.context < 2 || (trained_context > 0 && options.context > trained_context)) {
    return make_error(ErrorCode::invalid_argument, "context must be 2..{} (the model's trained length), not {}",
                      trained_context, options.context)
        .with_name("context");
  }
  if (options.chunk < 1 || options.chunk > 4096) {
    return make_error(ErrorCode::invalid_argument, "chunk must be 1..4096, not {}", options.chunk).with_name("chunk");
  }
  return {};
}

Result<ExecutorHandle> executor_for(ModelState& shared, const SessionOptions& options) noexcept {
  if (!options.threads.has_value()) return ExecutorHandle(shared.executor);
  return ExecutorHandle::create(*options.threads, shared.host);
}

void destroy(SessionState* state) noexcept {
  if (state == nullptr) return;
  state->shut_down();
  const Model keep_alive = state->model;  // the allocator belongs to its host
  Allocator& allocator = ModelState::of(keep_alive).allocator();
  state->~SessionState();
  allocator.deallocate(state, sizeof(SessionState), alignof(SessionState), MemoryTag::session);
}

}  // namespace

const char* to_string(Finish finish) noexcept {
  switch (finish) {
    case Finish::none:
      return "none";
    case Finish::end_of_generation:
      return "end_of_generation";
    case Finish::stop_text:
      return "stop_text";
    case Finish::max_tokens:
      return "max_tokens";
    case Finish::context_full:
      return "context_full";
    case Finish::cancelled:
      return "cancelled";
  }
  return "unknown";
}

Result<Session> Session::create(const Model& model, const SessionOptions& wanted) noexcept {
  ModelState& shared = ModelState::of(model);
  SessionOptions options = wanted;
  options.context = detail::resolve_context(wanted.context, model.info().context_length);
  LOQUAT_RETURN_IF_ERROR(check(options, model.info().context_length));
  LOQUAT_ASSIGN_OR_RETURN(ExecutorHandle executor, executor_for(shared, options));
  void* block = shared.allocator().allocate(sizeof(SessionState), alignof(SessionState), MemoryTag::session);
  if (block == nullptr) return out_of_memory(sizeof(SessionState), "a session");
  Session session(::new (block) SessionState(model, std::move(executor), options));
  LOQUAT_RETURN_IF_ERROR(session.state_->evaluator.create(options.context, options.chunk));
  return session;
}

Session::Session(Session&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}

Session& Session::operator=(Session&& other) noexcept {
  if (this != &other) {
    destroy(state_);
    state_ = std::exchange(other.state_, nullptr);
  }
  return *this;
}

Session::~Session() {
  destroy(state_);
}

Result<Reply> Session::generate(std::string_view prompt, const GenerateOptions& options, OnPiece on_piece) noexcept {
  const BusyGuard guard(*state_);
  if (!guard) return busy();
  LOQUAT_ASSIGN_OR_RETURN(const Array<Token> tokens, state_->encode(prompt, options));
  LOQUAT_RETURN_IF_ERROR(state_->begin(tokens, options));
  return state_->run(on_piece);
}

Result<Reply> Session::generate(std::span<const Token> prompt, const GenerateOptions& options,
                                OnPiece on_piece) noexcept {
  const BusyGuard guard(*state_);
  if (!guard) return busy();
  LOQUAT_RETURN_IF_ERROR(state_->begin(prompt, options));
  return state_->run(on_piece);
}

Status Session::begin(std::string_view prompt, const GenerateOptions& options) noexcept {
  const BusyGuard guard(*state_);
  if (!guard) return busy();
  LOQUAT_ASSIGN_OR_RETURN(const Array<Token> tokens, state_->encode(prompt, options));
  return state_->begin(tokens, options);
}

Status Session::begin(std::span<const Token> prompt, const GenerateOptions& options) noexcept {
  const BusyGuard guard(*state_);
  if (!guard) return busy();
  return state_->begin(prompt, options);
}

Result<Step> Session::step(std::chrono::nanoseconds budget) noexcept {
  const BusyGuard guard(*state_);
  if (!guard) return busy();
  if (!state_->generation.was_begun()) {
    return make_error(ErrorCode::invalid_argument, "step() needs a generation: call begin() first");
  }
  return state_->step(budget);
}

Result<Reply> Session::take_reply() noexcept {
  const BusyGuard guard(*state_);
  if (!guard) return busy();
  if (!state_->generation.was_begun()) {
    return make_error(ErrorCode::invalid_argument, "take_reply() needs a generation: call begin() first");
  }
  LOQUAT_RETURN_IF_ERROR(state_->generation.cancel());
  return state_->generation.take_reply();
}

namespace {

/// The checks that append() and append_with_logits() share; leaves the tokens queued.
Status start_append(SessionState& state, std::span<const Token> tokens) noexcept {
  runtime::Evaluator& evaluator = state.evaluator;
  LOQUAT_RETURN_IF_ERROR(runtime::check_tokens(tokens, state.shared.tokenizer.vocabulary_size()));
  const std::size_t room = evaluator.context() - evaluator.tokens().size();
  if (tokens.size() > room) {
    return make_error(ErrorCode::context_full, "the context has room for {} more tokens, {} were given", room,
                      tokens.size())
        .with_name("tokens");
  }
  LOQUAT_RETURN_IF_ERROR(state.generation.cancel());
  state.cancel_requested.store(false, std::memory_order_release);
  return evaluator.start(tokens);
}

}  // namespace

Status Session::append(std::span<const Token> tokens, StopRef stop_token) noexcept {
  const BusyGuard guard(*state_);
  if (!guard) return busy();
  if (tokens.empty()) return {};
  const std::size_t before = state_->evaluator.tokens().size();
  LOQUAT_RETURN_IF_ERROR(start_append(*state_, tokens));
  const FloatEnvironment default_mode;
  while (!state_->evaluator.is_idle()) {
    if (state_->is_cancelled(stop_token)) {
      state_->evaluator.abandon();
      state_->evaluator.rewind(before);
      return make_error(ErrorCode::cancelled, "append() was cancelled; the session holds {} tokens as before", before);
    }
    if (auto status = state_->evaluator.run_slice(state_->options.chunk); !status) {
      state_->evaluator.rewind(before);
      return status;
    }
  }
  return {};
}

Status Session::append_with_logits(std::span<const Token> tokens,
                                   CallbackRef<std::size_t, std::span<const float>> on_row) noexcept {
  const BusyGuard guard(*state_);
  if (!guard) return busy();
  if (tokens.empty()) return {};
  LOQUAT_RETURN_IF_ERROR(start_append(*state_, tokens));
  const FloatEnvironment default_mode;
  return state_->evaluator.run_with_rows(on_row);
}

Result<std::span<const float>> Session::logits() noexcept {
  const BusyGuard guard(*state_);
  if (!guard) return busy();
  runtime::Evaluator& evaluator = state_->evaluator;
  if (evaluator.has_logits()) return evaluator.logits();
  if (evaluator.tokens().empty()) {
    return make_error(ErrorCode::invalid_argument, "there are no logits: the session holds no tokens");
  }
  // After rewind() the last token is computed again: the same bits in the same place.
  LOQUAT_RETURN_IF_ERROR(state_->generation.cancel());
  const FloatEnvironment default_mode;
  const Token last = evaluator.tokens().back();
  evaluator.rewind(evaluator.tokens().size() - 1);
  LOQUAT_RETURN_IF_ERROR(evaluator.start(std::span<const Token>(&last, 1)));
  while (!evaluator.is_idle()) LOQUAT_RETURN_IF_ERROR(evaluator.run_slice(1));
  return evaluator.logits();
}

Status Session::rewind(std::size_t n_tokens) noexcept {
  const BusyGuard guard(*state_);
  if (!guard) return busy();
  const std::size_t held = state_->evaluator.tokens().size();
  if (n_tokens > held) {
    return make_error(ErrorCode::invalid_argument, "cannot rewind to {} tokens, the session holds {}", n_tokens, held)
        .with_name("n_tokens");
  }
  LOQUAT_RETURN_IF_ERROR(state_->generation.cancel());
  state_->evaluator.rewind(n_tokens);
  return {};
}

Status Session::warmup() noexcept {
  const BusyGuard guard(*state_);
  if (!guard) return busy();
  LOQUAT_RETURN_IF_ERROR(state_->generation.cancel());
  const FloatEnvironment default_mode;
  state_->evaluator.warm_up();
  return {};
}

std::span<const Token> Session::tokens() const noexcept {
  return state_->evaluator.tokens();
}
std::uint32_t Session::context() const noexcept {
  return state_->options.context;
}
std::uint32_t Session::threads() const noexcept {
  return (*state_->executor).concurrency();
}
const Model& Session::model() const noexcept {
  return state_->model;
}
std::size_t Session::memory() const noexcept {
  return state_->evaluator.memory() + sizeof(SessionState);
}
void Session::cancel() noexcept {
  state_->cancel_requested.store(true, std::memory_order_release);
}

}  // namespace loquat::inline LOQUAT_ABI
