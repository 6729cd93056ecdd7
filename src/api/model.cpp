// SPDX-License-Identifier: MIT
// Model: loading from three kinds of sources, and what a loaded model says about itself.
#include <loquat/model.hpp>

#include <utility>

#include "api/model_state.hpp"
#include "base/error.hpp"
#include "models/load_weights.hpp"
#include "models/vocabulary_loader.hpp"
#include "text/vocabulary.hpp"

namespace loquat::inline LOQUAT_ABI {

using detail::ModelState;

namespace {

Status check_layout(WeightLayout layout) noexcept {
  if (layout == WeightLayout::packed || layout == WeightLayout::file) return {};
  return make_error(ErrorCode::invalid_argument, "layout must be packed (0) or file (1), not {}",
                    static_cast<unsigned>(layout))
      .with_name("layout");
}

Result<const kernels::KernelTable*> kernels_of(Level level) noexcept {
  const kernels::KernelTable* table = kernels::find_kernels(level);
  if (table != nullptr) return table;
  return make_error(ErrorCode::not_built,
                    "kernel level {} ({}) is not in this build or not on this machine; see levels()", to_string(level),
                    static_cast<unsigned>(level))
      .with_name("level");
}

// A state with everything but the model in it.
Result<Ref<ModelState>> start_state(const LoadOptions& options) noexcept {
  LOQUAT_RETURN_IF_ERROR(check_layout(options.layout));
  LOQUAT_ASSIGN_OR_RETURN(const kernels::KernelTable* table, kernels_of(options.level));
  LOQUAT_ASSIGN_OR_RETURN(ExecutorHandle executor, ExecutorHandle::create(options.threads, options.host));
  Allocator& allocator = options.host.allocator != nullptr ? *options.host.allocator : default_allocator();
  Ref<ModelState> state = make_ref<ModelState>(allocator, options.host, allocator);
  if (!state) return out_of_memory(sizeof(ModelState), "a model");
  state->kernels = table;
  state->layout = options.layout;
  state->threads = options.threads;
  state->executor = std::move(executor);
  return state;
}

Status copy_chat_template(ModelState& state) noexcept {
  constexpr std::string_view kKey = "tokenizer.chat_template";
  const auto text = state.loaded.file.description.get_string(kKey);
  if (!text || !*text) return {};  // absent, or of another type: the model has none
  if (state.chat_template.assign(**text)) return {};
  return out_of_memory((*text)->size(), "the chat template");
}

// Every token needs a row of the embedding (promise F5). The other way round, rows without a token are padding.
Status check_vocabulary(const ModelState& state) noexcept {
  const std::size_t n_tokens = state.tokenizer.vocabulary_size();
  const std::size_t n_rows = state.loaded.decoder->vocabulary();
  if (n_tokens <= n_rows) return {};
  return make_error(ErrorCode::malformed, "token_embd.weight must have a row for each of {} tokens, it has {}",
                    n_tokens, n_rows)
      .with_name("token_embd.weight");
}

void log_loaded(const ModelState& state) noexcept {
  if (state.host.log == nullptr) return;
  const ModelInfo& info = state.loaded.info;
  char text[256];
  const auto end = fmt::format_to_n(
      text, sizeof text, "loaded {} \"{}\": {} layers, width {}, {} weight bytes, level {}", info.architecture,
      info.name, info.layers, info.width, info.weight_bytes, to_string(state.kernels->level));
  state.host.log->write(LogLevel::info, {text, static_cast<std::size_t>(end.out - text)});
}

// From an opened file in state.loaded.file to a model that runs.
Status load_opened(ModelState& state, const LoadOptions& options) noexcept {
  models::LoadedModel& loaded = state.loaded;
  models::TensorBinder binder(loaded.file.description, state.metered());
  LOQUAT_ASSIGN_OR_RETURN(models::Blueprint blueprint,
                          models::make_decoder(loaded.file.description, binder, state.metered()));
  loaded.decoder = std::move(blueprint.decoder);
  loaded.info = models::describe_model(loaded, blueprint.parameters, models::weight_bytes(binder, options.layout));
  LOQUAT_ASSIGN_OR_RETURN(state.tokenizer, models::load_tokenizer(loaded.file.description, options.pre_tokenizer,
                                                                  state.host.log, state.allocator()));
  LOQUAT_RETURN_IF_ERROR(check_vocabulary(state));
  LOQUAT_RETURN_IF_ERROR(copy_chat_template(state));
  LOQUAT_RETURN_IF_ERROR(models::load_weights(loaded, binder,
                                              {.layout = options.layout,
                                               .executor = state.executor.get(),
                                               .progress = options.progress,
                                               .stop_token = options.stop_token}));
  log_loaded(state);
  return {};
}

// `open` gives a Result<gguf::ModelFile> from an allocator.
template <class Open>
Result<Ref<ModelState>> load_with(const LoadOptions& options, Open&& open) noexcept {
  LOQUAT_ASSIGN_OR_RETURN(Ref<ModelState> state, start_state(options));
  LOQUAT_ASSIGN_OR_RETURN(state->loaded.file, open(state->metered()));
  LOQUAT_RETURN_IF_ERROR(load_opened(*state, options));
  return state;
}

}  // namespace

Result<Model> Model::load(std::string_view path, const LoadOptions& options) noexcept {
  LOQUAT_ASSIGN_OR_RETURN(Ref<ModelState> state, load_with(options, [&](Allocator& allocator) noexcept {
                            return gguf::open_model(path, options.use_mmap, allocator);
                          }));
  return Model(state.detach());
}

Result<Model> Model::load(std::span<const std::byte> bytes, const LoadOptions& options) noexcept {
  LOQUAT_ASSIGN_OR_RETURN(Ref<ModelState> state,
                          load_with(options, [&](Allocator& allocator) noexcept -> Result<gguf::ModelFile> {
                            LOQUAT_ASSIGN_OR_RETURN(gguf::OwnedSource source, gguf::open_memory(bytes, allocator));
                            return gguf::open_model(std::move(source), allocator);
                          }));
  return Model(state.detach());
}

Result<Model> Model::load(Reader& reader, const LoadOptions& options) noexcept {
  LOQUAT_ASSIGN_OR_RETURN(Ref<ModelState> state,
                          load_with(options, [&](Allocator& allocator) noexcept -> Result<gguf::ModelFile> {
                            LOQUAT_ASSIGN_OR_RETURN(gguf::OwnedSource source, gguf::open_reader(reader, allocator));
                            return gguf::open_model(std::move(source), allocator);
                          }));
  return Model(state.detach());
}

Model::Model(const Model& other) noexcept : state_(other.state_) {
  if (state_ != nullptr) state_->retain();
}
Model::Model(Model&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
Model& Model::operator=(Model other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
Model::~Model() { release_ref(state_); }

const ModelInfo& Model::info() const noexcept { return state_->loaded.info; }
Tokenizer Model::tokenizer() const noexcept { return state_->tokenizer; }
std::string_view Model::chat_template() const noexcept { return state_->chat_template; }
Level Model::level() const noexcept { return state_->kernels->level; }
WeightLayout Model::layout() const noexcept { return state_->layout; }
std::size_t Model::memory() const noexcept {
  return sizeof(ModelState) + state_->metered().bytes() + text::memory_of(state_->tokenizer);
}
std::size_t Model::tensor_count() const noexcept { return state_->loaded.file.description.tensors().size(); }
TensorSummary Model::tensor(std::size_t index) const noexcept {
  const gguf::TensorInfo& tensor = state_->loaded.file.description.tensors()[index];
  return {.name = tensor.name,
          .type = tensor_type_info(tensor.type).name,
          .shape = {tensor.shape[0], tensor.shape[1], tensor.shape[2], tensor.shape[3]},
          .bytes = tensor.bytes};
}

}  // namespace loquat::inline LOQUAT_ABI
