// SPDX-License-Identifier: MIT
// Chat templates of models, and conversations on a session.
#include <loquat/chat.hpp>

#include <chrono>
#include <optional>
#include <utility>

#include "api/model_state.hpp"
#include "base/error.hpp"
#include "base/ref.hpp"
#include "text/jinja/template.hpp"
#include "text/vocabulary.hpp"

namespace loquat::inline LOQUAT_ABI {

using detail::ModelState;
using text::jinja::MessageView;
using text::jinja::Rendered;
using text::jinja::Template;

namespace {

std::int64_t now_seconds() noexcept {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

Result<Template> parse_template(const Model& model) noexcept {
  if (model.chat_template().empty()) {
    return make_error(ErrorCode::template_error, "the model has no chat template (key tokenizer.chat_template)")
        .with_name("tokenizer.chat_template");
  }
  return Template::parse(model.chat_template(), ModelState::of(model).allocator());
}

std::string_view text_of(const Tokenizer& tokenizer, Token token) noexcept {
  return token < 0 ? std::string_view() : tokenizer.token_text(token);
}

/// `tokenizer` gives the texts of BOS and EOS; none for templates without a model.
Result<Rendered> render(const Template& chat_template, const Tokenizer* tokenizer, std::span<const Message> messages,
                        const RenderOptions& options, Allocator& allocator) noexcept {
  Array<MessageView> views(allocator);
  if (!views.reserve(messages.size())) return out_of_memory(messages.size_bytes(), "the messages of a chat");
  for (const Message& message : messages) static_cast<void>(views.push_back({message.role, message.content}));
  text::jinja::Context context{.messages = {views.data(), views.size()},
                               .add_generation_prompt = options.add_generation_prompt,
                               .variables = options.variables,
                               .unix_seconds = options.unix_seconds ? *options.unix_seconds : now_seconds()};
  if (tokenizer != nullptr) {
    context.bos_token = text_of(*tokenizer, tokenizer->special_tokens().bos);
    context.eos_token = text_of(*tokenizer, tokenizer->special_tokens().eos);
  }
  return chat_template.render(context);
}

/// Templates may write BOS themselves, and files may ask for one in addition: one stays (promise K4).
void keep_one_bos(Array<Token>& tokens, Token bos) noexcept {
  if (bos < 0) return;
  std::size_t n = 0;
  while (n < tokens.size() && tokens[n] == bos) ++n;
  if (n < 2) return;
  for (std::size_t i = n; i < tokens.size(); ++i) tokens[i - n + 1] = tokens[i];
  tokens.truncate(tokens.size() - n + 1);
}

Result<Array<Token>> encode(const Tokenizer& tokenizer, const Rendered& rendered) noexcept {
  const SpecialTokens& special = tokenizer.special_tokens();
  LOQUAT_ASSIGN_OR_RETURN(
      Array<Token> tokens,
      text::encode_segments(tokenizer, rendered.text, {rendered.content.data(), rendered.content.size()},
                            {.special = Special::tokens, .add_bos = special.add_bos && special.bos >= 0}));
  keep_one_bos(tokens, special.bos);
  return tokens;
}

}  // namespace

Result<String> render_chat(const Model& model, std::span<const Message> messages,
                           const RenderOptions& options) noexcept {
  LOQUAT_ASSIGN_OR_RETURN(const Template chat_template, parse_template(model));
  const ModelState& state = ModelState::of(model);
  LOQUAT_ASSIGN_OR_RETURN(Rendered rendered,
                          render(chat_template, &state.tokenizer, messages, options, state.allocator()));
  return std::move(rendered.text);
}

Result<String> render_chat(std::string_view template_text, std::span<const Message> messages,
                           const RenderOptions& options) noexcept {
  Allocator& allocator = default_allocator();
  LOQUAT_ASSIGN_OR_RETURN(const Template chat_template, Template::parse(template_text, allocator));
  LOQUAT_ASSIGN_OR_RETURN(Rendered rendered, render(chat_template, nullptr, messages, options, allocator));
  return std::move(rendered.text);
}

Result<Array<Token>> encode_chat(const Model& model, std::span<const Message> messages,
                                 const RenderOptions& options) noexcept {
  LOQUAT_ASSIGN_OR_RETURN(const Template chat_template, parse_template(model));
  const ModelState& state = ModelState::of(model);
  LOQUAT_ASSIGN_OR_RETURN(const Rendered rendered,
                          render(chat_template, &state.tokenizer, messages, options, state.allocator()));
  return encode(state.tokenizer, rendered);
}

namespace detail {

/// The messages of a Chat, in its own memory, and the parsed template.
class ChatState {
 public:
  explicit ChatState(Allocator& memory) noexcept : allocator(&memory), messages_(memory, MemoryTag::session) {}

