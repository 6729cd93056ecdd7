// SPDX-License-Identifier: MIT
#include "models/hyperparameters.hpp"

#include <cmath>

#include "base/error.hpp"
#include "base/float_environment.hpp"
#include "base/math.hpp"

namespace loquat::inline LOQUAT_ABI::models {

namespace {

enum class Need : bool { optional, required };

struct IntegerRow {
  std::string_view key;  ///< after "ARCHITECTURE."
  std::uint64_t least;
  std::uint64_t most;
  Need need;
  std::uint64_t fallback;  ///< where the key is absent; 0 is filled in by derive()
  std::uint64_t Hyperparameters::*field;
};

struct NumberRow {
  std::string_view key;
  double least;
  double most;
  Need need;
  double fallback;
  double Hyperparameters::*field;
};

using H = Hyperparameters;

// Upper ends are far above any published model and small enough that no product below 2^63 wraps:
// width 2^20 * ffn width 2^24 * 8 bytes = 2^47.
// clang-format off
constexpr IntegerRow kIntegers[] = {
    {"block_count",              1, 4096,        Need::required, 0, &H::layers},
    {"embedding_length",         1, 1u << 20,    Need::required, 0, &H::width},
    {"feed_forward_length",      1, 1u << 24,    Need::required, 0, &H::ffn_width},
    {"attention.head_count",     1, 4096,        Need::required, 0, &H::heads},
    {"attention.head_count_kv",  1, 4096,        Need::optional, 0, &H::kv_heads},       // as many as heads
    {"attention.key_length",     1, 4096,        Need::optional, 0, &H::head_width},     // width / heads
    {"attention.value_length",   1, 4096,        Need::optional, 0, &H::value_width},    // as wide as keys
    {"context_length",           2, 0x7FFFFFFF,  Need::required, 0, &H::context_length},
    {"rope.dimension_count",     2, 4096,        Need::optional, 0, &H::rotary},         // the whole head
    {"expert_count",             0, 1u << 16,    Need::optional, 0, &H::experts},
};

constexpr NumberRow kNumbers[] = {
    {"attention.layer_norm_rms_epsilon",     0,    1,    Need::required, 0,     &H::norm_epsilon},
    {"attention.scale",                      1e-9, 1e9,  Need::optional, 0,     &H::attention_scale},
    {"rope.freq_base",                       1e-3, 1e15, Need::optional, 10000, &H::rope_base},
    {"rope.scaling.factor",                  0,    1e6,  Need::optional, 0,     &H::rope_factor},
    {"rope.scaling.original_context_length", 1,    1e12, Need::optional, 0,     &H::rope_original_context},
    {"rope.scaling.yarn_beta_fast",          1e-6, 1e6,  Need::optional, 32,    &H::rope_beta_fast},
    {"rope.scaling.yarn_beta_slow",          1e-6, 1e6,  Need::optional, 1,     &H::rope_beta_slow},
    {"rope.scaling.yarn_attn_factor",        1e-6, 1e6,  Need::optional, 0,     &H::rope_attention_factor},
    {"rope.scaling.attn_factor",             1e-6, 1e6,  Need::optional, 1,     &H::rope_extra_attention_factor},
};
// clang-format on

// "llama." + "block_count" in place; architectures of ours have short names.
class Key {
 public:
  Key(std::string_view architecture, std::string_view suffix) noexcept {
    append(architecture);
    append(".");
    append(suffix);
  }
  operator std::string_view() const noexcept { return {text_, size_}; }  // NOLINT: implicit

