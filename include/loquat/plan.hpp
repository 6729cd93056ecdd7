// SPDX-License-Identifier: MIT
#ifndef LOQUAT_PLAN_HPP
#define LOQUAT_PLAN_HPP

#include <loquat/cache_type.hpp>
#include <loquat/config.hpp>
#include <loquat/fwd.hpp>
#include <loquat/model.hpp>
#include <loquat/result.hpp>
#include <loquat/session.hpp>

#include <cstdint>
#include <string_view>

// What a model will cost, from its header alone.
//
//   auto plan = loquat::plan("model.gguf", {.context = 8192, .sessions = 4});
//   if (plan && plan->total() < budget) ...

namespace loquat::inline LOQUAT_ABI {

struct PlanOptions {
  std::uint32_t context = kDefaultContext;
  std::uint32_t sessions = 1;
  std::uint32_t chunk = 256;
  std::uint32_t threads = 0;  ///< 0: as default_thread_count()
  WeightLayout layout = WeightLayout::packed;
  bool use_mmap = true;
  CacheType cache_type = CacheType::automatic;
  std::string_view pre_tokenizer = {};  ///< as in LoadOptions
};

/// Bytes. What is then used stays within 5 % (promise M2).
struct Plan {
  std::uint64_t weights = 0;  ///< packed, or mapped / read as in the file
  std::uint64_t tokenizer = 0;
  std::uint64_t metadata = 0;
  std::uint64_t cache_per_session = 0;
  std::uint64_t scratch_per_session = 0;
  std::uint32_t sessions = 1;

  std::uint64_t total() const noexcept {
    return weights + tokenizer + metadata + sessions * (cache_per_session + scratch_per_session);
  }
};

/// Reads the header only; allocates nothing for weights or cache.
///
/// Errors    as Model::load() for a file that it would refuse; invalid_argument
LOQUAT_API Result<Plan> plan(std::string_view path, const PlanOptions& options = {}) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_PLAN_HPP
