// SPDX-License-Identifier: MIT
// What loquat::Session owns.
#ifndef LOQUAT_API_SESSION_STATE_HPP
#define LOQUAT_API_SESSION_STATE_HPP

#include <loquat/session.hpp>

#include <atomic>

#include "api/model_state.hpp"
#include "runtime/generation.hpp"
#include "threading/native_thread.hpp"

namespace loquat::inline LOQUAT_ABI::detail {

/// One conversation with what it runs on. Created in place by Session::create().
class SessionState {
 public:
  SessionState(const Model& model, ExecutorHandle executor, const SessionOptions& options) noexcept;

  /// Ends a running call on another thread and waits for it.
  void shut_down() noexcept;
  bool is_cancelled(const StopRef& token) const noexcept {
    return cancel_requested.load(std::memory_order_acquire) || token.is_requested();
  }
  /// Ids of a prompt's text, with BOS by the rule of GenerateOptions::add_bos.
  Result<Array<Token>> encode(std::string_view prompt, const GenerateOptions& options) noexcept;
  Status begin(std::span<const Token> prompt, const GenerateOptions& options) noexcept;
  /// Runs the generation to its end, streaming to on_piece.
  Result<Reply> run(OnPiece on_piece) noexcept;
  Result<Step> step(std::chrono::nanoseconds budget) noexcept;
  /// Chunk length whose layer takes about half the budget, by what slices took so far.
  std::size_t chunk_for(std::chrono::nanoseconds budget) const noexcept;

  Model model;
  ModelState& shared;
  ExecutorHandle executor;
  SessionOptions options;
  runtime::Evaluator evaluator;
  runtime::Generation generation;
  String step_text;                    ///< keeps Step::text alive
  StopRef stop_token;                  ///< of the generation that was begun
  double seconds_per_token_layer = 0;  ///< 0: not measured yet
  std::atomic<bool> is_busy{false};
  WaitPoint became_idle;  ///< where shut_down() sleeps until is_busy is false
  std::atomic<bool> cancel_requested{false};

 private:
  Status timed_advance(std::size_t max_tokens, double& slice_seconds) noexcept;
};

/// The positions that SessionOptions::context or PlanOptions::context asks for.
constexpr std::uint32_t resolve_context(std::uint32_t context, std::uint32_t trained_context) noexcept {
  constexpr std::uint32_t kPositions = 2048;
  if (context != kDefaultContext) return context;
  return trained_context > 0 && trained_context < kPositions ? trained_context : kPositions;
}

/// Marks a session as in use for the length of a call; false where it already is (promise E3).
class BusyGuard {
 public:
  explicit BusyGuard(SessionState& state) noexcept;
  ~BusyGuard();
  BusyGuard(const BusyGuard&) = delete;
  BusyGuard& operator=(const BusyGuard&) = delete;
  explicit operator bool() const noexcept { return has_session_; }

 private:
  SessionState* state_;
  bool has_session_;
};

}  // namespace loquat::inline LOQUAT_ABI::detail

#endif  // LOQUAT_API_SESSION_STATE_HPP
