// SPDX-License-Identifier: MIT
// Random bits from the operating system, for Seed::random().
#ifndef LOQUAT_SAMPLING_SYSTEM_SEED_HPP
#define LOQUAT_SAMPLING_SYSTEM_SEED_HPP

#include <loquat/result.hpp>

#include <cstdint>

namespace loquat::inline LOQUAT_ABI::sampling {

/// Errors    io: the system gave none
Result<std::uint64_t> system_seed() noexcept;

}  // namespace loquat::inline LOQUAT_ABI::sampling

#endif  // LOQUAT_SAMPLING_SYSTEM_SEED_HPP
