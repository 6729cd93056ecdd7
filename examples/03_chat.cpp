// SPDX-License-Identifier: MIT
// A conversation in the model's own chat template.
//
//   03_chat MODEL.gguf              type lines, an empty one ends
//   03_chat MODEL.gguf QUESTION...  asks these, one after the other
//
// Only what is new is computed in each turn, and nothing that a user types can become a control token.
#include <loquat/loquat.hpp>

#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

namespace {

int fail(const loquat::Error& error) {
  std::fprintf(stderr, "error (%s): %s\n", loquat::to_string(error.code()), error.c_str());
  return 1;
}

void put(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

/// The next question: from the command line, or from the keyboard; empty at the end.
std::string next_question(int argc, char** argv, int turn) {
  std::string line;
  if (argc > 2) {
    if (2 + turn < argc) line = argv[2 + turn];
    if (!line.empty()) std::printf("> %s\n", line.c_str());
  } else {
    put("> ");
    std::getline(std::cin, line);
  }
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s MODEL.gguf [QUESTION...]\n", argv[0]);
    return 2;
  }
  auto model = loquat::Model::load(argv[1]);
  if (!model) return fail(model.error());
  auto session = loquat::Session::create(*model, {.context = 512});
  if (!session) return fail(session.error());

  // The chat keeps the messages, the session the tokens. The session must outlive the chat.
  loquat::Chat chat(*session);
  chat.system("You are a laconic innkeeper.");

  for (int turn = 0;; ++turn) {
    const std::string question = next_question(argc, argv, turn);
    if (question.empty()) break;

    // say() adds the question, renders the whole conversation, and computes what the session does not hold yet.
    auto reply = chat.say(question, {.max_tokens = 48, .sampling = {.seed = 7}}, put);

    // A full context is an error that changes nothing: the messages are as before. A real program would drop or
    // summarize the oldest ones; this one starts anew.
    if (!reply && reply.code() == loquat::ErrorCode::context_full) {
      std::printf("\n[%s; forgetting all but the system message]\n", reply.error().c_str());
      chat.rewind(1);
      continue;
    }
    if (!reply) return fail(reply.error());
    std::printf("\n[%u of %u prompt tokens were computed, %u were known]\n", reply->usage.evaluated_tokens,
                reply->usage.prompt_tokens, reply->usage.reused_tokens);
  }

  // The whole conversation is there: a real program would save it, or show it in a journal.
  for (std::size_t i = 0; i < chat.message_count(); ++i) {
    const loquat::Message message = chat.message(i);
    std::printf("%.*s: %.*s\n", static_cast<int>(message.role.size()), message.role.data(),
                static_cast<int>(message.content.size()), message.content.data());
  }
  return 0;
}
