// SPDX-License-Identifier: MIT
// Forward passes against Hugging Face transformers in float32, over the tiny models of the reference data.
#include <loquat/model.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "api/model_state.hpp"
#include "models/pass_runner.hpp"
#include "support/catch.hpp"
#include "support/json.hpp"
#include "support/vectors.hpp"

namespace loquat_test {

namespace {

struct TinyModel {
  TinyModel(const std::filesystem::path& folder, const std::string& name)
      : facts(parse_json(read_text(folder / (name + ".json")))),
        values(read_floats(folder / (name + ".f32"))),
        tolerance(facts["tolerance"].number),
        model(loquat::Model::load((folder / (name + ".gguf")).string()).value()) {}

  std::vector<loquat::Token> tokens(std::size_t sequence) const {
    return facts["sequences"][sequence]["tokens"].numbers<loquat::Token>();
  }
  /// The stored row number `index` of a sequence.
  std::span<const float> row(std::size_t sequence, std::size_t index) const {
    const auto width = facts["width"].as<std::size_t>();
    const auto offset = facts["sequences"][sequence]["offset"].as<std::size_t>();
    return {values.data() + offset + index * width, width};
  }

  Json facts;
  std::vector<float> values;
  double tolerance;
  loquat::Model model;
};

double largest_difference(std::span<const float> a, std::span<const float> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(difference <= largest)) largest = difference;  // NaN is the largest of all
  }
  return largest;
}

/// Which block of the traced sequence is the first whose output is off, for the message of a failure.
std::string first_wrong_block(const TinyModel& tiny) {
  const Json& trace = tiny.facts["trace"];
  const auto width = trace["width"].as<std::size_t>();
  const auto position = trace["position"].as<std::size_t>();
  std::string report = "no block is wrong: look at the last norm and the output matrix";
  bool is_found = false;
  const auto check = [&](std::size_t, std::size_t layer, std::span<const float> residual) {
    const std::span<const float> want(tiny.values.data() + trace["offset"].as<std::size_t>() + layer * width, width);
    const double difference = largest_difference(residual.subspan(position * width, width), want);
    if (is_found || difference <= tiny.tolerance) return;
    is_found = true;
    report = "first wrong block: " + std::to_string(layer) + ", difference " + std::to_string(difference);
  };
  run_tokens(tiny.model, tiny.tokens(trace["sequence"].as<std::size_t>()), {.after_layer = check});
  return report;
}

/// logits, or for models of kind "hidden" the last norm of the residual stream.
std::vector<float> run_output(const TinyModel& tiny, std::span<const loquat::Token> tokens, std::size_t chunk) {
  if (tiny.facts["kind"].string == "logits") return run_tokens(tiny.model, tokens, {.chunk = chunk});
  const auto& state = loquat::detail::ModelState::of(tiny.model);
  const auto width = tiny.facts["width"].as<std::size_t>();
  const auto* norm = state.loaded.file.description.find_tensor("output_norm.weight");
  REQUIRE(norm != nullptr);
  const std::vector<std::byte> file = read_bytes(vectors_folder() / "tiny-models" / tiny.facts["gguf"].string);
  const auto* weights = reinterpret_cast<const float*>(file.data() + norm->offset);
  std::vector<float> hidden(tokens.size() * width);
  const auto keep = [&](std::size_t first, std::size_t layer, std::span<const float> residual) {
    if (layer + 1 != state.loaded.info.layers) return;
    for (std::size_t i = 0; i < residual.size(); i += width) {
      state.kernels->rms_norm(residual.data() + i, weights, 1e-6f, hidden.data() + first * width + i, width);
    }
  };
  run_tokens(tiny.model, tokens, {.chunk = chunk, .after_layer = keep});
  return hidden;
}

}  // namespace

TEST_CASE("forward passes give the float32 outputs of transformers, however the tokens are cut into passes (D1)") {
  LOQUAT_NEED_VECTORS(vectors)
  for (const char* name :
       {"llama", "llama-rope3", "llama-tied", "llama-bias", "llama-k256", "qwen2", "qwen3", "qwen3-embedding"}) {
    const TinyModel tiny(vectors / "tiny-models", name);
    const Json& sequences = tiny.facts["sequences"];
    for (std::size_t s = 0; s < sequences.size(); ++s) {
      INFO(name << ", sequence " << s);
      const std::vector<loquat::Token> tokens = tiny.tokens(s);
      const std::vector<float> output = run_output(tiny, tokens, tokens.size());
      const std::size_t width = output.size() / tokens.size();
      const auto positions = sequences[s]["positions"].numbers<std::size_t>();
      double worst = 0;
      for (std::size_t i = 0; i < positions.size(); ++i) {
        const std::span<const float> got(output.data() + positions[i] * width, width);
        worst = std::max(worst, largest_difference(got, tiny.row(s, i)));
      }
      if (!(worst <= tiny.tolerance)) UNSCOPED_INFO(first_wrong_block(tiny));
      CHECK(worst <= tiny.tolerance);
      CHECK(fingerprint(run_output(tiny, tokens, 7)) == fingerprint(output));
      CHECK(fingerprint(run_output(tiny, tokens, 1)) == fingerprint(output));
    }
  }
}

}  // namespace loquat_test
