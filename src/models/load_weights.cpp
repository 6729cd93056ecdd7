// SPDX-License-Identifier: MIT
#include "models/load_weights.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/float_environment.hpp"
#include "quant/packing.hpp"
#include "quant/quantize.hpp"
#include "threading/parallel.hpp"

namespace loquat::inline LOQUAT_ABI::models {

namespace {

// Bytes between two looks at the stop token: 0.1 ms from the page cache, 10 ms from a slow disk.
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
// What kernels ask of matrices in the file's layout, and what GGUF gives by default.
constexpr std::size_t kInPlaceAlignment = 32;

Error no_memory_for(const gguf::TensorInfo& tensor, std::uint64_t bytes) noexcept {
  return make_error(ErrorCode::out_of_memory, "out of memory: {} bytes for the weights of tensor {}", bytes,
                    tensor.name)
      .with_name(tensor.name);
}

// Reports the share of bytes done, and asks whether to go on.
class Progress {
 public:
  Progress(const WeightOptions& options, std::uint64_t total_bytes) noexcept
      : options_(&options), total_bytes_(total_bytes) {}

  Status advance(std::uint64_t bytes) noexcept {
    done_bytes_ += bytes;
    const double share =
        static_cast<double>(done_bytes_) / static_cast<double>(std::max<std::uint64_t>(total_bytes_, 1));
    return report(std::min(static_cast<float>(share), kBeforeEnd));  // 1 is said once, at the very end
  }
  Status report(float share) const noexcept {
    if (options_->stop_token.is_requested()) return cancelled();
    if (!options_->progress) return {};
    switch (options_->progress(share)) {
      case Next::proceed:
        return {};
      case Next::stop:
        return cancelled();
      case Next::failed:
        break;
    }
    return make_error(ErrorCode::callback_failed, "the progress callback of load() failed at {} of {} bytes",
                      done_bytes_, total_bytes_);
  }

 private:
  static constexpr float kBeforeEnd = 0x1.fffffep-1f;

  Error cancelled() const noexcept {
    return make_error(ErrorCode::cancelled, "loading was cancelled at {} of {} bytes", done_bytes_, total_bytes_);
  }
  const WeightOptions* options_;
  std::uint64_t total_bytes_;
  std::uint64_t done_bytes_ = 0;
};

class WeightLoader {
 public:
  WeightLoader(LoadedModel& model, const WeightOptions& options, Progress& progress) noexcept
      : model_(&model), options_(&options), progress_(&progress) {}

  Status load(const Binding& binding) noexcept;
  bool has_tensor_in_place() const noexcept { return has_tensor_in_place_; }

 private:
  const gguf::Source& source_of(const gguf::TensorInfo& tensor) const noexcept {
    return *model_->file.parts[tensor.part];
  }
  Allocator& allocator() const noexcept { return model_->weights.allocator(); }

  const std::byte* find_in_place(const Binding& binding) const noexcept;
  Result<std::byte*> allocate(const Binding& binding) noexcept;
  Result<const std::byte*> fetch(const gguf::TensorInfo& tensor, std::uint64_t offset, std::size_t bytes) noexcept;
  void discard(const gguf::TensorInfo& tensor, std::uint64_t offset, std::size_t bytes) const noexcept;
  Status convert(const Binding& binding, float* values) noexcept;
  Status copy(const gguf::TensorInfo& tensor, std::byte* to) noexcept;
  Status pack(const gguf::TensorInfo& tensor, std::byte* to) noexcept;

