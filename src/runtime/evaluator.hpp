// SPDX-License-Identifier: MIT
// Computes a sequence's tokens slice by slice: one layer of one chunk at a time, so that a caller can stop, cancel or
// run out of budget between any two slices. The cut never changes a bit (promise D1).
#ifndef LOQUAT_RUNTIME_EVALUATOR_HPP
#define LOQUAT_RUNTIME_EVALUATOR_HPP

#include <loquat/array.hpp>
#include <loquat/callback.hpp>
#include <loquat/fwd.hpp>
#include <loquat/result.hpp>

#include <cstddef>
#include <span>

#include "cache/page_table.hpp"
#include "models/decoder.hpp"

namespace loquat::inline LOQUAT_ABI::runtime {

/// What a sequence is computed with. All outlive the evaluator.
struct Engine {
  const models::Decoder* decoder = nullptr;
  const kernels::KernelTable* kernels = nullptr;
  Executor* executor = nullptr;
  Allocator* allocator = nullptr;
  CacheType cache_type = CacheType::automatic;
};

/// Called with the logits [V] after token `index` of those being computed.
using OnRow = CallbackRef<std::size_t, std::span<const float>>;

/// The tokens of one sequence with their cache, and a queue of tokens being computed.
///
/// Threads   one at a time
class Evaluator {
 public:
  explicit Evaluator(const Engine& engine) noexcept;

  /// Allocates everything for `context` positions and chunks of up to `chunk` tokens; later calls allocate nothing.
  ///
  /// Errors    out_of_memory, naming purpose and size
  Status create(std::size_t context, std::size_t chunk) noexcept;
  /// Bytes that create() takes for scratch and logits. Shared with plan().
  static std::size_t scratch_bytes(const Engine& engine, std::size_t context, std::size_t chunk) noexcept;

  /// Tokens whose cache entries are valid.
  std::span<const Token> tokens() const noexcept { return tokens_; }
  std::size_t context() const noexcept { return context_; }
  /// Logits [V] after the last token, where has_logits().
  std::span<const float> logits() const noexcept { return logits_; }
  bool has_logits() const noexcept { return has_logits_; }
  std::size_t vocabulary() const noexcept { return engine_.decoder->vocabulary(); }
  std::size_t memory() const noexcept;

  /// Drops tokens from position n on. Requires is_idle(); n <= tokens().size()
  void rewind(std::size_t n) noexcept;
  /// Queues tokens behind tokens(); logits are computed after the last one.
  ///
  /// Requires  is_idle(); room in the context; ids in the vocabulary
  Status start(std::span<const Token> tokens) noexcept;
  /// Nothing is queued.
  bool is_idle() const noexcept { return queue_.empty(); }
  std::size_t queued() const noexcept { return queue_.size() - queue_done_; }
  /// Tokens of the chunk that the last slice worked on.
  std::size_t chunk_tokens() const noexcept { return pass_.tokens.size(); }

  /// Runs one slice: a layer of the current chunk, or the output head after the last chunk. A chunk that begins takes at
  /// most `max_tokens` tokens.
  ///
  /// Requires  !is_idle(); max_tokens >= 1
  /// Errors    out_of_memory: a shared page could not be copied; the queue is dropped
  Status run_slice(std::size_t max_tokens) noexcept;
  /// Drops the queue and an unfinished chunk; tokens() stay true (promise C3).
  void abandon() noexcept;
  /// Computes the whole queue and gives the logits after every token. Next::stop ends it early.
  ///
  /// Errors    out_of_memory; callback_failed
  Status run_with_rows(OnRow on_row) noexcept;
  /// Runs one token beyond the end and forgets it.
  void warm_up() noexcept;

 private:
  Status begin_chunk(std::size_t max_tokens) noexcept;
  void commit_chunk() noexcept;
  Status emit_rows(OnRow on_row, std::size_t first_index, Array<float>& rows) noexcept;

  Engine engine_;
  cache::PageTable pages_;
  Array<std::byte> scratch_;
  Array<float> logits_;
  Array<Token> tokens_;
  Array<Token> queue_;
  std::size_t queue_done_ = 0;  ///< of queue_, computed and in tokens_
  std::size_t context_ = 0;
  std::size_t chunk_ = 0;
  std::size_t next_layer_ = 0;
  bool is_in_chunk_ = false;
  bool has_logits_ = false;
  models::Pass pass_;
};

}  // namespace loquat::inline LOQUAT_ABI::runtime

#endif  // LOQUAT_RUNTIME_EVALUATOR_HPP
