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

void print_json(const loquat::Reply& reply) {
  Json json;
  json.set("text", reply.text.view()).set("ids", to_json(reply.tokens)).set("finish", loquat::to_string(reply.finish));
  Json usage;
  usage.set("prompt_tokens", reply.usage.prompt_tokens).set("generated_tokens", reply.usage.generated_tokens);
  json.set("usage", usage).set("timing", timing_json(reply)).set("seed", reply.seed);
  write_line(json);
}

int run(const Arguments& arguments) {
  if (!arguments.has("--prompt")) throw UsageError("missing -p TEXT");
  const std::string prompt = arguments.text("--prompt");
  const loquat::Model model = open_model(arguments);
  loquat::Session session = open_session(arguments, model);
  loquat::GenerateOptions options;
  options.max_tokens = static_cast<std::uint32_t>(arguments.whole("--max-tokens", 128, 0, 1u << 30));
  options.sampling = sampler_options(arguments, 0.8f);
  options.stop_token = interrupted;
  std::signal(SIGINT, [](int) { interrupted.request(); });

  const bool is_json = arguments.has("--json");
  const auto on_piece = [&](std::string_view piece) {
    if (!is_json) std::cout << piece << std::flush;
  };
  loquat::Chat chat(session);
  if (arguments.has("--system")) chat.system(arguments.text("--system"));
  const bool is_raw = arguments.has("--raw") || model.chat_template().empty();
  const loquat::Reply reply =
      must(is_raw ? session.generate(prompt, options, on_piece) : chat.say(prompt, options, on_piece), "generation");
  if (is_json) {
    print_json(reply);
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
                             {{"--prompt", "-p", "TEXT", "what to say"},
                              {"--system", "", "TEXT", "a system message in front"},
                              {"--max-tokens", "-n", "N", "most tokens of the answer (default: 128)"},
                              {"--raw", "", "", "continue the text as it is, without a template"}})),
                         &run};
  return verb;
}

}  // namespace cli
