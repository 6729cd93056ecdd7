// SPDX-License-Identifier: MIT
// loquat logits: raw logits of token sequences, as little-endian floats.
#include <fstream>

#include "common.hpp"

namespace cli {

namespace {

void write_floats(std::ofstream& file, std::span<const float> values) {
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
}

void write_logits(loquat::Session& session, const std::vector<loquat::Token>& tokens, bool is_last_only,
                  std::ofstream& file) {
  must(session.clear(), "clear");
  if (is_last_only) {
    must(session.append(tokens), "tokens");
    write_floats(file, must(session.logits(), "logits"));
  } else {
    must(session.append_with_logits(tokens, [&](std::size_t, std::span<const float> row) { write_floats(file, row); }),
         "tokens");
  }
}

/// A line's tokens, checked before anything is computed: the file is complete or not written at all.
std::vector<loquat::Token> sequence_of(const Line& line, std::uint32_t vocabulary) try {
  std::vector<loquat::Token> tokens = tokens_of(Json::parse(line.text)["tokens"], "tokens");
  if (tokens.empty()) throw Failure("tokens must not be empty");
  for (const loquat::Token token : tokens) {
    if (token >= 0 && static_cast<std::uint32_t>(token) < vocabulary) continue;
    throw Failure("token " + std::to_string(token) + " is outside the vocabulary of " + std::to_string(vocabulary));
  }
  return tokens;
} catch (const Failure& failure) {
  throw Failure("line " + std::to_string(line.number) + ": " + failure.what());
}

int run(const Arguments& arguments) {
  if (!arguments.has("--output")) throw UsageError("missing -o FILE");
  const loquat::Model model = open_model(arguments);
  std::vector<std::vector<loquat::Token>> sequences;
  std::size_t longest = 0;
  for (Line line; read_line(line);) {
    sequences.push_back(sequence_of(line, model.info().vocabulary));
    longest = std::max(longest, sequences.back().size());
  }
  loquat::Session session = open_session(arguments, model, longest);
  if (longest > session.context()) {
    throw Failure("a sequence of " + std::to_string(longest) + " tokens does not fit the context of " +
                  std::to_string(session.context()));
  }
  std::ofstream file = create_file(arguments.text("--output"));
  for (const auto& tokens : sequences) {
    write_logits(session, tokens, arguments.has("--last"), file);
    const std::size_t rows = arguments.has("--last") ? 1 : tokens.size();
    write_line(Json().set("rows", std::uint64_t{rows}).set("width", model.info().vocabulary));
  }
  if (!file.flush()) throw Failure(arguments.text("--output") + ": cannot be written");
  return 0;
}

}  // namespace

const Verb& logits_verb() {
  static const Verb verb{
      "logits", "logits MODEL -o FILE [--last] < LINES",
      R"(reads lines {"tokens"}, writes f32 little-endian [T, V] one after the other; a line {"rows", "width"} for each)",
      with_common_options(with_json_option(
          {{"--output", "-o", "FILE", "where the floats go"}, {"--last", "", "", "only those after the last token"}})),
      &run};
  return verb;
}

}  // namespace cli
