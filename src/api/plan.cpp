// SPDX-License-Identifier: MIT
// plan(): the sizes that loading and Session::create() would use, from the same functions that they use.
#include <loquat/plan.hpp>

#include "api/model_state.hpp"
#include "api/session_state.hpp"
#include "base/error.hpp"
#include "models/load_weights.hpp"
#include "models/vocabulary_loader.hpp"
#include "runtime/evaluator.hpp"
#include "text/vocabulary.hpp"

namespace loquat::inline LOQUAT_ABI {

namespace {

// Stands for threads that are not started: scratch depends on their number only.
class PlannedExecutor final : public Executor {
 public:
  explicit PlannedExecutor(std::uint32_t n_threads) noexcept : n_threads_(n_threads) {}
  void parallel_for(std::uint32_t n_tasks, Task task, void* context) noexcept override {
    for (std::uint32_t i = 0; i < n_tasks; ++i) task(context, i);
  }
  std::uint32_t concurrency() const noexcept override { return n_threads_; }

 private:
  std::uint32_t n_threads_;
};

Status check_option(std::string_view name, std::uint64_t least, std::uint64_t most, std::uint64_t found) noexcept {
  if (found >= least && found <= most) return {};
  return make_error(ErrorCode::invalid_argument, "{} must be {}..{}, not {}", name, least, most, found).with_name(name);
}

Status check_options(const PlanOptions& options, std::uint64_t trained_context) noexcept {
  LOQUAT_RETURN_IF_ERROR(check_option("context", 2, trained_context, options.context));
  LOQUAT_RETURN_IF_ERROR(check_option("chunk", 1, 4096, options.chunk));
  LOQUAT_RETURN_IF_ERROR(check_option("threads", 0, 1024, options.threads));
  LOQUAT_RETURN_IF_ERROR(check_option("layout", 0, 1, static_cast<std::uint64_t>(options.layout)));
  return check_option("cache_type", 0, 2, static_cast<std::uint64_t>(options.cache_type));
}

void add_session(const PlanOptions& options, const models::Decoder& decoder, Plan& plan) noexcept {
  const std::uint32_t threads = options.threads != 0 ? options.threads : default_thread_count(query_cpu_resources());
  PlannedExecutor executor(threads);
  const runtime::Engine engine{.decoder = &decoder,
                               .kernels = kernels::find_kernels(Level::automatic),
                               .executor = &executor,
                               .cache_type = options.cache_type};
  const std::size_t pages = divide_up(options.context, kernels::kPagePositions);
  const std::size_t chunk = options.chunk < options.context ? options.chunk : options.context;
  plan.cache_per_session = pages * decoder.page_layout(options.cache_type).page_bytes();
  plan.scratch_per_session =
      runtime::Evaluator::scratch_bytes(engine, options.context, chunk) + sizeof(detail::SessionState);
}

}  // namespace

Result<Plan> plan(std::string_view path, const PlanOptions& wanted) noexcept {
  MeteredAllocator allocator(default_allocator());
  LOQUAT_ASSIGN_OR_RETURN(gguf::ModelFile file, gguf::open_model(path, wanted.use_mmap, allocator));
  PlanOptions options = wanted;
  Plan plan{.sessions = options.sessions};
  models::Blueprint blueprint;
  {
    models::TensorBinder binder(file.description, allocator);
    LOQUAT_ASSIGN_OR_RETURN(blueprint, models::make_decoder(file.description, binder, allocator));
    options.context =
        detail::resolve_context(wanted.context, static_cast<std::uint32_t>(blueprint.parameters.context_length));
    LOQUAT_RETURN_IF_ERROR(check_options(options, blueprint.parameters.context_length));
    plan.weights = models::weight_bytes(binder, options.layout);
    plan.metadata = binder.bindings().size() * sizeof(Block);
  }
  // What is held now is what a loaded model holds beside its weights: the header and the decoder.
  plan.metadata += allocator.bytes() + sizeof(detail::ModelState);
  LOQUAT_ASSIGN_OR_RETURN(const Tokenizer tokenizer, models::load_tokenizer(file.description, options.pre_tokenizer,
                                                                            nullptr, default_allocator()));
  plan.tokenizer = text::memory_of(tokenizer);
  add_session(options, *blueprint.decoder, plan);
  return plan;
}

}  // namespace loquat::inline LOQUAT_ABI
