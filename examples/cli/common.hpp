// SPDX-License-Identifier: MIT
// What the verbs share: the common options, opening a model and a session, and turning library errors into failures.
#ifndef LOQUAT_EXAMPLES_CLI_COMMON_HPP
#define LOQUAT_EXAMPLES_CLI_COMMON_HPP

#include <loquat/loquat.hpp>

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

/// Threads, level, executor, context, chunk, cache type, mapping, tokenizer override; and --json, --help.
std::vector<OptionSpec> with_common_options(std::vector<OptionSpec> own);
/// Temperature and the other stages, and the seed.
std::vector<OptionSpec> with_sampling_options(std::vector<OptionSpec> own);

loquat::LoadOptions load_options(const Arguments& arguments);
/// `least_context`: raised to where --context is not given, within the model's length.
loquat::SessionOptions session_options(const Arguments& arguments, const loquat::Model& model,
                                       std::size_t least_context = 0);
loquat::SamplerOptions sampler_options(const Arguments& arguments, float default_temperature);

/// The model named by the only positional word, loaded. Throws Failure with the library's words.
loquat::Model open_model(const Arguments& arguments);
loquat::Session open_session(const Arguments& arguments, const loquat::Model& model, std::size_t least_context = 0);

/// The value, or a Failure that says what was being done.
template <class T>
T must(loquat::Result<T> result, const std::string& what) {
  if (!result) throw Failure(what + ": " + result.error().c_str());
  return std::move(*result);
}
void must(const loquat::Status& status, const std::string& what);

/// Ids of a JSON array.
std::vector<loquat::Token> tokens_of(const Json& array, const std::string& what);
Json to_json(std::span<const loquat::Token> tokens);
/// The next line of standard input without its end; false at the end. Empty lines are skipped.
bool read_line(std::string& line);
/// Writes one JSON line to standard output and flushes it.
void write_line(const Json& json);
/// Whole file, or Failure.
std::string read_file(const std::string& path);
Json timing_json(const loquat::Reply& reply);

}  // namespace cli

#endif  // LOQUAT_EXAMPLES_CLI_COMMON_HPP
