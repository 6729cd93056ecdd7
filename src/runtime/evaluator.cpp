// SPDX-License-Identifier: MIT
#include "runtime/evaluator.hpp"

#include "base/assert.hpp"
#include "base/error.hpp"

namespace loquat::inline LOQUAT_ABI::runtime {

namespace {

/// Rows of logits computed together in run_with_rows(): enough for the head to run as a matrix product.
constexpr std::size_t kRowsAtOnce = 16;

std::size_t least(std::size_t a, std::size_t b) noexcept {
  return a < b ? a : b;
}

}  // namespace

Evaluator::Evaluator(const Engine& engine) noexcept
    : engine_(engine),
      pages_(engine.decoder->page_layout(engine.cache_type), *engine.allocator),
      scratch_(*engine.allocator, MemoryTag::scratch, 64),
      logits_(*engine.allocator, MemoryTag::scratch, 64),
      tokens_(*engine.allocator, MemoryTag::session),
      queue_(*engine.allocator, MemoryTag::session) {}

std::size_t Evaluator::scratch_bytes(const Engine& engine, std::size_t context, std::size_t chunk) noexcept {
  const std::size_t decoder = engine.decoder->scratch_bytes(chunk, engine.executor->concurrency(), *engine.kernels);
  return decoder + engine.decoder->vocabulary() * sizeof(float) + 2 * context * sizeof(Token);
}

Status Evaluator::create(std::size_t context, std::size_t chunk) noexcept {
  context_ = context;
  chunk_ = least(chunk, context);
  const std::size_t concurrency = engine_.executor->concurrency();
  const std::size_t scratch = engine_.decoder->scratch_bytes(chunk_, concurrency, *engine_.kernels);
  const std::size_t vocabulary = engine_.decoder->vocabulary();
  LOQUAT_RETURN_IF_ERROR(pages_.reserve(context));
  if (!scratch_.reserve(scratch)) return out_of_memory(scratch, "the scratch of a session");
  if (!logits_.resize(vocabulary)) return out_of_memory(vocabulary * sizeof(float), "the logits of a session");
  if (!tokens_.reserve(context) || !queue_.reserve(context)) {
    return out_of_memory(context * sizeof(Token), "the tokens of a session");
  }
  pass_.cache_type = engine_.cache_type;
  pass_.executor = engine_.executor;
  pass_.kernels = engine_.kernels;
  pass_.scratch = scratch_.data();
  pass_.max_tokens = chunk_;
  pass_.concurrency = concurrency;
  return {};
}

std::size_t Evaluator::memory() const noexcept {
  return pages_.memory() + scratch_.capacity_bytes() + logits_.capacity_bytes() + tokens_.capacity_bytes() +
         queue_.capacity_bytes();
}

void Evaluator::rewind(std::size_t n) noexcept {
  LOQUAT_ASSERT(is_idle() && n <= tokens_.size());
  if (n == tokens_.size()) return;
  tokens_.truncate(n);
  has_logits_ = false;
}

Status Evaluator::start(std::span<const Token> tokens) noexcept {
  LOQUAT_ASSERT(is_idle() && tokens.size() <= context_ - tokens_.size());
  if (!queue_.copy_from(tokens)) return out_of_memory(tokens.size_bytes(), "queued tokens");
  queue_done_ = 0;
  is_in_chunk_ = false;
  has_logits_ = false;
  return {};
}

void Evaluator::abandon() noexcept {
  queue_.clear();
  queue_done_ = 0;
  is_in_chunk_ = false;
}

Status Evaluator::begin_chunk(std::size_t max_tokens) noexcept {
  const std::size_t n = least(queued(), least(chunk_, max_tokens));
  const std::size_t first = tokens_.size();
  if (auto status = pages_.make_writable(first, first + n); !status) {
    abandon();
    return status;
  }
  pass_.tokens = std::span<const Token>(queue_).subspan(queue_done_, n);
  pass_.first_position = first;
  pass_.pages = pages_.pages();
  next_layer_ = 0;
  is_in_chunk_ = true;
  engine_.decoder->embed(pass_);
  return {};
}

void Evaluator::commit_chunk() noexcept {
  const bool fits = tokens_.append(pass_.tokens);  // reserved by create()
  LOQUAT_ASSERT(fits);
  static_cast<void>(fits);
  queue_done_ += pass_.tokens.size();
}

Status Evaluator::run_slice(std::size_t max_tokens) noexcept {
  LOQUAT_ASSERT(!is_idle() && max_tokens >= 1);
  if (!is_in_chunk_ && queued() > 0) LOQUAT_RETURN_IF_ERROR(begin_chunk(max_tokens));
  if (is_in_chunk_) {
    engine_.decoder->layer(pass_, next_layer_++);
    if (next_layer_ == engine_.decoder->layers()) {
      commit_chunk();
      is_in_chunk_ = false;
    }
    return {};
  }
  engine_.decoder->logits(pass_, pass_.tokens.size() - 1, 1, logits_.data());
  has_logits_ = true;
  queue_.clear();
  queue_done_ = 0;
  return {};
}

Status Evaluator::emit_rows(OnRow on_row, std::size_t first_index, Array<float>& rows) noexcept {
  const std::size_t vocabulary = engine_.decoder->vocabulary();
  for (std::size_t row = 0; row < pass_.tokens.size(); row += kRowsAtOnce) {
    const std::size_t n = least(kRowsAtOnce, pass_.tokens.size() - row);
    engine_.decoder->logits(pass_, row, n, rows.data());
    for (std::size_t i = 0; i < n; ++i) {
      const Next next = on_row(first_index + row + i, std::span<const float>(rows.data() + i * vocabulary, vocabulary));
      if (next == Next::failed)
        return make_error(ErrorCode::callback_failed, "the callback for logits failed at token {}",
                          first_index + row + i);
      if (next == Next::stop)
        return make_error(ErrorCode::cancelled, "stopped by the callback for logits at token {}",
                          first_index + row + i);
    }
  }
  return {};
}

Status Evaluator::run_with_rows(OnRow on_row) noexcept {
  Array<float> rows(*engine_.allocator, MemoryTag::scratch, 64);
  const std::size_t values = kRowsAtOnce * engine_.decoder->vocabulary();
  if (!rows.resize(values)) {
    abandon();
    return out_of_memory(values * sizeof(float), "rows of logits");
  }
  while (queued() > 0) {
    const std::size_t first_index = queue_done_;
    do {
      LOQUAT_RETURN_IF_ERROR(run_slice(chunk_));
    } while (is_in_chunk_);
    if (auto status = emit_rows(on_row, first_index, rows); !status) {
      abandon();
      return status;
    }
  }
  return run_slice(chunk_);  // the output head after the last token
}

void Evaluator::warm_up() noexcept {
  pages_.prefault(tokens_.size());
  if (tokens_.size() == context_) return;
  const std::size_t n_tokens = tokens_.size();
  const Token token = 0;
  if (!start(std::span<const Token>(&token, 1))) return;
  while (!is_idle()) {
    if (!run_slice(1)) return;
  }
  rewind(n_tokens);
}

}  // namespace loquat::inline LOQUAT_ABI::runtime
