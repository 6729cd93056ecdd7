// SPDX-License-Identifier: MIT
#ifndef LOQUAT_SESSION_HPP
#define LOQUAT_SESSION_HPP

#include <loquat/array.hpp>
#include <loquat/cache_type.hpp>
#include <loquat/callback.hpp>
#include <loquat/config.hpp>
#include <loquat/executor.hpp>
#include <loquat/fwd.hpp>
#include <loquat/host.hpp>
#include <loquat/model.hpp>
#include <loquat/result.hpp>
#include <loquat/sampler.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

// One conversation: its tokens, their cache, its sampler.
//
//   auto session = loquat::Session::create(*model);
//   auto reply = session->generate("Once upon a time", {.max_tokens = 64},
//                                  [](std::string_view piece) { put(piece); });
//
// or in slices: session->begin(prompt, options); then every frame session->step(2ms).

namespace loquat::inline LOQUAT_ABI {

namespace detail {
class SessionState;
}

/// What happens when the context is full (promise V2).
enum class Overflow : std::uint8_t {
  stop,   ///< generation ends with Finish::context_full
  error,  ///< generation ends with ErrorCode::context_full
};

/// Stands for 2048 positions, or the model's trained length where that is less (promise M2: never the trained length
/// of a model that could hold more than a program expects).
inline constexpr std::uint32_t kDefaultContext = ~std::uint32_t{0};

struct SessionOptions {
  std::uint32_t context = kDefaultContext;  ///< positions, 2 up to the model's trained length
  std::uint32_t chunk = 256;     ///< most prompt tokens computed together, 1..4096; never changes a bit
  CacheType cache_type = CacheType::automatic;
  std::optional<ThreadOptions> threads = {};  ///< the model's, where not given
};

enum class Finish : std::uint8_t {
  none,               ///< still running
  end_of_generation,  ///< the model ended its turn
  stop_text,          ///< a stop string was found; no byte of it was delivered
  max_tokens,
  context_full,
  cancelled,
};
LOQUAT_API const char* to_string(Finish finish) noexcept;

/// How a new prompt relates to what the session holds.
enum class History : std::uint8_t {
  append,   ///< the prompt continues it
  replace,  ///< the prompt is the whole history; the longest common prefix is not computed again (promise V4)
};

struct GenerateOptions {
  std::uint32_t max_tokens = 256;  ///< 0: only computes the prompt
  SamplerOptions sampling = {};
  std::span<const std::string_view> stop = {};  ///< stop strings, none empty; copied
  Special special = Special::plain;             ///< of the prompt's text
  std::optional<bool> add_bos = {};  ///< default: as the file asks, if the session is empty or being replaced
  History history = History::append;
  Overflow overflow = Overflow::stop;
  bool show_special = false;              ///< texts of control tokens are delivered
  bool ignore_end_of_generation = false;  ///< goes on past end tokens (benchmarks)
  StopRef stop_token = {};
};

struct Usage {
  std::uint32_t prompt_tokens = 0;     ///< in the prompt
  std::uint32_t reused_tokens = 0;     ///< of these, found in the cache
  std::uint32_t evaluated_tokens = 0;  ///< computed now; at least 1 unless the prompt is empty
  std::uint32_t generated_tokens =
      0;  ///< drawn; Reply::tokens has fewer where a cancel came before the last was computed
  std::uint32_t withheld_bytes =
      0;  ///< text that the session's tokens hold beyond Reply::text: a stop string (promise S5)
};

/// Seconds.
struct Timing {
  double prefill = 0;      ///< computing the prompt
  double decode = 0;       ///< computing generated tokens
  double first_token = 0;  ///< from begin to the first token
};

/// A finished generation.
struct Reply {
  String text;
  Array<Token> tokens;  ///< generated ids that the session holds, an end token included
  Finish finish = Finish::none;
  Usage usage;
  Timing timing;
  std::uint64_t seed = 0;
};

/// What one step() did.
struct Step {
  std::string_view text;  ///< new whole UTF-8, may be empty; valid until the next call
  Finish finish = Finish::none;
  std::uint32_t prompt_done = 0;  ///< prompt tokens computed so far
  std::uint32_t prompt_total = 0;
  std::uint32_t generated_tokens = 0;

