// SPDX-License-Identifier: MIT
// What the verbs share: the common options, opening a model and a session, and turning library errors into failures.
#ifndef LOQUAT_EXAMPLES_CLI_COMMON_HPP
#define LOQUAT_EXAMPLES_CLI_COMMON_HPP

#include <loquat/loquat.hpp>

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "json.hpp"

namespace cli {

/// One verb of the program.
struct Verb {
  const char* name;
  const char* synopsis;  ///< after "loquat "
  const char* summary;   ///< one line
  std::vector<OptionSpec> options;
  int (*run)(const Arguments& arguments);
};

const Verb& run_verb();
const Verb& chat_verb();
const Verb& info_verb();
const Verb& bench_verb();
const Verb& tokenize_verb();
const Verb& render_verb();
const Verb& logits_verb();
const Verb& generate_verb();
const Verb& perplexity_verb();

/// Threads, level, executor, context, chunk, cache type, mapping, tokenizer override; and --help.
std::vector<OptionSpec> with_common_options(std::vector<OptionSpec> own);
/// --json, for verbs that can print either text or JSON, or print JSON anyway.
std::vector<OptionSpec> with_json_option(std::vector<OptionSpec> own);
/// Temperature and the other stages, and the seed.
std::vector<OptionSpec> with_sampling_options(std::vector<OptionSpec> own);

loquat::LoadOptions load_options(const Arguments& arguments);
/// `least_context`: raised to where --context is not given, within the model's length.
loquat::SessionOptions session_options(const Arguments& arguments, const loquat::Model& model,
                                       std::size_t least_context = 0);
/// Throws UsageError on values outside the library's ranges.
loquat::SamplerOptions sampler_options(const Arguments& arguments, float default_temperature);

/// The model named by the only positional word, loaded; at `level` instead of the option's where given. Throws Failure
/// with the library's words.
loquat::Model open_model(const Arguments& arguments, loquat::Level level = loquat::Level::automatic);
loquat::Session open_session(const Arguments& arguments, const loquat::Model& model, std::size_t least_context = 0);

/// The value, or a Failure that says what was being done.
template <class T>
T must(loquat::Result<T> result, const std::string& what) {
  if (!result) throw Failure(what + ": " + result.error().c_str());
  return std::move(*result);
}
/// The same for what was made of a file: the library's words mostly name it, and then it is not named twice.
template <class T>
T must_load(loquat::Result<T> result, const std::string& path) {
  if (!result && result.error().message().find(path) != std::string_view::npos) throw Failure(result.error().c_str());
  return must(std::move(result), path);
}
void must(const loquat::Status& status, const std::string& what);

/// Ids of a JSON array.
std::vector<loquat::Token> tokens_of(const Json& array, const std::string& what);
Json to_json(std::span<const loquat::Token> tokens);
/// A line of standard input, and its number from 1.
struct Line {
  std::string text;
  std::size_t number = 0;
};
/// The next line without its end; false at the end. Empty lines are skipped.
bool read_line(Line& line);
/// Answers every line with one line of JSON. A line that cannot be answered gets {"error"}, is told on standard
/// error with its number, and does not end the others; the exit code is then 1.
int answer_lines(const std::function<Json(const std::string& line)>& answer);
/// Writes one JSON line to standard output and flushes it.
void write_line(const Json& json);
/// Whole file, or Failure.
std::string read_file(const std::string& path);
/// Opened for writing from its beginning, or Failure.
std::ofstream create_file(const std::string& path);
/// {"text", "ids", "finish", "usage", "timing", "seed"}.
Json reply_json(const loquat::Reply& reply);

}  // namespace cli

#endif  // LOQUAT_EXAMPLES_CLI_COMMON_HPP
