// SPDX-License-Identifier: MIT
// Fills a Description. Two walks over the header: the first proves that every length and count stays inside
// the file and finds where the header ends; the second, over the description's own copy, collects the views.
#ifndef LOQUAT_FORMAT_PARSER_HPP
#define LOQUAT_FORMAT_PARSER_HPP

#include "format/cursor.hpp"
#include "format/gguf.hpp"

namespace loquat::inline LOQUAT_ABI::gguf {

class Parser {
 public:
  explicit Parser(Allocator& allocator) noexcept : allocator_(&allocator), description_(allocator) {}

  Result<Description> parse(const Source& source) noexcept;
  /// Moves the tensors and the header of one more file of a split model into `model`; its metadata is
  /// dropped. Names are not yet sorted: index_names() comes after the last part.
  ///
  /// Errors    out_of_memory
  static Status add_part(Description& model, Description part) noexcept;
  /// Sorts the tensor names; `twice` gets the later one of two tensors with one name, or stays null.
  ///
  /// Errors    out_of_memory
  static Status index_names(Description& model, const TensorInfo*& twice) noexcept;

 private:
  Status read_preamble(Cursor& cursor) noexcept;
  Status walk(Cursor& cursor) noexcept;
  Status keep_header(Cursor& cursor, Array<std::byte> buffer) noexcept;
  Status collect() noexcept;
  Status sort_metadata() noexcept;
  Status place_tensors(std::uint64_t file_size) noexcept;
  Status check_overlaps() noexcept;
  Status check_names() noexcept;

  Allocator* allocator_;
  Description description_;
  std::uint64_t n_tensors_ = 0;
  std::uint64_t n_metadata_ = 0;
  std::uint64_t header_bytes_ = 0;
};

}  // namespace loquat::inline LOQUAT_ABI::gguf

#endif  // LOQUAT_FORMAT_PARSER_HPP
