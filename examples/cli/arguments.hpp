// SPDX-License-Identifier: MIT
// A small command-line parser: options with values, flags, positional words. Every verb declares what it takes; anything
// else is a usage error that names the word.
#ifndef LOQUAT_EXAMPLES_CLI_ARGUMENTS_HPP
#define LOQUAT_EXAMPLES_CLI_ARGUMENTS_HPP

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace cli {

/// Wrong words on the command line: exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Something failed while running: exit code 1.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct OptionSpec {
  std::string name;        ///< "--context"
  std::string short_name;  ///< "-t", or empty
  std::string value;       ///< "N", or empty for a flag
  std::string help;
};

class Arguments {
 public:
  /// Throws UsageError.
  Arguments(const std::vector<OptionSpec>& specs, const std::vector<std::string>& words);

  bool has(const std::string& name) const { return values_.count(name) != 0; }
  /// The text given, or `fallback`.
  std::string text(const std::string& name, const std::string& fallback = "") const;
  /// A whole number in [least, most]. Throws UsageError naming the option.
  std::uint64_t whole(const std::string& name, std::uint64_t fallback, std::uint64_t least, std::uint64_t most) const;
  /// A decimal number, "." as the point whatever the locale. Throws UsageError.
  float number(const std::string& name, float fallback) const;
  const std::vector<std::string>& words() const { return words_; }
  /// The only positional word, called `what` in the error. Throws UsageError where there is none or more.
  const std::string& only_word(const std::string& what) const;

 private:
  std::map<std::string, std::string> values_;
  std::vector<std::string> words_;
};

/// Lines of help for the specs, aligned.
std::string describe(const std::vector<OptionSpec>& specs);

}  // namespace cli

#endif  // LOQUAT_EXAMPLES_CLI_ARGUMENTS_HPP
