// SPDX-License-Identifier: MIT
#include "support/host_state.hpp"

#include <signal.h>
#include <unistd.h>

#include <cfenv>
#include <clocale>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "support/catch.hpp"

using loquat_test::HostState;

namespace {

/// What a change adds to the snapshot's difference; the change is undone before anything is checked.
template <class Change, class Undo>
std::string difference_made_by(Change change, Undo undo) {
  const HostState before = HostState::take();
  change();
  const HostState after = HostState::take();
  undo();
  return before.difference_to(after);
}

}  // namespace

TEST_CASE("two snapshots of an unchanged host are the same (H4)") {
  CHECK(difference_made_by([] {}, [] {}).empty());
}

TEST_CASE("a snapshot notices rounding, locale, environment and folder (H4)") {
  const std::string rounding =
      difference_made_by([] { std::fesetround(FE_UPWARD); }, [] { std::fesetround(FE_TONEAREST); });
  CHECK(rounding.find("rounding: ") != std::string::npos);
  const std::string locale =
      difference_made_by([] { std::setlocale(LC_ALL, "C.UTF-8"); }, [] { std::setlocale(LC_ALL, "C"); });
  CHECK(locale.find("C locale: C -> C.UTF-8") != std::string::npos);
  const std::string environment =
      difference_made_by([] { setenv("LOQUAT_PROBE", "1", 1); }, [] { unsetenv("LOQUAT_PROBE"); });
  CHECK(environment == "environment LOQUAT_PROBE: (absent) -> 1\n");
  const auto folder = std::filesystem::current_path();
  const std::string moved =
      difference_made_by([] { std::filesystem::current_path("/"); }, [&] { std::filesystem::current_path(folder); });
  CHECK(moved.find("current folder: ") != std::string::npos);
}

TEST_CASE("a snapshot notices signal handlers, blocked signals and the terminate handler (H4)") {
  const std::string handler = difference_made_by([] { signal(SIGUSR1, SIG_IGN); }, [] { signal(SIGUSR1, SIG_DFL); });
  CHECK(handler.find("signal " + std::to_string(SIGUSR1)) != std::string::npos);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  const std::string blocked = difference_made_by([&] { pthread_sigmask(SIG_BLOCK, &set, nullptr); },
                                                 [&] { pthread_sigmask(SIG_UNBLOCK, &set, nullptr); });
  CHECK(blocked.find("blocked signals: ") != std::string::npos);
  const std::terminate_handler usual = std::get_terminate();
  const std::string terminate =
      difference_made_by([] { std::set_terminate([] { std::_Exit(1); }); }, [&] { std::set_terminate(usual); });
  CHECK(terminate.find("terminate handler: ") != std::string::npos);
}
