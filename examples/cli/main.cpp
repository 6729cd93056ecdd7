// SPDX-License-Identifier: MIT
// The loquat program: one verb a file, written against the public headers only.
#include <cstdio>
#include <exception>
#include <iostream>

#include "common.hpp"

namespace {

std::vector<const cli::Verb*> verbs() {
  return {&cli::run_verb(),    &cli::chat_verb(),     &cli::info_verb(),
          &cli::bench_verb(),  &cli::tokenize_verb(), &cli::render_verb(),
          &cli::logits_verb(), &cli::generate_verb(), &cli::perplexity_verb()};
}

void print_usage(std::ostream& out) {
  out << "loquat " << loquat::version() << ": runs language models from GGUF files\n\nusage:\n";
  for (const cli::Verb* verb : verbs()) out << "  loquat " << verb->synopsis << "\n      " << verb->summary << '\n';
  out << "\n`loquat VERB --help` explains a verb. Errors go to standard error; exit code 1, wrong usage 2.\n";
}

int run(const cli::Verb& verb, const std::vector<std::string>& words) {
  const cli::Arguments arguments(verb.options, words);
  if (arguments.has("--help")) {
    std::cout << "usage: loquat " << verb.synopsis << "\n" << verb.summary << "\n\n" << cli::describe(verb.options);
    return 0;
  }
  return verb.run(arguments);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) return print_usage(std::cerr), 2;
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") return print_usage(std::cout), 0;
  if (words[0] == "--version") return std::cout << loquat::version() << '\n', 0;
  for (const cli::Verb* verb : verbs()) {
    if (words[0] != verb->name) continue;
    const int code = run(*verb, {words.begin() + 1, words.end()});
    if (!std::cout.flush() || std::fflush(stdout) != 0) throw cli::Failure("standard output cannot be written");
    return code;
  }
  throw cli::UsageError("unknown verb '" + words[0] + "'");
} catch (const cli::UsageError& error) {
  std::cerr << "loquat: " << error.what() << "; see `loquat --help`\n";
  return 2;
} catch (const std::exception& error) {
  std::cerr << "loquat: " << error.what() << '\n';
  return 1;
}