  LoadedModel* model_;
  const WeightOptions* options_;
  Progress* progress_;
  Block staging_;
  bool has_tensor_in_place_ = false;
};

// A view that can stay: wanted, there, aligned, and needing no conversion.
const std::byte* WeightLoader::find_in_place(const Binding& binding) const noexcept {
  const gguf::TensorInfo& tensor = *binding.tensor;
  if (options_->layout != WeightLayout::file) return nullptr;
  if (binding.role == Binding::Role::vector && tensor.type != TensorType::f32) return nullptr;
  const auto view = source_of(tensor).view(tensor.offset, tensor.bytes);
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(view.data()) % kInPlaceAlignment == 0;
  return view.empty() || !is_aligned ? nullptr : view.data();
}

Result<std::byte*> WeightLoader::allocate(const Binding& binding) noexcept {
  const std::uint64_t bytes = stored_bytes(binding, options_->layout);
  Block block(allocator(), bytes, kPackAlignment, MemoryTag::weights);
  std::byte* data = block.data();
  if (!block || !model_->weights.push_back(std::move(block))) return no_memory_for(*binding.tensor, bytes);
  return data;
}

// Bytes [offset, offset + bytes) of a tensor: in place where the source has them, else in the staging buffer until the
// next call.
Result<const std::byte*> WeightLoader::fetch(const gguf::TensorInfo& tensor, std::uint64_t offset,
                                             std::size_t bytes) noexcept {
  const gguf::Source& source = source_of(tensor);
  const auto view = source.view(tensor.offset + offset, bytes);
  if (!view.empty()) return view.data();
  if (staging_.size() < bytes) {
    staging_ = Block();
    staging_ = Block(allocator(), std::max(bytes, kPieceBytes), kPackAlignment, MemoryTag::scratch);
    if (!staging_) return out_of_memory(std::max(bytes, kPieceBytes), "the buffer that weights are read through");
  }
  LOQUAT_RETURN_IF_ERROR(source.read(tensor.offset + offset, {staging_.data(), bytes}));
  return static_cast<const std::byte*>(staging_.data());
}

void WeightLoader::discard(const gguf::TensorInfo& tensor, std::uint64_t offset, std::size_t bytes) const noexcept {
  source_of(tensor).discard(tensor.offset + offset, bytes);
}

Status WeightLoader::convert(const Binding& binding, float* values) noexcept {
  const gguf::TensorInfo& tensor = *binding.tensor;
  LOQUAT_ASSIGN_OR_RETURN(const std::byte* bytes, fetch(tensor, 0, tensor.bytes));
  dequantize_row(tensor.type, bytes, values, tensor.values());
  *binding.vector = values;
  return progress_->advance(tensor.bytes);
}

Status WeightLoader::copy(const gguf::TensorInfo& tensor, std::byte* to) noexcept {
  for (std::uint64_t offset = 0; offset < tensor.bytes; offset += kPieceBytes) {
    const std::size_t bytes = std::min<std::uint64_t>(kPieceBytes, tensor.bytes - offset);
    LOQUAT_RETURN_IF_ERROR(source_of(tensor).read(tensor.offset + offset, {to + offset, bytes}));
    discard(tensor, offset, bytes);
    LOQUAT_RETURN_IF_ERROR(progress_->advance(bytes));
  }
  return {};
}

Status WeightLoader::pack(const gguf::TensorInfo& tensor, std::byte* to) noexcept {
  const std::size_t k = tensor.shape[0];
  const std::size_t rows = tensor.rows();
  const std::size_t file_row_bytes = row_bytes(tensor.type, k);
  const std::size_t one_panel_bytes = panel_bytes(tensor.type, k);
  const std::size_t piece_rows = std::max<std::size_t>(kPieceBytes / (file_row_bytes * kPanelRows), 1) * kPanelRows;
  for (std::size_t first = 0; first < rows; first += piece_rows) {
    const std::size_t n_rows = std::min(piece_rows, rows - first);
    const std::size_t bytes = n_rows * file_row_bytes;
    LOQUAT_ASSIGN_OR_RETURN(const std::byte* from, fetch(tensor, first * file_row_bytes, bytes));
    std::byte* panels = to + first / kPanelRows * one_panel_bytes;
    parallel_tiles(*options_->executor, divide_up(n_rows, kPanelRows), [&](std::size_t panel, std::size_t) {
      const std::size_t row = panel * kPanelRows;
      pack_panel(tensor.type, from + row * file_row_bytes, std::min(kPanelRows, n_rows - row), k,
                 panels + panel * one_panel_bytes);
    });
    discard(tensor, first * file_row_bytes, bytes);
    LOQUAT_RETURN_IF_ERROR(progress_->advance(bytes));
  }
  return {};
}

Status WeightLoader::load(const Binding& binding) noexcept {
  const gguf::TensorInfo& tensor = *binding.tensor;
  const bool is_vector = binding.role == Binding::Role::vector;
  if (const std::byte* in_place = find_in_place(binding); in_place != nullptr) {
    if (is_vector) *binding.vector = reinterpret_cast<const float*>(in_place);
    if (!is_vector) binding.matrix->data = in_place;
    has_tensor_in_place_ = true;
    return progress_->advance(tensor.bytes);
  }
  LOQUAT_ASSIGN_OR_RETURN(std::byte * data, allocate(binding));
  if (is_vector) return convert(binding, reinterpret_cast<float*>(data));
  binding.matrix->data = data;
  binding.matrix->is_packed = is_stored_packed(binding, options_->layout);
  return binding.matrix->is_packed ? pack(tensor, data) : copy(tensor, data);
}

}  // namespace

Status load_weights(LoadedModel& model, TensorBinder& binder, const WeightOptions& options) noexcept {
  const FloatEnvironment default_mode;
  // In the order of the file, so that reading goes forward.
  std::span<Binding> bindings = binder.bindings();
  std::sort(bindings.begin(), bindings.end(), [](const Binding& a, const Binding& b) {
    return a.tensor->part != b.tensor->part ? a.tensor->part < b.tensor->part : a.tensor->offset < b.tensor->offset;
  });
  std::uint64_t total_bytes = 0;
  for (const Binding& binding : bindings) total_bytes += binding.tensor->bytes;
  if (!model.weights.reserve(bindings.size())) {
    return out_of_memory(bindings.size() * sizeof(Block), "the list of weights");
  }

  Progress progress(options, total_bytes);
  LOQUAT_RETURN_IF_ERROR(progress.report(0));
  WeightLoader loader(model, options, progress);
  for (const Binding& binding : bindings) LOQUAT_RETURN_IF_ERROR(loader.load(binding));
  if (!loader.has_tensor_in_place()) model.file.parts.release();
  return progress.report(1);
}

std::uint64_t weight_bytes(const TensorBinder& binder, WeightLayout layout) noexcept {
  std::uint64_t bytes = 0;
  for (const Binding& binding : binder.bindings()) bytes += stored_bytes(binding, layout);
  return bytes;
}

ModelInfo describe_model(const LoadedModel& model, const Hyperparameters& p, std::uint64_t weight_bytes) noexcept {
  ModelInfo info{.architecture = p.architecture,
                 .name = p.name,
                 .layers = static_cast<std::uint32_t>(p.layers),
                 .width = static_cast<std::uint32_t>(p.width),
                 .heads = static_cast<std::uint32_t>(p.heads),
                 .kv_heads = static_cast<std::uint32_t>(p.kv_heads),
                 .head_width = static_cast<std::uint32_t>(p.head_width),
                 .ffn_width = static_cast<std::uint32_t>(p.ffn_width),
                 .vocabulary = static_cast<std::uint32_t>(model.decoder->vocabulary()),
                 .context_length = static_cast<std::uint32_t>(p.context_length),
                 .weight_bytes = weight_bytes};
  for (const gguf::TensorInfo& tensor : model.file.description.tensors()) info.parameters += tensor.values();
  for (const gguf::OwnedSource& part : model.file.parts) info.file_bytes += part->size();
  return info;
}

}  // namespace loquat::inline LOQUAT_ABI::models
