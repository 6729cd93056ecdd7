// SPDX-License-Identifier: MIT
// The first program: load a model, let it continue a text, print what it writes as it comes.
//
//   01_hello MODEL.gguf [PROMPT]
//
// Everything fallible gives a loquat::Result: test it, then use it with * or ->. Nothing throws, nothing prints.
#include <loquat/loquat.hpp>

#include <cstdio>
#include <string_view>

namespace {

// What your program does with an error: the message says what was expected, what was found, and where.
int fail(const loquat::Error& error) {
  std::fprintf(stderr, "error (%s): %s\n", loquat::to_string(error.code()), error.c_str());
  return 1;
}

// What your program does with text. Pieces are whole UTF-8 characters, never half of one.
void put(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s MODEL.gguf [PROMPT]\n", argv[0]);
    return 2;
  }
  const std::string_view prompt = argc > 2 ? argv[2] : "Once upon a time";

  // A model is immutable and cheap to copy: load it once, share it between threads and sessions.
  // A real program passes .progress to draw a bar, and .stop_token so that the player may leave while it loads.
  auto model = loquat::Model::load(argv[1]);
  if (!model) return fail(model.error());

  // A session is one conversation: its tokens, their cache, its sampler. All its memory is taken here, so that
  // generating does not allocate. A real program chooses .context by what loquat::plan() says it will cost.
  auto session = loquat::Session::create(*model, {.context = 512});
  if (!session) return fail(session.error());

  // generate() computes the prompt, then draws one token after the other. The callback may return
  // loquat::Next::stop to end early. A fixed seed gives the same text again, on every processor and thread count.
  put(prompt);
  auto reply = session->generate(prompt, {.max_tokens = 64, .sampling = {.temperature = 0.8f, .seed = 7}},
                                 [](std::string_view piece) { put(piece); });
  if (!reply) return fail(reply.error());

  // An error leaves the session usable, with the tokens that it computed. A real program would say what it could not
  // do and go on: the library never ends the process.
  //
  // The reply says why it ended and what it took; reply->text holds the whole text once more.
  const double seconds = reply->timing.decode > 0 ? reply->timing.decode : 1;
  std::printf("\n[%u prompt tokens, %u generated, %.0f tokens per second, ended by %s]\n", reply->usage.prompt_tokens,
              reply->usage.generated_tokens, reply->usage.generated_tokens / seconds, loquat::to_string(reply->finish));
  return 0;
}
