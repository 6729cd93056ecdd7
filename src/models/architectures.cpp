// SPDX-License-Identifier: MIT
#include "models/architectures.hpp"

#include "base/error.hpp"

namespace loquat::inline LOQUAT_ABI::models {

namespace {

struct Architecture {
  std::string_view name;  ///< `general.architecture`
  MakeDecoder* make;
};

constexpr Architecture kArchitectures[] = {
    {"llama", make_llama},
    {"qwen2", make_qwen2},
    {"qwen3", make_qwen3},
};

Error unknown_architecture(std::string_view key, std::string_view name) noexcept {
  char known[256];
  std::size_t size = 0;
  for (const Architecture& architecture : kArchitectures) {
    const std::string_view separator = size == 0 ? "" : ", ";
    size = static_cast<std::size_t>(
        fmt::format_to_n(known + size, sizeof known - size, "{}{}", separator, architecture.name).out - known);
  }
  return make_error(ErrorCode::unsupported_architecture, "{} must be one of {}; the file says \"{}\"", key,
                    std::string_view(known, size), name.substr(0, 64))
      .with_name(name);
}

Result<const Architecture*> find_architecture(const gguf::Description& description) noexcept {
  constexpr std::string_view kKey = "general.architecture";
  LOQUAT_ASSIGN_OR_RETURN(const std::optional<std::string_view> name, description.get_string(kKey));
  if (!name) {
    return make_error(ErrorCode::malformed, "the file must have the metadata key {}, and has not", kKey)
        .with_name(kKey);
  }
  for (const Architecture& architecture : kArchitectures) {
    if (architecture.name == *name) return &architecture;
  }
  return unknown_architecture(kKey, *name);
}

// Before anything is sized by the number of blocks: each has several tensors.
Status check_layer_count(const gguf::Description& description, const Hyperparameters& parameters) noexcept {
  const std::size_t n_tensors = description.tensors().size();
  if (parameters.layers <= n_tensors) return {};
  return make_error(ErrorCode::malformed, "{}.block_count is {}, but the file has only {} tensors",
                    parameters.architecture, parameters.layers, n_tensors)
      .with_name("block_count");
}

}  // namespace

Result<Blueprint> make_decoder(const gguf::Description& description, TensorBinder& binder,
                               Allocator& allocator) noexcept {
  LOQUAT_ASSIGN_OR_RETURN(const Architecture* architecture, find_architecture(description));
  Blueprint blueprint;
  LOQUAT_ASSIGN_OR_RETURN(blueprint.parameters, read_hyperparameters(description, architecture->name));
  LOQUAT_RETURN_IF_ERROR(check_layer_count(description, blueprint.parameters));
  LOQUAT_RETURN_IF_ERROR(binder.start());
  LOQUAT_ASSIGN_OR_RETURN(blueprint.decoder, architecture->make(blueprint.parameters, binder, allocator));
  LOQUAT_RETURN_IF_ERROR(binder.refuse_unknown(architecture->name));
  return blueprint;
}

}  // namespace loquat::inline LOQUAT_ABI::models