  Status add(const Message& message) noexcept {
    Stored stored{String(*allocator, MemoryTag::session), String(*allocator, MemoryTag::session)};
    if (!stored.role.append(message.role) || !stored.content.append(message.content) ||
        !messages_.push_back(std::move(stored))) {
      return out_of_memory(message.role.size() + message.content.size(), "a message of a chat");
    }
    return {};
  }
  std::size_t size() const noexcept { return messages_.size(); }
  Message message(std::size_t index) const noexcept { return {messages_[index].role, messages_[index].content}; }
  void truncate(std::size_t count) noexcept { messages_.truncate(count); }

  /// The whole conversation, with the head of the answer.
  Result<Array<Token>> encode(const Model& model) noexcept {
    if (!chat_template) {
      LOQUAT_ASSIGN_OR_RETURN(chat_template, parse_template(model));
    }
    Array<Message> views(*allocator);
    if (!views.reserve(size())) return out_of_memory(size() * sizeof(Message), "the messages of a chat");
    for (std::size_t i = 0; i < size(); ++i) static_cast<void>(views.push_back(message(i)));
    const Tokenizer& tokenizer = ModelState::of(model).tokenizer;
    LOQUAT_ASSIGN_OR_RETURN(const Rendered rendered,
                            render(*chat_template, &tokenizer, {views.data(), views.size()}, {}, *allocator));
    return loquat::encode(tokenizer, rendered);
  }

  Allocator* allocator;
  std::optional<Template> chat_template;  ///< parsed on first use (promise X1)
  Status failure;                         ///< of add(), for the next say()

 private:
  struct Stored {
    String role;
    String content;
  };
  Array<Stored> messages_;
};

namespace {

void destroy(ChatState* state) noexcept {
  if (state != nullptr) Box<ChatState>(state, *state->allocator, MemoryTag::session).reset();
}

}  // namespace
}  // namespace detail

Chat::Chat(Session& session) noexcept : session_(&session) {
  Allocator& allocator = ModelState::of(session.model()).allocator();
  state_ = make_box<detail::ChatState>(allocator, MemoryTag::session, allocator).detach();
}
Chat::Chat(Chat&& other) noexcept : session_(other.session_), state_(std::exchange(other.state_, nullptr)) {}
Chat& Chat::operator=(Chat&& other) noexcept {
  std::swap(session_, other.session_);
  std::swap(state_, other.state_);
  return *this;
}
Chat::~Chat() { detail::destroy(state_); }

Chat& Chat::add(const Message& message) noexcept {
  if (state_ == nullptr || !state_->failure) return *this;
  state_->failure = state_->add(message);
  return *this;
}

Result<Reply> Chat::say(std::string_view content, const GenerateOptions& options, OnPiece on_piece) noexcept {
  const std::size_t before = message_count();
  user(content);
  auto reply = proceed(options, on_piece);
  if (!reply) rewind(before);
  return reply;
}

Result<Reply> Chat::proceed(const GenerateOptions& options, OnPiece on_piece) noexcept {
  if (state_ == nullptr) return out_of_memory(sizeof(detail::ChatState), "a chat");
  if (const Status failure = std::exchange(state_->failure, Status()); !failure) return failure.error();
  LOQUAT_ASSIGN_OR_RETURN(const Array<Token> prompt, state_->encode(session_->model()));
  GenerateOptions whole = options;
  whole.history = History::replace;
  LOQUAT_ASSIGN_OR_RETURN(Reply reply, session_->generate(prompt, whole, on_piece));
  LOQUAT_RETURN_IF_ERROR(state_->add({"assistant", reply.text}));
  return reply;
}

std::size_t Chat::message_count() const noexcept { return state_ == nullptr ? 0 : state_->size(); }
Message Chat::message(std::size_t index) const noexcept { return state_->message(index); }
void Chat::rewind(std::size_t count) noexcept {
  if (count < message_count()) state_->truncate(count);
}

}  // namespace loquat::inline LOQUAT_ABI