 private:
  void append(std::string_view part) noexcept {
    for (const char c : part) {
      if (size_ < sizeof text_) text_[size_++] = c;
    }
  }
  char text_[160];
  std::size_t size_ = 0;
};

Error missing_key(std::string_view key) noexcept {
  return make_error(ErrorCode::malformed, "the file must have the metadata key {}, and has not", key).with_name(key);
}

std::uint64_t offset_of(const gguf::Description& description, std::string_view key) noexcept {
  const gguf::Value* value = description.find(key);
  return value == nullptr ? Error::kNoOffset : value->offset;
}

template <class T>
Error out_of_range(const gguf::Description& description, std::string_view key, T least, T most, T found) noexcept {
  const std::uint64_t offset = offset_of(description, key);
  return make_error(ErrorCode::malformed, "{} must be {}..{}, the file says {} (byte {})", key, least, most, found,
                    offset)
      .with_name(key)
      .with_offset(offset);
}

Status read_integer(const gguf::Description& description, const IntegerRow& row, Hyperparameters& parameters) noexcept {
  const Key key(parameters.architecture, row.key);
  LOQUAT_ASSIGN_OR_RETURN(const std::optional<std::uint64_t> value, description.get_unsigned(key));
  if (!value && row.need == Need::required) return missing_key(key);
  if (value && (*value < row.least || *value > row.most)) {
    return out_of_range(description, key, row.least, row.most, *value);
  }
  parameters.*row.field = value.value_or(row.fallback);
  return {};
}

Status read_number(const gguf::Description& description, const NumberRow& row, Hyperparameters& parameters) noexcept {
  const Key key(parameters.architecture, row.key);
  LOQUAT_ASSIGN_OR_RETURN(const std::optional<double> value, description.get_number(key));
  if (!value && row.need == Need::required) return missing_key(key);
  if (value && !(*value >= row.least && *value <= row.most)) {  // NaN fails too
    return out_of_range(description, key, row.least, row.most, *value);
  }
  parameters.*row.field = value.value_or(row.fallback);
  return {};
}

Status read_scaling(const gguf::Description& description, Hyperparameters& parameters) noexcept {
  const Key key(parameters.architecture, "rope.scaling.type");
  LOQUAT_ASSIGN_OR_RETURN(const std::optional<std::string_view> type, description.get_string(key));
  const bool has_factor = parameters.rope_factor > 0;
  if (!type || *type == "linear") {  // old files have the factor only
    parameters.rope_scaling = has_factor ? nn::RopeScaling::linear : nn::RopeScaling::none;
  } else if (*type == "yarn") {
    if (!has_factor) return missing_key(Key(parameters.architecture, "rope.scaling.factor"));
    parameters.rope_scaling = nn::RopeScaling::yarn;
  } else if (*type != "none") {
    return make_error(ErrorCode::unsupported_architecture, "{} must be none, linear or yarn, the file says \"{}\"",
                      std::string_view(key), *type)
        .with_name(key);
  }
  if (parameters.rope_original_context == 0) {
    parameters.rope_original_context = static_cast<double>(parameters.context_length);
  }
  return {};
}

Error contradiction(const Hyperparameters& parameters, std::string_view key, std::string_view rule,
                    std::uint64_t found) noexcept {
  const Key name(parameters.architecture, key);
  return make_error(ErrorCode::malformed, "{} must be {}, the file says {}", std::string_view(name), rule, found)
      .with_name(name);
}

// Defaults that depend on other keys, and the checks between keys.
Status derive(Hyperparameters& p) noexcept {
  if (p.kv_heads == 0) p.kv_heads = p.heads;
  if (p.heads % p.kv_heads != 0) {
    return contradiction(p, "attention.head_count_kv", "a divisor of attention.head_count", p.kv_heads);
  }
  if (p.head_width == 0 && p.width % p.heads != 0) {
    return contradiction(p, "attention.head_count", "a divisor of embedding_length", p.heads);
  }
  if (p.head_width == 0) p.head_width = p.width / p.heads;
  if (p.value_width == 0) p.value_width = p.head_width;
  if (p.rotary == 0) p.rotary = p.head_width;
  if (p.rotary % 2 != 0 || p.rotary > p.head_width) {
    return contradiction(p, "rope.dimension_count", "even and not above the width of a head", p.rotary);
  }
  if (p.attention_scale == 0) p.attention_scale = 1 / std::sqrt(static_cast<double>(p.head_width));
  return {};
}

Error unsupported(const Hyperparameters& p, std::string_view what) noexcept {
  return make_error(ErrorCode::unsupported_architecture, "{}: {}", p.architecture, what).with_name(p.architecture);
}

// What the keys describe and this version does not compute.
Status check_supported(const gguf::Description& description, const Hyperparameters& p) noexcept {
  if (p.experts > 0) return unsupported(p, "mixture-of-experts layers (expert_count above 0) are not supported");
  if (p.value_width != p.head_width) return unsupported(p, "attention.value_length must equal attention.key_length");
  if (p.head_width % 8 != 0) return unsupported(p, "the width of a head must be a multiple of 8");
  const Key key(p.architecture, "attention.causal");
  LOQUAT_ASSIGN_OR_RETURN(const std::optional<bool> is_causal, description.get_bool(key));
  if (is_causal && !*is_causal) return unsupported(p, "attention without a causal mask is not supported");
  return {};
}

}  // namespace

Result<Hyperparameters> read_hyperparameters(const gguf::Description& description,
                                             std::string_view architecture) noexcept {
  Hyperparameters parameters;
  parameters.architecture = architecture;
  const Result<std::optional<std::string_view>> name = description.get_string("general.name");
  if (name && *name) parameters.name = **name;  // only shown: another type is no reason to refuse the file
  for (const IntegerRow& row : kIntegers) LOQUAT_RETURN_IF_ERROR(read_integer(description, row, parameters));
  for (const NumberRow& row : kNumbers) LOQUAT_RETURN_IF_ERROR(read_number(description, row, parameters));
  LOQUAT_RETURN_IF_ERROR(read_scaling(description, parameters));
  LOQUAT_RETURN_IF_ERROR(derive(parameters));
  LOQUAT_RETURN_IF_ERROR(check_supported(description, parameters));
  return parameters;
}

nn::RopeOptions rope_options(const Hyperparameters& p) noexcept {
  nn::RopeOptions options{.rotary = p.rotary,
                          .base = static_cast<float>(p.rope_base),
                          .scaling = p.rope_scaling,
                          .factor = static_cast<float>(p.rope_factor),
                          .original_context = static_cast<float>(p.rope_original_context),
                          .beta_fast = static_cast<float>(p.rope_beta_fast),
                          .beta_slow = static_cast<float>(p.rope_beta_slow)};
  if (p.rope_scaling == nn::RopeScaling::yarn) {
    const FloatEnvironment default_mode;
    const double usual = p.rope_factor <= 1 ? 1.0 : 0.1 * exact_log(p.rope_factor) + 1;
    const double whole = p.rope_attention_factor > 0 ? p.rope_attention_factor : usual;
    options.magnitude = static_cast<float>(whole * p.rope_extra_attention_factor);
  }
  return options;
}

}  // namespace loquat::inline LOQUAT_ABI::models
