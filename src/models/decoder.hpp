// SPDX-License-Identifier: MIT
// What the runtime sees of a model: a stack of layers that can be stopped between any two of them.
//
// A pass computes T tokens at consecutive positions: embed(), then layer(0) .. layer(n-1), then logits() for the rows
// that are asked for. Between calls all state is in the Pass; cutting tokens into passes of any size gives the same bits.
#ifndef LOQUAT_MODELS_DECODER_HPP
#define LOQUAT_MODELS_DECODER_HPP

#include <loquat/cache_type.hpp>
#include <loquat/fwd.hpp>
#include <loquat/host.hpp>

#include <cstddef>
#include <span>

#include "cache/page_layout.hpp"
#include "kernels/kernels.hpp"

namespace loquat::inline LOQUAT_ABI::models {

/// One forward pass in progress. The scratch belongs to the session.
struct Pass {
  std::span<const Token> tokens;   ///< [T], all inside the vocabulary
  std::size_t first_position = 0;  ///< of tokens[0]
  std::byte* const* pages =
      nullptr;  ///< page table; pages up to position first_position + T - 1 exist, this range is writable
  CacheType cache_type = CacheType::automatic;  ///< what the pages were laid out for
  Executor* executor = nullptr;
  const kernels::KernelTable* kernels = nullptr;
  std::byte* scratch = nullptr;  ///< scratch_bytes(...) bytes, aligned to 64
  std::size_t max_tokens = 0;    ///< what scratch was sized for
  std::size_t concurrency = 1;   ///< likewise; >= executor->concurrency()
};

class Decoder {
 public:
  virtual ~Decoder() = default;

  virtual std::size_t layers() const noexcept = 0;
  virtual std::size_t vocabulary() const noexcept = 0;  ///< V: rows of the output matrix
  /// Pages for this cache type; what `automatic` stands for is the model's choice.
  virtual cache::PageLayout page_layout(CacheType type = CacheType::automatic) const noexcept = 0;
  /// Scratch for passes of up to max_tokens tokens on up to `concurrency` threads with this table.
  virtual std::size_t scratch_bytes(std::size_t max_tokens, std::size_t concurrency,
                                    const kernels::KernelTable& kernels) const noexcept = 0;
  /// Starts the pass: the residual stream x [T, D] from the token embedding, rotary angles.
  virtual void embed(Pass& pass) const noexcept = 0;
  /// One block: reads and writes the residual stream, writes this layer's keys and values of the pass's positions.
  ///
  /// Requires  embed() and all lower layers were run on this pass
  virtual void layer(Pass& pass, std::size_t index) const noexcept = 0;
  /// logits [n_rows, V] of tokens [first_row, first_row + n_rows). Needs all layers run.
  virtual void logits(Pass& pass, std::size_t first_row, std::size_t n_rows, float* logits) const noexcept = 0;
  /// The residual stream [T, D] as it is now: for tests that look for the first wrong block.
  virtual std::span<const float> residual(const Pass& pass) const noexcept = 0;
};

}  // namespace loquat::inline LOQUAT_ABI::models

#endif  // LOQUAT_MODELS_DECODER_HPP
