// SPDX-License-Identifier: MIT
#ifndef LOQUAT_SAMPLING_OPTIONS_HPP
#define LOQUAT_SAMPLING_OPTIONS_HPP

#include <loquat/result.hpp>
#include <loquat/sampler.hpp>

namespace loquat::inline LOQUAT_ABI::sampling {

/// Errors    invalid_argument: an option outside the range that sampler.hpp documents, or NaN, by its name
Status check_options(const SamplerOptions& options) noexcept;

}  // namespace loquat::inline LOQUAT_ABI::sampling

#endif  // LOQUAT_SAMPLING_OPTIONS_HPP
