// SPDX-License-Identifier: MIT
// loquat generate: a file of requests, one answer a line.
#include <iostream>
#include <optional>

#include "common.hpp"

namespace cli {

namespace {

/// A request's tokens: given as ids, as text, or as messages in the model's template.
std::vector<loquat::Token> prompt_of(const loquat::Model& model, const Json& request) {
  const loquat::Tokenizer tokenizer = model.tokenizer();
  const auto copy = [](const loquat::Array<loquat::Token>& ids) {
    return std::vector<loquat::Token>(ids.begin(), ids.end());
  };
  if (request.has("tokens")) return tokens_of(request["tokens"], "tokens");
  if (request.has("prompt")) {
    const bool parses = request.has("parse_special") && request["parse_special"].as_bool("parse_special");
    const loquat::EncodeOptions options{.special = parses ? loquat::Special::tokens : loquat::Special::plain,
                                        .add_bos = tokenizer.special_tokens().add_bos};
    return copy(must(tokenizer.encode(request["prompt"].as_text("prompt"), options), "prompt"));
  }
  if (!request.has("messages")) throw Failure("a request needs tokens, prompt or messages");
  std::vector<loquat::Message> messages;
  for (const Json& message : request["messages"].as_array("messages")) {
    messages.push_back({message["role"].as_text("role"), message["content"].as_text("content")});
  }
  return copy(must(loquat::encode_chat(model, messages), "messages"));
}

/// `options` with what a request sets itself.
loquat::GenerateOptions options_of(const Json& request, loquat::GenerateOptions options) {
  const auto number = [&](const char* key, float& value) {
    if (request.has(key)) value = static_cast<float>(request[key].as_number(key));
  };
  const auto whole = [&](const char* key, std::uint32_t& value) {
    if (!request.has(key)) return;
    const std::int64_t given = request[key].as_whole(key);
    if (given < 0 || given > INT32_MAX) throw Failure(std::string(key) + " must be 0 or more");
    value = static_cast<std::uint32_t>(given);
  };
  whole("max_tokens", options.max_tokens);
  number("temperature", options.sampling.temperature);
  number("top_p", options.sampling.top_p);
  number("min_p", options.sampling.min_p);
  number("typical_p", options.sampling.typical_p);
  number("repetition_penalty", options.sampling.repetition_penalty);
  number("presence_penalty", options.sampling.presence_penalty);
  number("frequency_penalty", options.sampling.frequency_penalty);
  whole("top_k", options.sampling.top_k);
  whole("penalty_last_n", options.sampling.penalty_last_n);
  if (request.has("seed")) options.sampling.seed = loquat::Seed(request["seed"].as_unsigned("seed"));
  if (request.has("ignore_eos")) options.ignore_end_of_generation = request["ignore_eos"].as_bool("ignore_eos");
  options.history = loquat::History::replace;
  return options;
}

/// One text or a list of them. They live in the request.
std::vector<std::string_view> stops_of(const Json& stop) {
  if (stop.is_null()) return {};
  if (stop.is_text()) return {stop.as_text("stop")};
  std::vector<std::string_view> stops;
  for (const Json& one : stop.as_array("stop")) stops.push_back(one.as_text("stop"));
  return stops;
}

Json answer(loquat::Session& session, const Json& request, const loquat::GenerateOptions& defaults) {
  loquat::GenerateOptions options = options_of(request, defaults);
  const std::vector<std::string_view> stops = stops_of(request["stop"]);
  options.stop = stops;
  must(session.clear(), "clear");
  return reply_json(must(session.generate(prompt_of(session.model(), request), options), "generation"));
}

int run(const Arguments& arguments) {
  loquat::GenerateOptions defaults;
  defaults.max_tokens = static_cast<std::uint32_t>(arguments.whole("--max-tokens", 128, 0, 1u << 30));
  defaults.sampling = sampler_options(arguments, 0.0f);
  const loquat::Model model = open_model(arguments);
  loquat::Session session = open_session(arguments, model);
  return answer_lines([&](const std::string& line) { return answer(session, Json::parse(line), defaults); });
}

}  // namespace

const Verb& generate_verb() {
  static const Verb verb{
      "generate", "generate MODEL [options] < LINES",
      R"(reads lines {"tokens" or "prompt" or "messages", "max_tokens", "temperature", "seed", "stop", ...}, writes {"ids", "text", "finish", "usage", "timing"} or {"error"})",
      with_sampling_options(with_common_options(
          with_json_option({{"--max-tokens", "-n", "N", "where a request names none (default: 128)"}}))),
      &run};
  return verb;
}

}  // namespace cli
