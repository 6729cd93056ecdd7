// SPDX-License-Identifier: MIT
// Runs the loquat program in a folder of its own that holds a toy model, and keeps what it wrote.
//
//   const Program program;
//   const Outcome outcome = program.run({"tokenize", program.model()}, R"({"text": "hello"})");
//   CHECK(outcome.code == 0);
//   CHECK(outcome.lines()[0]["ids"].size() == 5);
#ifndef LOQUAT_TESTS_PROGRAM_PROGRAM_HPP
#define LOQUAT_TESTS_PROGRAM_PROGRAM_HPP

#include <sys/types.h>

#include <string>
#include <vector>

#include "support/json.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_model.hpp"

namespace loquat_test {

struct Outcome {
  int code = -1;  ///< exit code, or 1000 + the signal
  std::string out;
  std::string err;

  bool says(const std::string& text) const { return out.find(text) != std::string::npos; }
  bool complains(const std::string& text) const { return err.find(text) != std::string::npos; }
  /// Standard output as JSON lines. Throws std::runtime_error on anything else there.
  std::vector<Json> lines() const;
  /// Standard output as exactly one JSON object. Throws std::runtime_error.
  Json json() const;
};

using Words = std::vector<std::string>;

class Program {
 public:
  explicit Program(const ToyModelOptions& options = {}) : Program(make_toy_model(options)) {}
  explicit Program(const GgufImage& model) : model_(folder_.write("toy.gguf", model.bytes)) {}

  const std::string& model() const { return model_; }
  const TemporaryFolder& folder() const { return folder_; }
  std::string write(const std::string& name, const std::string& text) const;
  Outcome run(const Words& words, const std::string& input = "") const;

 private:
  TemporaryFolder folder_;
  std::string model_;
};

/// The program while it runs: lines are fed one by one, and what it says is waited for.
class RunningProgram {
 public:
  RunningProgram(const TemporaryFolder& folder, const Words& words);
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram();

  void type(const std::string& text);
  /// As Ctrl-C does.
  void interrupt();
  /// Until at least this many bytes are on standard output; false after ten seconds.
  bool waits_for_bytes(std::size_t bytes) const;
  std::string out() const;
  /// Ends its input and waits for its end.
  Outcome finish();

 private:
  std::string out_path_, err_path_;
  int input_ = -1;
  pid_t id_ = -1;
};

std::string read_text(const std::string& path);
std::vector<float> read_floats(const std::string& path);
/// Base64, written apart from the program's own.
std::string to_base64(const std::string& bytes);
std::string from_base64(const std::string& text);

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_PROGRAM_PROGRAM_HPP
