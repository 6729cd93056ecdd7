// SPDX-License-Identifier: MIT
#ifndef LOQUAT_VERSION_HPP
#define LOQUAT_VERSION_HPP

#include <loquat/config.hpp>

#define LOQUAT_VERSION_MAJOR 0
#define LOQUAT_VERSION_MINOR 1
#define LOQUAT_VERSION_PATCH 0
#define LOQUAT_VERSION "0.1.0"

namespace loquat::inline LOQUAT_ABI {

/// The version of the linked library, "major.minor.patch"; compare with LOQUAT_VERSION, that of the headers.
LOQUAT_API const char* version() noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_VERSION_HPP
