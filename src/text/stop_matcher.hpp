// SPDX-License-Identifier: MIT
// Finds any of many stop strings in text that arrives in pieces, and holds back only what could still be part of one.
#ifndef LOQUAT_TEXT_STOP_MATCHER_HPP
#define LOQUAT_TEXT_STOP_MATCHER_HPP

#include <loquat/array.hpp>
#include <loquat/result.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace loquat::inline LOQUAT_ABI::text {

/// One automaton over bytes (Aho-Corasick). The match that is complete first wins, of those that end there the longest
/// (promises S2, S3): no text is awaited that could not change the answer, and pieces of any size give the same.
class StopMatcher {
 public:
  explicit StopMatcher(Allocator& allocator) noexcept;
  /// Errors    invalid_argument: an empty stop string; out_of_memory
  Status set(std::span<const std::string_view> stops) noexcept;

  struct Output {
    std::string_view text;  ///< may be delivered; valid until the next call
    bool is_stopped = false;
  };
  /// Adds text; gives what is certain not to belong to a stop string. After is_stopped, further text is dropped.
  Result<Output> push(std::string_view text) noexcept;
  /// The rest that was held back, when generation ends otherwise.
  Output flush() noexcept;
  void reset() noexcept;
  std::size_t held_bytes() const noexcept { return held_.size(); }

 private:
  bool build(std::span<const std::string_view> stops, std::size_t most_nodes) noexcept;
  bool add_node(std::uint32_t depth) noexcept;
  bool link() noexcept;

  Array<std::uint32_t> goto_;   ///< [nodes * 256], empty without stops
  Array<std::uint32_t> depth_;  ///< bytes of the prefix of a stop that a node stands for
  Array<std::uint32_t> match_;  ///< length of the longest stop ending at a node, 0 none
  Array<char> held_;
  Array<char> out_;
  std::uint32_t state_ = 0;
  bool is_stopped_ = false;
};

}  // namespace loquat::inline LOQUAT_ABI::text

#endif  // LOQUAT_TEXT_STOP_MATCHER_HPP
