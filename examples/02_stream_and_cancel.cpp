// SPDX-License-Identifier: MIT
// Three ways to end an answer before its time: a stop string, the callback, and another thread.
//
//   02_stream_and_cancel MODEL.gguf
//
// However it ends, the session holds exactly the tokens it computed, and can go on from there.
#include <loquat/loquat.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <thread>

namespace {

int fail(const loquat::Error& error) {
  std::fprintf(stderr, "error (%s): %s\n", loquat::to_string(error.code()), error.c_str());
  return 1;
}

void put(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void report(const char* what, const loquat::Reply& reply) {
  std::printf("\n[%s: ended by %s after %u tokens]\n\n", what, loquat::to_string(reply.finish),
              reply.usage.generated_tokens);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s MODEL.gguf\n", argv[0]);
    return 2;
  }
  auto model = loquat::Model::load(argv[1]);
  if (!model) return fail(model.error());
  auto session = loquat::Session::create(*model, {.context = 512});
  if (!session) return fail(session.error());

  // 1. Stop strings: no byte of one is ever delivered, even if it comes in pieces over several tokens.
  constexpr std::array<std::string_view, 2> kStops = {".", "\n\n"};
  auto sentence = session->generate("The first rule of the inn is", {.max_tokens = 60, .stop = kStops}, put);
  if (!sentence) return fail(sentence.error());
  report("one sentence", *sentence);

  // 2. The callback decides. It runs on this thread, and no lock is held: it may read counters and call cancel().
  // A real program would stop when its text box is full. Throwing is no way out: it gives ErrorCode::callback_failed.
  std::size_t room = 80;
  auto box = session->generate(" Another thing is", {.max_tokens = 60}, [&room](std::string_view piece) {
    put(piece);
    room -= piece.size() < room ? piece.size() : room;
    return room == 0 ? loquat::Next::stop : loquat::Next::proceed;
  });
  if (!box) return fail(box.error());
  report("80 characters", *box);

  // 3. Another thread: a StopToken can be requested from any thread, also from a signal handler. The call returns
  // within one layer of work. A real program would have the player's Escape key here instead of a clock.
  loquat::StopToken stop;
  std::thread impatient([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    stop.request();
  });
  auto cut = session->generate(" And finally,",
                               {.max_tokens = 200, .ignore_end_of_generation = true, .stop_token = stop}, put);
  impatient.join();
  if (!cut) return fail(cut.error());  // being cancelled is no error: the reply has what came so far
  report("150 milliseconds", *cut);

  // What the session holds is what was computed. Dropping the last answer takes one call.
  const std::size_t held = session->tokens().size();
  if (auto status = session->rewind(held - cut->tokens.size()); !status) return fail(status.error());
  std::printf("[the session held %zu tokens, and %zu after dropping the last answer]\n", held,
              session->tokens().size());
  return 0;
}
