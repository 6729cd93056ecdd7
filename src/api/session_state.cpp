// SPDX-License-Identifier: MIT
#include "api/session_state.hpp"

#include "base/error.hpp"
#include "base/float_environment.hpp"

namespace loquat::inline LOQUAT_ABI::detail {

namespace {

using Clock = std::chrono::steady_clock;

/// Tokens of the first chunk under a budget, before any slice has been measured.
constexpr std::size_t kUnmeasuredChunk = 8;

double seconds(Clock::duration duration) noexcept { return std::chrono::duration<double>(duration).count(); }

}  // namespace

BusyGuard::BusyGuard(SessionState& state) noexcept
    : state_(&state), has_session_(!state.is_busy.exchange(true, std::memory_order_acquire)) {}

BusyGuard::~BusyGuard() {
  if (!has_session_) return;
  SessionState& state = *state_;
  state.became_idle.change_and_wake_all([&]() noexcept { state.is_busy.store(false, std::memory_order_release); });
}

SessionState::SessionState(const Model& source, ExecutorHandle threads, const SessionOptions& wanted) noexcept
    : model(source),
      shared(ModelState::of(model)),
      executor(std::move(threads)),
      options(wanted),
      evaluator({.decoder = shared.loaded.decoder.get(),
                 .kernels = shared.kernels,
                 .executor = executor.get(),
                 .allocator = &shared.allocator(),
                 .cache_type = wanted.cache_type}),
      generation(evaluator, shared.tokenizer, shared.host, shared.allocator()),
      step_text(shared.allocator()) {}

void SessionState::shut_down() noexcept {
  cancel_requested.store(true, std::memory_order_release);
  became_idle.wait_until([this]() noexcept { return !is_busy.load(std::memory_order_acquire); });
}

Result<Array<Token>> SessionState::encode(std::string_view prompt, const GenerateOptions& wanted) noexcept {
  const Tokenizer& tokenizer = shared.tokenizer;
  const bool starts_history = wanted.history == History::replace || evaluator.tokens().empty();
  const bool add_bos = wanted.add_bos.value_or(tokenizer.special_tokens().add_bos && starts_history);
  return tokenizer.encode(prompt, {.special = wanted.special, .add_bos = add_bos});
}

Status SessionState::begin(std::span<const Token> prompt, const GenerateOptions& wanted) noexcept {
  LOQUAT_RETURN_IF_ERROR(generation.begin(prompt, wanted));
  cancel_requested.store(false, std::memory_order_release);
  stop_token = wanted.stop_token;
  return {};
}

Result<Reply> SessionState::run(OnPiece on_piece) noexcept {
  const FloatEnvironment default_mode;
  while (generation.is_running()) {
    LOQUAT_RETURN_IF_ERROR(is_cancelled(stop_token) ? generation.cancel() : generation.advance(options.chunk));
    const std::string_view piece = generation.take_new_text();
    if (!on_piece || piece.empty()) continue;
    const Next next = on_piece(piece);
    if (next == Next::proceed) continue;
    if (next == Next::failed) {
      LOQUAT_RETURN_IF_ERROR(generation.cancel());
      return make_error(ErrorCode::callback_failed, "the callback for text failed after {} generated tokens",
                        generation.generated());
    }
    LOQUAT_RETURN_IF_ERROR(generation.stop_gently());
  }
  return generation.take_reply();
}

std::size_t SessionState::chunk_for(std::chrono::nanoseconds budget) const noexcept {
  if (seconds_per_token_layer <= 0) return kUnmeasuredChunk;
  const double tokens = 0.5 * seconds(budget) / seconds_per_token_layer;
  if (tokens < 1) return 1;
  return tokens < options.chunk ? static_cast<std::size_t>(tokens) : options.chunk;
}

Status SessionState::timed_advance(std::size_t max_tokens, double& slice_seconds) noexcept {
  const bool is_prefill = generation.is_prefilling();
  const Clock::time_point start = Clock::now();
  const Status status = generation.advance(max_tokens);
  slice_seconds = seconds(Clock::now() - start);
  if (is_prefill && evaluator.chunk_tokens() > 0) {
    const double measured = slice_seconds / static_cast<double>(evaluator.chunk_tokens());
    // Follows the last slices: 1/4 of each new one, so that a single preempted slice does not shrink the chunks.
    seconds_per_token_layer = seconds_per_token_layer > 0 ? 0.75 * seconds_per_token_layer + 0.25 * measured : measured;
  }
  return status;
}

Result<Step> SessionState::step(std::chrono::nanoseconds budget) noexcept {
  const FloatEnvironment default_mode;
  const Clock::time_point start = Clock::now();
  const double limit = seconds(budget);
  step_text.clear();
  double slice_seconds = 0;
  do {
    if (!generation.is_running()) break;
    LOQUAT_RETURN_IF_ERROR(is_cancelled(stop_token) ? generation.cancel()
                                                    : timed_advance(chunk_for(budget), slice_seconds));
    const std::string_view piece = generation.take_new_text();
    if (!step_text.append(piece)) return out_of_memory(piece.size(), "the text of a step");
  } while (seconds(Clock::now() - start) + slice_seconds <= limit);
  return Step{.text = step_text,
              .finish = generation.finish(),
              .prompt_done = generation.prompt_done(),
              .prompt_total = generation.prompt_total(),
              .generated_tokens = generation.generated()};
}

}  // namespace loquat::inline LOQUAT_ABI::detail
