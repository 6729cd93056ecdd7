// SPDX-License-Identifier: MIT
#include "support/host_state.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cfenv>
#include <clocale>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <locale>
#include <new>
#include <set>

extern char** environ;

namespace loquat_test {

namespace {

using Facts = std::map<std::string, std::string>;

template <class T>
std::string bytes_as_text(const T& value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  std::string text;
  for (const unsigned char byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

/// The numbers in a signal set; its other bytes mean nothing.
std::string signals_as_text(const sigset_t& set) {
  std::string text;
  for (int number = 1; number < NSIG; ++number) {
    if (sigismember(&set, number) == 1) text += std::to_string(number) + " ";
  }
  return text;
}

void add_float_mode(Facts& facts) {
  facts["rounding"] = std::to_string(std::fegetround());
  std::fenv_t environment;
  std::fegetenv(&environment);
#if defined(__x86_64__)
  facts["x87 control word"] = std::to_string(environment.__control_word);
  facts["mxcsr control"] = std::to_string(environment.__mxcsr & ~0x3Fu);  // without the sticky exception flags
#elif defined(__aarch64__)
  facts["fpcr"] = std::to_string(environment.__fpcr);
#endif
}

void add_signals(Facts& facts) {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) != 0) continue;
    facts["signal " + std::to_string(number)] = bytes_as_text(action.sa_handler) + " " +
                                                std::to_string(action.sa_flags) + " " + signals_as_text(action.sa_mask);
  }
  sigset_t blocked;
  sigemptyset(&blocked);
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  facts["blocked signals"] = signals_as_text(blocked);
}

void add_scheduling(Facts& facts) {
  facts["nice"] = std::to_string(getpriority(PRIO_PROCESS, 0));
  facts["scheduler"] = std::to_string(sched_getscheduler(0));
  cpu_set_t affinity;
  CPU_ZERO(&affinity);
  sched_getaffinity(0, sizeof affinity, &affinity);
  facts["affinity"] = bytes_as_text(affinity);
}

}  // namespace

HostState HostState::take() {
  HostState state;
  Facts& facts = state.facts_;
  add_float_mode(facts);
  add_signals(facts);
  add_scheduling(facts);
  facts["terminate handler"] = bytes_as_text(std::get_terminate());
  facts["new handler"] = bytes_as_text(std::get_new_handler());
  facts["C locale"] = std::setlocale(LC_ALL, nullptr);
  facts["C++ locale"] = std::locale().name();
  facts["current folder"] = std::filesystem::current_path().string();
  facts["stdout offset"] = std::to_string(lseek(STDOUT_FILENO, 0, SEEK_CUR));
  facts["stderr offset"] = std::to_string(lseek(STDERR_FILENO, 0, SEEK_CUR));
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const std::size_t end = text.find('=');
    facts["environment " + text.substr(0, end)] = end == std::string::npos ? "" : text.substr(end + 1);
  }
  return state;
}

std::string HostState::difference_to(const HostState& later) const {
  std::set<std::string> names;
  for (const auto& [name, value] : facts_) names.insert(name);
  for (const auto& [name, value] : later.facts_) names.insert(name);
  const auto value_in = [](const Facts& facts, const std::string& name) {
    const auto found = facts.find(name);
    return found == facts.end() ? std::string("(absent)") : found->second;
  };
  std::string difference;
  for (const std::string& name : names) {
    const std::string before = value_in(facts_, name);
    const std::string after = value_in(later.facts_, name);
    if (before != after) difference += name + ": " + before + " -> " + after + "\n";
  }
  return difference;
}

}  // namespace loquat_test
