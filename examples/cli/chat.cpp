// SPDX-License-Identifier: MIT
// loquat chat: a conversation in the terminal. Ctrl-C stops the answer, not the program.
#include <csignal>
#include <iostream>

#include "common.hpp"

namespace cli {

namespace {

loquat::StopToken interrupted;

constexpr const char* kHelp =
    "/help         this text\n"
    "/rewind       forget the last question and its answer\n"
    "/clear        forget everything but the system message\n"
    "/tokens       how much of the context is used\n"
    "/quit         leave (or end of input)\n";

struct Conversation {
  loquat::Session& session;
  loquat::Chat& chat;
  loquat::GenerateOptions options;
  std::size_t n_system;
};

/// True where the line was a command; `is_over` is set by /quit.
bool run_command(Conversation& conversation, const std::string& line, bool& is_over) {
  if (line.empty() || line[0] != '/') return false;
  loquat::Chat& chat = conversation.chat;
  if (line == "/quit") {
    is_over = true;
  } else if (line == "/rewind") {
    if (chat.message_count() >= conversation.n_system + 2) chat.rewind(chat.message_count() - 2);
  } else if (line == "/clear") {
    chat.rewind(conversation.n_system);
  } else if (line == "/tokens") {
    std::cout << conversation.session.tokens().size() << " of " << conversation.session.context() << " tokens\n";
  } else {
    std::cout << (line == "/help" ? "" : "unknown command\n") << kHelp;
  }
  return true;
}

void answer(Conversation& conversation, const std::string& line) {
  interrupted.reset();
  const auto reply = conversation.chat.say(line, conversation.options,
                                           [](std::string_view piece) { std::cout << piece << std::flush; });
  std::cout << '\n';
  if (!reply) {
    std::cerr << "loquat: " << reply.error().c_str() << '\n';
  } else if (reply->finish == loquat::Finish::context_full) {
    std::cerr << "[the context is full; /clear or /rewind makes room]\n";
  }
}

int run(const Arguments& arguments) {
  const loquat::Model model = open_model(arguments);
  if (model.chat_template().empty()) throw Failure("the model has no chat template; use `loquat run --raw`");
  loquat::Session session = open_session(arguments, model);
  loquat::Chat chat(session);
  if (arguments.has("--system")) chat.system(arguments.text("--system"));
  loquat::GenerateOptions options;
  options.max_tokens = static_cast<std::uint32_t>(arguments.whole("--max-tokens", 1024, 1, 1u << 30));
  options.sampling = sampler_options(arguments, 0.8f);
  options.stop_token = interrupted;
  std::signal(SIGINT, [](int) { interrupted.request(); });

  Conversation conversation{session, chat, options, chat.message_count()};
  std::cout << model.info().name << ", " << session.context() << " tokens of context; /help lists the commands\n";
  bool is_over = false;
  std::string line;
  while (!is_over && std::cout << "> " << std::flush && std::getline(std::cin, line)) {
    if (line.empty() || run_command(conversation, line, is_over)) continue;
    answer(conversation, line);
  }
  std::cout << '\n';
  return 0;
}

}  // namespace

const Verb& chat_verb() {
  static const Verb verb{"chat", "chat MODEL [options]", "a conversation in the terminal; Ctrl-C stops the answer",
                         with_sampling_options(with_common_options(
                             {{"--system", "", "TEXT", "a system message in front"},
                              {"--max-tokens", "-n", "N", "most tokens of an answer (default: 1024)"}})),
                         &run};
  return verb;
}

}  // namespace cli
