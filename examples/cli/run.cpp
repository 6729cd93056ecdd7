// SPDX-License-Identifier: MIT
// loquat run: one prompt, one streamed answer.
#include <csignal>
#include <cstdio>
#include <iostream>

#include "common.hpp"

namespace cli {

namespace {

loquat::StopToken interrupted;

void print_summary(const loquat::Reply& reply) {
  const auto rate = [](double n, double seconds) { return seconds > 0 ? n / seconds : 0.0; };
  std::fprintf(stderr,
               "\n[%s; prompt %u tokens, %.1f tok/s; answer %u tokens, %.1f tok/s; first token after %.0f ms]\n",
               loquat::to_string(reply.finish), reply.usage.prompt_tokens,
               rate(reply.usage.evaluated_tokens, reply.timing.prefill), reply.usage.generated_tokens,
               rate(reply.usage.generated_tokens, reply.timing.decode), 1e3 * reply.timing.first_token);
}

int run(const Arguments& arguments) {
  if (!arguments.has("--prompt")) throw UsageError("missing -p TEXT");
  if (arguments.has("--raw") && arguments.has("--system")) throw UsageError("--raw leaves no place for --system");
  const std::string prompt = arguments.text("--prompt");
  loquat::GenerateOptions options;
  options.max_tokens = static_cast<std::uint32_t>(arguments.whole("--max-tokens", 128, 0, 1u << 30));
  options.sampling = sampler_options(arguments, 0.8f);
  options.stop_token = interrupted;
  const loquat::Model model = open_model(arguments);
  const bool is_raw = arguments.has("--raw") || model.chat_template().empty();
  if (is_raw && arguments.has("--system")) throw Failure("the model has no chat template, which --system needs");
  loquat::Session session = open_session(arguments, model);
  std::signal(SIGINT, [](int) { interrupted.request(); });

  const bool is_json = arguments.has("--json");
  const auto on_piece = [&](std::string_view piece) {
    if (!is_json) std::cout << piece << std::flush;
  };
  loquat::Chat chat(session);
  if (arguments.has("--system")) chat.system(arguments.text("--system"));
  const loquat::Reply reply =
      must(is_raw ? session.generate(prompt, options, on_piece) : chat.say(prompt, options, on_piece), "generation");
  if (is_json) {
    write_line(reply_json(reply));
  } else {
    print_summary(reply);
  }
  return 0;
}

}  // namespace

const Verb& run_verb() {
  static const Verb verb{"run", "run MODEL -p TEXT [options]",
                         "streams one answer, in the model's chat template unless --raw (or it has none)",
                         with_sampling_options(with_common_options(
                             with_json_option({{"--prompt", "-p", "TEXT", "what to say"},
                                               {"--system", "", "TEXT", "a system message in front"},
                                               {"--max-tokens", "-n", "N", "most tokens of the answer (default: 128)"},
                                               {"--raw", "", "", "continue the text as it is, without a template"}}))),
                         &run};
  return verb;
}

}  // namespace cli
