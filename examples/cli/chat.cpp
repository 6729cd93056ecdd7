// SPDX-License-Identifier: MIT
// loquat chat: a conversation in the terminal. Ctrl-C stops the answer, not the program.
#include <csignal>
#include <iostream>
#include <sstream>

#include "common.hpp"

namespace cli {

namespace {

loquat::StopToken interrupted;

constexpr const char* kHelp =
    "/help         this text\n"
    "/rewind       forget the last question and its answer\n"
    "/clear        forget everything but the system message\n"
    "/save FILE    write the conversation, a line of JSON for each message\n"
    "/load FILE    go on with a conversation that was saved\n"
    "/tokens       how much of the context the last answer filled\n"
    "/quit         leave (or end of input)\n";

struct Conversation {
  loquat::Session& session;
  loquat::Chat& chat;
  loquat::GenerateOptions options;
  std::size_t n_system;
};

void save(const Conversation& conversation, const std::string& path) {
  std::ofstream file = create_file(path);
  for (std::size_t i = 0; i < conversation.chat.message_count(); ++i) {
    const loquat::Message message = conversation.chat.message(i);
    file << Json().set("role", message.role).set("content", message.content).dump() << '\n';
  }
  if (!file.flush()) throw Failure(path + ": cannot be written");
}

/// All lines are understood before the first message changes.
void load(Conversation& conversation, const std::string& path) {
  std::istringstream text(read_file(path));
  std::vector<Json> messages;
  for (std::string line; std::getline(text, line);) {
    messages.push_back(Json::parse(line));
    messages.back()["role"].as_text("role");
    messages.back()["content"].as_text("content");
  }
  loquat::Chat& chat = conversation.chat;
  chat.rewind(0);
  for (const Json& message : messages) {
    chat.add({message["role"].as_text("role"), message["content"].as_text("content")});
  }
  conversation.n_system = chat.message_count() > 0 && chat.message(0).role == "system" ? 1 : 0;
}

/// "/save" or "/load" with a file. What fails is told, and the conversation goes on.
void use_file(Conversation& conversation, const std::string& line) try {
  const std::size_t space = line.find(' ');
  if (space == std::string::npos || space + 1 == line.size())
    throw Failure(line.substr(0, space) + " needs a file name");
  const std::string path = line.substr(space + 1);
  line.starts_with("/save") ? save(conversation, path) : load(conversation, path);
} catch (const Failure& failure) {
  std::cerr << "loquat: " << failure.what() << '\n';
}

bool is_command(const std::string& line, const std::string& name) {
  return line.starts_with(name) && (line.size() == name.size() || line[name.size()] == ' ');
}

/// True where the line was a command; `is_over` is set by /quit.
bool run_command(Conversation& conversation, const std::string& line, bool& is_over) {
  if (line.empty() || line[0] != '/') return false;
  loquat::Chat& chat = conversation.chat;
  if (line == "/quit") {
    is_over = true;
  } else if (line == "/rewind") {
    if (chat.message_count() >= conversation.n_system + 2) {
      chat.rewind(chat.message_count() - 2);
    } else {
      std::cout << "nothing to forget\n";
    }
  } else if (line == "/clear") {
    chat.rewind(conversation.n_system);
  } else if (is_command(line, "/save") || is_command(line, "/load")) {
    use_file(conversation, line);
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
  loquat::GenerateOptions options;
  options.max_tokens = static_cast<std::uint32_t>(arguments.whole("--max-tokens", 1024, 1, 1u << 30));
  options.sampling = sampler_options(arguments, 0.8f);
  options.stop_token = interrupted;
  const loquat::Model model = open_model(arguments);
  if (model.chat_template().empty()) throw Failure("the model has no chat template; use `loquat run --raw`");
  loquat::Session session = open_session(arguments, model);
  loquat::Chat chat(session);
  if (arguments.has("--system")) chat.system(arguments.text("--system"));
  std::signal(SIGINT, [](int) { interrupted.request(); });

  Conversation conversation{session, chat, options, chat.message_count()};
  const loquat::ModelInfo& info = model.info();
  std::cout << (info.name.empty() ? info.architecture : info.name) << ", " << session.context()
            << " tokens of context; /help lists the commands\n";
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