  bool finished() const noexcept { return finish != Finish::none; }
};

/// Called on the thread that called generate(), with no lock held; may read counters and request a stop (promise R3).
using OnPiece = CallbackRef<std::string_view>;

/// One conversation over one model, which it keeps alive.
///
/// Threads   any thread, one at a time: an overlapping call returns busy and changes nothing (promise E3)
class LOQUAT_API Session {
 public:
  /// Allocates the whole cache and scratch: nothing is allocated later while decoding.
  ///
  /// Errors    invalid_argument: an option outside its range; out_of_memory, naming purpose and size; not_built
  static Result<Session> create(const Model& model, const SessionOptions& options = {}) noexcept;
  Session(Session&& other) noexcept;
  Session& operator=(Session&& other) noexcept;
  /// A call that runs on another thread is cancelled and waited for.
  ~Session();

  /// Computes the prompt and answers, streaming whole UTF-8 pieces to `on_piece`.
  ///
  /// Errors    context_full: the prompt cannot fit, with counts, before any compute, session unchanged;
  ///           invalid_argument, callback_failed, bad_logits, busy, out_of_memory; tokens() is always true
  Result<Reply> generate(std::string_view prompt, const GenerateOptions& options = {}, OnPiece on_piece = {}) noexcept;
  Result<Reply> generate(std::span<const Token> prompt, const GenerateOptions& options = {},
                         OnPiece on_piece = {}) noexcept;

  /// Starts a generation and returns at once; step() does the work. A running one is ended first.
  Status begin(std::string_view prompt, const GenerateOptions& options = {}) noexcept;
  Status begin(std::span<const Token> prompt, const GenerateOptions& options = {}) noexcept;
  /// Works for about `budget`, at least one slice (one layer of one chunk), and returns.
  ///
  /// Errors    as generate(); invalid_argument: nothing was begun
  Result<Step> step(std::chrono::nanoseconds budget) noexcept;
  /// Takes the reply of the generation that step() finished (or of a running one so far, ending it as cancelled).
  Result<Reply> take_reply() noexcept;

  /// Computes tokens without generating.
  ///
  /// Errors    context_full, invalid_argument: an id outside the vocabulary; cancelled; busy; session unchanged
  Status append(std::span<const Token> tokens, StopRef stop_token = {}) noexcept;
  /// Logits [V] after the last token; valid until the next call that computes.
  ///
  /// Errors    invalid_argument: the session is empty; busy
  Result<std::span<const float>> logits() noexcept;
  /// As append(), and gives the logits after every token to `on_row(index, logits [V])`.
  Status append_with_logits(std::span<const Token> tokens,
                            CallbackRef<std::size_t, std::span<const float>> on_row) noexcept;
  /// Drops all tokens from position `n_tokens` on.
  ///
  /// Errors    invalid_argument: n_tokens > tokens().size(); busy
  Status rewind(std::size_t n_tokens) noexcept;
  Status clear() noexcept { return rewind(0); }
  /// Runs a throw-away token, so that the first real one takes as long as later ones (promise R5).
  Status warmup() noexcept;

  /// The tokens whose cache entries are valid.
  std::span<const Token> tokens() const noexcept;
  std::uint32_t context() const noexcept;
  std::uint32_t threads() const noexcept;
  const Model& model() const noexcept;
  /// Bytes this session holds from the allocator.
  std::size_t memory() const noexcept;
  /// Asks the running call to end. Lock-free, any thread, any time; no effect when nothing runs (promise C1).
  void cancel() noexcept;

 private:
  friend class Chat;
  explicit Session(detail::SessionState* state) noexcept : state_(state) {}
  detail::SessionState* state_;
};

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_SESSION_HPP
