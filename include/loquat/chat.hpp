// SPDX-License-Identifier: MIT
#ifndef LOQUAT_CHAT_HPP
#define LOQUAT_CHAT_HPP

#include <loquat/array.hpp>
#include <loquat/config.hpp>
#include <loquat/fwd.hpp>
#include <loquat/result.hpp>
#include <loquat/session.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

// Conversations in the model's own chat template.
//
//   loquat::Chat chat(*session);
//   chat.system("You are a laconic innkeeper.");
//   auto reply = chat.say("Any rooms?", {}, [](std::string_view piece) { put(piece); });

namespace loquat::inline LOQUAT_ABI {

namespace detail {
class ChatState;
}

struct Message {
  std::string_view role;  ///< "system", "user", "assistant", "tool"
  std::string_view content;
};

struct RenderOptions {
  bool add_generation_prompt = true;
  /// A JSON object with further variables (`tools`, `enable_thinking` ...); they replace the usual ones of that name.
  std::string_view variables = {};
  /// Seconds since 1970, UTC, for templates that tell the date; the system's clock where not given.
  std::optional<std::int64_t> unix_seconds = {};
};

/// Renders messages with the model's template, exactly as its publisher's software would.
///
/// Errors    template_error: none, not understood (feature, line, column), or over a limit;
///           template_refused: the template raised, with its message; invalid_argument: variables; out_of_memory
LOQUAT_API Result<String> render_chat(const Model& model, std::span<const Message> messages,
                                      const RenderOptions& options = {}) noexcept;
/// The same with any template text; bos_token and eos_token are empty unless `variables` gives them.
LOQUAT_API Result<String> render_chat(std::string_view template_text, std::span<const Message> messages,
                                      const RenderOptions& options = {}) noexcept;
/// The ids of the rendered messages. Texts of control tokens count only where the template wrote them: no content can
/// become a control token (promise K6). In front is one BOS where the file asks for one or the template wrote some, and
/// none otherwise (promise K4).
LOQUAT_API Result<Array<Token>> encode_chat(const Model& model, std::span<const Message> messages,
                                            const RenderOptions& options = {}) noexcept;

/// A conversation on a session: keeps the messages, computes only what is new.
///
/// Requires  the session outlives it and is not used otherwise meanwhile
/// Threads   one at a time
class LOQUAT_API Chat {
 public:
  explicit Chat(Session& session) noexcept;
  Chat(Chat&& other) noexcept;
  Chat& operator=(Chat&& other) noexcept;
  ~Chat();

  /// Adds a message. A failure (out of memory) is kept and returned by the next say().
  Chat& system(std::string_view content) noexcept { return add({"system", content}); }
  Chat& user(std::string_view content) noexcept { return add({"user", content}); }
  Chat& assistant(std::string_view content) noexcept { return add({"assistant", content}); }
  Chat& add(const Message& message) noexcept;

  /// Adds a user message and generates the answer, which is added too. On an error the messages are as before.
  /// options.history, special and add_bos are ignored: the template decides. A cancelled answer is kept as far as it came.
  ///
  /// Errors    as render_chat() and Session::generate()
  Result<Reply> say(std::string_view content, const GenerateOptions& options = {}, OnPiece on_piece = {}) noexcept;
  /// Generates an answer to the messages as they are.
  Result<Reply> proceed(const GenerateOptions& options = {}, OnPiece on_piece = {}) noexcept;

  std::size_t message_count() const noexcept;
  /// Requires  index < message_count(). Valid until the next change.
  Message message(std::size_t index) const noexcept;
  /// Drops messages from `count` on.
  void rewind(std::size_t count) noexcept;

 private:
  Session* session_;
  detail::ChatState* state_;
};

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_CHAT_HPP
