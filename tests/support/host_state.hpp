// SPDX-License-Identifier: MIT
// Everything of the process that belongs to the host and that the library must leave alone (promises A6, H4).
#ifndef LOQUAT_TESTS_SUPPORT_HOST_STATE_HPP
#define LOQUAT_TESTS_SUPPORT_HOST_STATE_HPP

#include <map>
#include <string>

namespace loquat_test {

/// A snapshot: what was looked at, and its value as text. Taken on the calling thread.
class HostState {
 public:
  static HostState take();

  /// One line for each thing that differs, "rounding: 0 -> 1024"; empty when nothing does.
  std::string difference_to(const HostState& later) const;
  const std::map<std::string, std::string>& facts() const { return facts_; }

 private:
  std::map<std::string, std::string> facts_;
};

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_SUPPORT_HOST_STATE_HPP
