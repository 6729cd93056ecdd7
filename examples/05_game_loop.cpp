// SPDX-License-Identifier: MIT
// A character that talks while the game runs at 60 frames per second.
//
//   05_game_loop MODEL.gguf [MILLISECONDS]    of each frame that the character may use (default 4)
//
// begin() returns at once; step() works for about its budget on this thread and comes back, in the middle of a long
// prompt or of one token. What is computed has the same bits as in one call of generate().
#include <loquat/loquat.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

int fail(const loquat::Error& error) {
  std::fprintf(stderr, "error (%s): %s\n", loquat::to_string(error.code()), error.c_str());
  return 1;
}

void put(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

double milliseconds_of(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s MODEL.gguf [MILLISECONDS]\n", argv[0]);
    return 2;
  }
  const auto budget = milliseconds(argc > 2 ? std::max(1, std::atoi(argv[2])) : 4);

  // One thread: all work happens inside step(), on the thread that calls it. A real game gives its job system as
  // Host::executor and gets more done in the same budget.
  auto model = loquat::Model::load(argv[1], {.threads = {.count = 1}});
  if (!model) return fail(model.error());
  auto npc = loquat::Session::create(*model, {.context = 512});
  if (!npc) return fail(npc.error());
  // The first token should take as long as the later ones: touch all weights now, behind the loading screen.
  if (auto status = npc->warmup(); !status) return fail(status.error());

  if (auto status = npc->begin("The player greets the guard at the gate. The guard says:",
                               {.max_tokens = 40, .sampling = {.seed = 7}});
      !status) {
    return fail(status.error());
  }

  std::vector<double> step_times;
  for (bool is_talking = true; is_talking;) {
    const Clock::time_point frame = Clock::now();
    // ... input, physics and drawing of a real game happen here ...

    const Clock::time_point begin = Clock::now();
    auto step = npc->step(budget);
    step_times.push_back(milliseconds_of(Clock::now() - begin));
    if (!step) return fail(step.error());  // the session is usable: a real game would let the guard shrug
    put(step->text);                       // may be empty: not every frame brings a whole character
    is_talking = !step->finished();

    std::this_thread::sleep_until(frame + microseconds(16667));
  }

  // The whole answer, as generate() would give it.
  auto reply = npc->take_reply();
  if (!reply) return fail(reply.error());
  std::sort(step_times.begin(), step_times.end());
  std::printf("\n[%zu frames, %u tokens, ended by %s; a step took %.2f ms in the median, %.2f at most, budget %d]\n",
              step_times.size(), reply->usage.generated_tokens, loquat::to_string(reply->finish),
              step_times[step_times.size() / 2], step_times.back(), static_cast<int>(budget.count()));
  return 0;
}
