// SPDX-License-Identifier: MIT
#include <loquat/version.hpp>

namespace loquat::inline LOQUAT_ABI {

const char* version() noexcept { return LOQUAT_VERSION; }

}  // namespace loquat::inline LOQUAT_ABI
