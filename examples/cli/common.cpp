// SPDX-License-Identifier: MIT
#include "common.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>

namespace cli {

std::vector<OptionSpec> with_common_options(std::vector<OptionSpec> own) {
  const std::vector<OptionSpec> common{
      {"--threads", "-t", "N", "threads (default: from cores, affinity and container quota)"},
      {"--level", "", "NAME", "kernel level (default: the best; `loquat info` lists them)"},
      {"--executor", "", "NAME", "auto, inline, pool or openmp"},
      {"--context", "", "N", "positions of the context (default: 2048)"},
      {"--chunk", "", "N", "prompt tokens computed together (default: 256); never changes a bit"},
      {"--cache-type", "", "NAME", "auto, f16 or f32"},
      {"--layout", "", "NAME", "packed (fastest) or file (weights used where they lie; starts at once)"},
      {"--no-mmap", "", "", "read the file instead of mapping it"},
      {"--pre-tokenizer", "", "NAME", "use this rule instead of the file's"},
      {"--help", "-h", "", "this text"}};
  own.insert(own.end(), common.begin(), common.end());
  return own;
}

std::vector<OptionSpec> with_json_option(std::vector<OptionSpec> own) {
  own.push_back({"--json", "", "", "print JSON and nothing else"});
  return own;
}

std::vector<OptionSpec> with_sampling_options(std::vector<OptionSpec> own) {
  const std::vector<OptionSpec> sampling{
      {"--temp", "", "X", "temperature; 0: always the most probable token"},
      {"--top-k", "", "N", "keep the N most probable tokens; 0: all"},
      {"--top-p", "", "X", "keep the most probable tokens that sum to X; 1: all"},
      {"--min-p", "", "X", "keep tokens with at least X times the largest probability; 0: all"},
      {"--typical", "", "X", "locally typical sampling; 1: off"},
      {"--repetition-penalty", "", "X", "1: off"},
      {"--presence-penalty", "", "X", "0: off"},
      {"--frequency-penalty", "", "X", "0: off"},
      {"--penalty-last-n", "", "N", "tokens that penalties look at (default: 64)"},
      {"--seed", "", "N", "seed of the draw, or `random` (default: 0)"}};
  own.insert(own.end(), sampling.begin(), sampling.end());
  return own;
}

namespace {

/// The value; wrong words are wrong usage, anything else (not in this build) a failure.
template <class T>
T parsed(loquat::Result<T> result, const std::string& name) {
  if (result.code() == loquat::ErrorCode::invalid_argument) throw UsageError(name + ": " + result.error().c_str());
  return must(std::move(result), name);
}

/// The library's refusal of a sampling option, with the name that it has on the command line.
[[noreturn]] void throw_refused(const loquat::Error& error) {
  if (error.code() != loquat::ErrorCode::invalid_argument) throw Failure(error.c_str());
  std::string option(error.name());
  if (option == "temperature") option = "temp";
  if (option == "typical_p") option = "typical";
  std::replace(option.begin(), option.end(), '_', '-');
  throw UsageError("--" + option + ": " + error.c_str());
}

}  // namespace

loquat::LoadOptions load_options(const Arguments& arguments) {
  loquat::LoadOptions options;
  options.threads.count = static_cast<std::uint32_t>(arguments.whole("--threads", 0, 0, 1024));
  options.use_mmap = !arguments.has("--no-mmap");
  if (arguments.has("--level")) options.level = parsed(loquat::parse_level(arguments.text("--level")), "--level");
  if (arguments.has("--executor")) {
    options.threads.executor = parsed(loquat::parse_executor(arguments.text("--executor")), "--executor");
  }
  const std::string layout = arguments.text("--layout", "packed");
  if (layout != "packed" && layout != "file") throw UsageError("--layout must be packed or file, not '" + layout + "'");
  if (layout == "file") options.layout = loquat::WeightLayout::file;
  return options;
}

loquat::SessionOptions session_options(const Arguments& arguments, const loquat::Model& model,
                                       std::size_t least_context) {
  const std::size_t trained = std::max<std::size_t>(model.info().context_length, 2);
  const std::size_t wanted = std::min(std::max<std::size_t>(2048, least_context), trained);
  loquat::SessionOptions options;
  options.context = static_cast<std::uint32_t>(arguments.whole("--context", wanted, 2, trained));
  options.chunk = static_cast<std::uint32_t>(arguments.whole("--chunk", options.chunk, 1, 4096));
  const std::string type = arguments.text("--cache-type", "auto");
  if (type == "f16") {
    options.cache_type = loquat::CacheType::f16;
  } else if (type == "f32") {
    options.cache_type = loquat::CacheType::f32;
  } else if (type != "auto") {
    throw UsageError("--cache-type must be auto, f16 or f32, not '" + type + "'");
  }
  return options;
}

loquat::SamplerOptions sampler_options(const Arguments& arguments, float default_temperature) {
  loquat::SamplerOptions options;
  options.temperature = arguments.number("--temp", default_temperature);
  options.top_k = static_cast<std::uint32_t>(arguments.whole("--top-k", options.top_k, 0, 1u << 30));
  options.top_p = arguments.number("--top-p", options.top_p);
  options.min_p = arguments.number("--min-p", options.min_p);
  options.typical_p = arguments.number("--typical", options.typical_p);
  options.repetition_penalty = arguments.number("--repetition-penalty", options.repetition_penalty);
  options.presence_penalty = arguments.number("--presence-penalty", options.presence_penalty);
  options.frequency_penalty = arguments.number("--frequency-penalty", options.frequency_penalty);
  options.penalty_last_n =
      static_cast<std::uint32_t>(arguments.whole("--penalty-last-n", options.penalty_last_n, 0, 1u << 30));
  options.seed = arguments.text("--seed") == "random"
                     ? loquat::Seed::random()
                     : loquat::Seed(arguments.whole("--seed", 0, 0, ~std::uint64_t{0}));
  if (const auto sampler = loquat::Sampler::create(options); !sampler) throw_refused(sampler.error());
  return options;
}

loquat::Model open_model(const Arguments& arguments, loquat::Level level) {
  const std::string& path = arguments.only_word("model file");
  loquat::LoadOptions options = load_options(arguments);
  if (level != loquat::Level::automatic) options.level = level;
  const std::string pre_tokenizer = arguments.text("--pre-tokenizer");
  options.pre_tokenizer = pre_tokenizer;
  return must_load(loquat::Model::load(path, options), path);
}

loquat::Session open_session(const Arguments& arguments, const loquat::Model& model, std::size_t least_context) {
  return must(loquat::Session::create(model, session_options(arguments, model, least_context)), "session");
}

void must(const loquat::Status& status, const std::string& what) {
  if (!status) throw Failure(what + ": " + status.error().c_str());
}

std::vector<loquat::Token> tokens_of(const Json& array, const std::string& what) {
  std::vector<loquat::Token> tokens;
  for (const Json& element : array.as_array(what)) {
    const std::int64_t id = element.as_whole(what);
    if (id < INT32_MIN || id > INT32_MAX) throw Failure(what + ": " + std::to_string(id) + " is no token id");
    tokens.push_back(static_cast<loquat::Token>(id));
  }
  return tokens;
}

Json to_json(std::span<const loquat::Token> tokens) {
  Json::Array ids;
  for (const loquat::Token token : tokens) ids.emplace_back(token);
  return ids;
}

bool read_line(Line& line) {
  while (std::getline(std::cin, line.text)) {
    ++line.number;
    if (line.text.ends_with('\r')) line.text.pop_back();
    if (!line.text.empty()) return true;
  }
  return false;
}

int answer_lines(const std::function<Json(const std::string& line)>& answer) {
  bool has_failed = false;
  for (Line line; read_line(line);) {
    try {
      write_line(answer(line.text));
    } catch (const Failure& failure) {
      write_line(Json().set("error", failure.what()));
      std::cerr << "loquat: line " << line.number << ": " << failure.what() << '\n';
      has_failed = true;
    }
  }
  return has_failed ? 1 : 0;
}

void write_line(const Json& json) { std::cout << json.dump() << '\n' << std::flush; }

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Failure(path + ": cannot be opened");
  std::string text;
  std::array<char, 1 << 16> part;
  while (file.read(part.data(), part.size()) || file.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw Failure(path + ": cannot be read");  // a folder opens, and then fails here
  return text;
}

std::ofstream create_file(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  if (!file) throw Failure(path + ": cannot be written");
  return file;
}

Json reply_json(const loquat::Reply& reply) {
  Json usage;
  usage.set("prompt_tokens", reply.usage.prompt_tokens).set("generated_tokens", reply.usage.generated_tokens);
  Json timing;
  timing.set("prefill_s", reply.timing.prefill);
  timing.set("first_token_s", reply.timing.first_token);
  timing.set("decode_s", reply.timing.decode);
  Json json;
  json.set("text", reply.text.view()).set("ids", to_json(reply.tokens)).set("finish", loquat::to_string(reply.finish));
  return json.set("usage", usage).set("timing", timing).set("seed", reply.seed);
}

}  // namespace cli
