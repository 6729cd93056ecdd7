// SPDX-License-Identifier: MIT
#include "support/capture.hpp"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <stdexcept>

namespace loquat_test {

namespace {

/// Points one descriptor at a temporary file until it goes.
class Redirection {
 public:
  explicit Redirection(int descriptor) : descriptor_(descriptor), saved_(dup(descriptor)), file_(std::tmpfile()) {
    if (saved_ < 0 || file_ == nullptr) throw std::runtime_error("cannot redirect the output");
    dup2(fileno(file_), descriptor_);
  }
  ~Redirection() {
    dup2(saved_, descriptor_);
    close(saved_);
    std::fclose(file_);
  }
  Redirection(const Redirection&) = delete;
  Redirection& operator=(const Redirection&) = delete;

  std::string text() {
    std::string text;
    std::rewind(file_);
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) text.push_back(static_cast<char>(c));
    return text;
  }

 private:
  int descriptor_;
  int saved_;
  std::FILE* file_;
};

void flush_all() {
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
}

}  // namespace

Captured capture_output(const std::function<void()>& function) {
  flush_all();
  Redirection out(STDOUT_FILENO);
  Redirection err(STDERR_FILENO);
  function();
  flush_all();
  return {out.text(), err.text()};
}

}  // namespace loquat_test
