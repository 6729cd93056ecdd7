// SPDX-License-Identifier: MIT
// Parsing bytes in memory, and naming what came out.
#ifndef LOQUAT_TESTS_FORMAT_PARSE_BYTES_HPP
#define LOQUAT_TESTS_FORMAT_PARSE_BYTES_HPP

#include <span>
#include <string>

#include "format/source.hpp"
#include "support/gguf_writer.hpp"

namespace loquat_test {

inline loquat::Result<loquat::gguf::Description> parse_bytes(
    std::span<const std::byte> bytes, loquat::Allocator& allocator = loquat::default_allocator()) {
  auto source = loquat::gguf::open_memory(bytes, allocator);
  if (!source) return source.error();
  return loquat::gguf::parse(**source, allocator);
}

/// "none", or the code's name.
inline std::string outcome(std::span<const std::byte> bytes) { return loquat::to_string(parse_bytes(bytes).code()); }
inline std::string outcome(const GgufImage& image) { return outcome(std::span<const std::byte>(image.bytes)); }

}  // namespace loquat_test

#endif  // LOQUAT_TESTS_FORMAT_PARSE_BYTES_HPP
