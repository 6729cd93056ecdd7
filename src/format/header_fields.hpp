// SPDX-License-Identifier: MIT
// The two kinds of records in a header: metadata entries and tensor descriptions.
#ifndef LOQUAT_FORMAT_HEADER_FIELDS_HPP
#define LOQUAT_FORMAT_HEADER_FIELDS_HPP

#include "format/cursor.hpp"
#include "format/gguf.hpp"

namespace loquat::inline LOQUAT_ABI::gguf {

/// Fewest bytes a record can take: a one-letter key with a one-byte value; a one-letter tensor of one
/// dimension.
inline constexpr std::uint64_t kLeastEntryBytes = 8 + 1 + 4 + 1;
inline constexpr std::uint64_t kLeastTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;
/// The format's limit for keys; tensor names are held to it too (the format says 64, files with longer ones
/// exist).
inline constexpr std::uint64_t kMostNameBytes = 65535;

/// Bytes of one value of a fixed-size type, or 0 for strings, arrays and numbers that are no type.
std::uint64_t fixed_bytes(ValueType type) noexcept;

/// Reads one record. Views point into the cursor's memory, so they last until it fetches more.
///
/// Errors    truncated, malformed, unsupported_type (tensor); each with name and offset
Status read_entry(Cursor& cursor, MetadataEntry& entry) noexcept;
Status read_tensor(Cursor& cursor, TensorInfo& tensor) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::gguf

#endif  // LOQUAT_FORMAT_HEADER_FIELDS_HPP
