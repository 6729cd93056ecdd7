// SPDX-License-Identifier: MIT
#ifndef LOQUAT_MODEL_HPP
#define LOQUAT_MODEL_HPP

#include <loquat/array.hpp>
#include <loquat/callback.hpp>
#include <loquat/config.hpp>
#include <loquat/cpu.hpp>
#include <loquat/executor.hpp>
#include <loquat/fwd.hpp>
#include <loquat/host.hpp>
#include <loquat/result.hpp>
#include <loquat/tokenizer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// A loaded model: immutable weights, cheap to copy, shared by any number of sessions and threads.
//
//   auto model = loquat::Model::load("model.gguf");
//   if (!model) return fail(model.error());
//   put(model->info().architecture);

namespace loquat::inline LOQUAT_ABI {

namespace detail {
class ModelState;
}

/// Where weights stay after loading.
enum class WeightLayout : std::uint8_t {
  packed,  ///< interleaved for the kernels: fastest; one copy in memory, the file is closed after loading
  file,    ///< as in the file, mapped where possible: starts at once, slower; same bits
};

/// Random access to a model's bytes: archives, encrypted packs.
///
/// Threads   called on the loading thread, during load() only (with WeightLayout::file the bytes are copied)
class LOQUAT_API Reader {
 public:
  virtual std::uint64_t size() noexcept = 0;
  /// Fills all of `bytes` from `offset`, or returns an error (a short read is an error: truncated).
  virtual Status read_at(std::uint64_t offset, std::span<std::byte> bytes) noexcept = 0;

 protected:
  ~Reader() = default;
};

struct LoadOptions {
  Host host = {};
  bool use_mmap = true;  ///< off: the file is read, and closed before load() returns
  WeightLayout layout = WeightLayout::packed;
  Level level = Level::automatic;
  ThreadOptions threads = {};  ///< for packing, and the default of the model's sessions
  /// Called with 0..1, monotonic, ending at 1. Next::stop cancels the load.
  CallbackRef<float> progress = {};
  StopRef stop_token = {};
  /// Used instead of `tokenizer.ggml.pre`, for files whose name is unknown (K8). Empty: the file's.
  std::string_view pre_tokenizer = {};
};

/// Facts of a loaded model. Texts live as long as the model.
struct ModelInfo {
  std::string_view architecture;  ///< `general.architecture`
  std::string_view name;          ///< `general.name`, may be empty
  std::uint32_t layers = 0;
  std::uint32_t width = 0;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_width = 0;
  std::uint32_t ffn_width = 0;
  std::uint32_t vocabulary = 0;      ///< rows of the output matrix
  std::uint32_t context_length = 0;  ///< what the model was trained for; the default context is smaller
  std::uint64_t parameters = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t weight_bytes = 0;  ///< in memory, or mapped
};

/// One tensor of the file, for tools.
struct TensorSummary {
  std::string_view name;
  std::string_view type;   ///< "Q4_K"
  std::uint64_t shape[4];  ///< fastest dimension first, as in the file; unused are 1
  std::uint64_t bytes;
};

/// Immutable weights with their tokenizer. Copies share; sessions keep it alive (promise M8).
///
/// Threads   all members from any number of threads at once
class LOQUAT_API Model {
 public:
  /// `path` is UTF-8; of a split model the first part. See filesystem.hpp for std::filesystem::path.
  ///
  /// Errors    io, not_gguf, truncated, malformed, unsupported_*, missing_tensor, out_of_memory, cancelled,
  ///           callback_failed, invalid_argument, not_built (level); nothing is left behind
  static Result<Model> load(std::string_view path, const LoadOptions& options = {}) noexcept;
  /// From memory. With WeightLayout::file, tensors aligned to 32 bytes are used in place, and `bytes` must outlive
  /// the model; otherwise it may go after load().
  static Result<Model> load(std::span<const std::byte> bytes, const LoadOptions& options = {}) noexcept;
  static Result<Model> load(Reader& reader, const LoadOptions& options = {}) noexcept;

  Model(const Model& other) noexcept;
  Model(Model&& other) noexcept;
  Model& operator=(Model other) noexcept;
  ~Model();

  const ModelInfo& info() const noexcept;
  Tokenizer tokenizer() const noexcept;
  /// The Jinja source of `tokenizer.chat_template`, or empty: the model has none (promise X6).
  std::string_view chat_template() const noexcept;
  Level level() const noexcept;
  WeightLayout layout() const noexcept;
  /// Bytes this model holds from the allocator (mapped files are not counted).
  std::size_t memory() const noexcept;
  std::size_t tensor_count() const noexcept;
  /// Requires  index < tensor_count()
  TensorSummary tensor(std::size_t index) const noexcept;

 private:
  friend class detail::ModelState;
  explicit Model(detail::ModelState* state) noexcept : state_(state) {}
  detail::ModelState* state_;
};

/// The tokenizer of a GGUF file alone; the file need not hold a model (vocabulary-only files have no tensors).
/// Of the options host, use_mmap and pre_tokenizer count.
///
/// Errors    as Model::load(), less what concerns tensors
LOQUAT_API Result<Tokenizer> load_tokenizer(std::string_view path, const LoadOptions& options = {}) noexcept;

}  // namespace loquat::inline LOQUAT_ABI

#endif  // LOQUAT_MODEL_HPP
