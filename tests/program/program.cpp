// SPDX-License-Identifier: MIT
// Standard input is a file or a pipe, standard output and error are files: nothing can block on a full pipe.
#include "program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <stdexcept>
#include <thread>

extern "C" char** environ;  // NOLINT: POSIX asks programs to declare it

namespace loquat_test {

namespace {

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }

  void open(int descriptor, const std::string& path, int flags) {
    posix_spawn_file_actions_addopen(&actions_, descriptor, path.c_str(), flags, 0600);
  }
  void replace(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;

pid_t start(const Words& words, const FileActions& actions) {
  Words all = words;
  all.insert(all.begin(), LOQUAT_PROGRAM);
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t id = -1;
  if (posix_spawn(&id, LOQUAT_PROGRAM, actions.get(), nullptr, arguments.data(), environ) != 0) {
    throw std::runtime_error("cannot start " LOQUAT_PROGRAM);
  }
  return id;
}

int wait_for(pid_t id) {
  int status = 0;
  if (waitpid(id, &status, 0) != id) throw std::runtime_error("cannot wait for the program");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

constexpr const char* kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::vector<Json> Outcome::lines() const {
  std::vector<Json> values;
  std::istringstream text(out);
  for (std::string line; std::getline(text, line);) values.push_back(parse_json(line));
  return values;
}

Json Outcome::json() const {
  std::vector<Json> values = lines();
  if (values.size() != 1 || values[0].kind != Json::Kind::object) {
    throw std::runtime_error("one JSON object expected, then found: " + out);
  }
  return values[0];
}

std::string Program::write(const std::string& name, const std::string& text) const {
  return folder_.write(name, std::as_bytes(std::span(text)));
}

Outcome Program::run(const Words& words, const std::string& input) const {
  FileActions actions;
  actions.open(0, write("stdin", input), O_RDONLY);
  actions.open(1, folder_.file("stdout"), kWrite);
  actions.open(2, folder_.file("stderr"), kWrite);
  const int code = wait_for(start(words, actions));
  return {code, read_text(folder_.file("stdout")), read_text(folder_.file("stderr"))};
}

RunningProgram::RunningProgram(const TemporaryFolder& folder, const Words& words)
    : out_path_(folder.file("stdout")), err_path_(folder.file("stderr")) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  FileActions actions;
  actions.replace(ends[0], 0);
  actions.open(1, out_path_, kWrite);
  actions.open(2, err_path_, kWrite);
  id_ = start(words, actions);
  close(ends[0]);
  input_ = ends[1];
}

RunningProgram::~RunningProgram() {
  if (input_ >= 0) close(input_);
  if (id_ < 0) return;
  kill(id_, SIGKILL);
  waitpid(id_, nullptr, 0);
}

void RunningProgram::type(const std::string& text) {
  if (::write(input_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    throw std::runtime_error("the program takes no input");
  }
}

void RunningProgram::interrupt() { kill(id_, SIGINT); }

bool RunningProgram::waits_for_bytes(std::size_t bytes) const {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (out().size() < bytes) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

std::string RunningProgram::out() const { return read_text(out_path_); }

Outcome RunningProgram::finish() {
  close(input_);
  input_ = -1;
  const int code = wait_for(id_);
  id_ = -1;
  return {code, read_text(out_path_), read_text(err_path_)};
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<float> read_floats(const std::string& path) {
  const std::string bytes = read_text(path);
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

std::string to_base64(const std::string& bytes) {
  std::string bits;
  for (const char c : bytes) {
    for (int bit = 7; bit >= 0; --bit) bits += (static_cast<unsigned char>(c) >> bit & 1) != 0 ? '1' : '0';
  }
  while (bits.size() % 6 != 0) bits += '0';
  std::string text;
  for (std::size_t i = 0; i < bits.size(); i += 6) text += kAlphabet[std::stoul(bits.substr(i, 6), nullptr, 2)];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::string from_base64(const std::string& text) {
  const std::string alphabet = kAlphabet;
  std::string bits;
  for (const char c : text) {
    if (c == '=') break;
    const std::size_t value = alphabet.find(c);
    if (value == std::string::npos) throw std::runtime_error("not base64: " + text);
    for (int bit = 5; bit >= 0; --bit) bits += (value >> bit & 1) != 0 ? '1' : '0';
  }
  std::string bytes;
  for (std::size_t i = 0; i + 8 <= bits.size(); i += 8) {
    bytes += static_cast<char>(std::stoul(bits.substr(i, 8), nullptr, 2));
  }
  return bytes;
}

}  // namespace loquat_test
