// SPDX-License-Identifier: MIT
#include "models/pass_runner.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>

#include "api/model_state.hpp"
#include "base/checked.hpp"
#include "support/catch.hpp"

namespace loquat_test {

namespace {

struct Aligned {
  explicit Aligned(std::size_t bytes)
      : data(static_cast<std::byte*>(::operator new (std::max<std::size_t>(bytes, 1), std::align_val_t{64}))) {
    std::memset(data, 0xFF, bytes);  // NaN everywhere: what is read before it is written shows
  }
  Aligned(Aligned&& other) noexcept : data(std::exchange(other.data, nullptr)) {}
  Aligned& operator=(Aligned&&) = delete;
  ~Aligned() { ::operator delete (data, std::align_val_t{64}); }
  std::byte* data;
};

}  // namespace

std::vector<float> run_tokens(const loquat::Model& model, std::span<const loquat::Token> tokens,
                              const RunOptions& options) {
  const loquat::detail::ModelState& state = loquat::detail::ModelState::of(model);
  const loquat::models::Decoder& decoder = *state.loaded.decoder;
  const std::size_t chunk = std::min(options.chunk, tokens.size());
  loquat::models::Pass pass;
  pass.cache_type = options.cache_type;
  pass.executor = options.executor != nullptr ? options.executor : state.executor.get();
  pass.kernels = state.kernels;
  pass.max_tokens = chunk;
  pass.concurrency = pass.executor->concurrency();

  const Aligned scratch(decoder.scratch_bytes(chunk, pass.concurrency, *pass.kernels));
  pass.scratch = scratch.data;
  std::vector<Aligned> pages;
  std::vector<std::byte*> pointers;
  for (std::size_t i = 0; i < loquat::divide_up(tokens.size(), loquat::kernels::kPagePositions); ++i) {
    pages.emplace_back(decoder.page_layout(options.cache_type).page_bytes());
    pointers.push_back(pages.back().data);
  }
  pass.pages = pointers.data();

  std::vector<float> logits(tokens.size() * decoder.vocabulary());
  for (std::size_t first = 0; first < tokens.size(); first += chunk) {
    pass.tokens = tokens.subspan(first, std::min(chunk, tokens.size() - first));
    pass.first_position = first;
    decoder.embed(pass);
    for (std::size_t layer = 0; layer < decoder.layers(); ++layer) {
      decoder.layer(pass, layer);
      if (options.after_layer) options.after_layer(first, layer, decoder.residual(pass));
    }
    decoder.logits(pass, 0, pass.tokens.size(), logits.data() + first * decoder.vocabulary());
  }
  CHECK(std::all_of(logits.begin(), logits.end(), [](float value) { return std::isfinite(value); }));
  return logits;
}

std::vector<loquat::Token> some_tokens(std::size_t n, std::size_t vocabulary) {
  std::vector<loquat::Token> tokens(n);
  for (std::size_t i = 0; i < n; ++i) tokens[i] = static_cast<loquat::Token>((i * i * 31 + i * 7 + 5) % vocabulary);
  return tokens;
}

std::uint64_t fingerprint(std::span<const float> values) {
  std::uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a over whole bit patterns
  for (const float value : values) hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001B3u;
  return hash;
}

}  // namespace loquat_test
