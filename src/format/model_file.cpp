// SPDX-License-Identifier: MIT
// A whole model from one file, or from all files of a split one.
#include <utility>

#include "base/error.hpp"
#include "format/parser.hpp"
#include "format/shown_path.hpp"
#include "format/source.hpp"
#include "format/split_name.hpp"

namespace loquat::inline LOQUAT_ABI::gguf {

namespace {

constexpr std::string_view kNumberKey = "split.no";              // from 0
constexpr std::string_view kCountKey = "split.count";            // 0 in a file that was merged again
constexpr std::string_view kTensorsKey = "split.tensors.count";  // over all files

/// What a file says about itself.
struct SplitFacts {
  std::uint64_t number = 0;
  std::uint64_t count = 0;
  std::optional<std::uint64_t> tensors;

  bool is_split() const noexcept { return count > 1; }
};

Result<SplitFacts> read_split_facts(const Description& description) noexcept {
  SplitFacts facts;
  LOQUAT_ASSIGN_OR_RETURN(const auto count, description.get_unsigned(kCountKey));
  facts.count = count.value_or(0);
  if (!facts.is_split()) return facts;
  LOQUAT_ASSIGN_OR_RETURN(const auto number, description.get_unsigned(kNumberKey));
  facts.number = number.value_or(0);
  LOQUAT_ASSIGN_OR_RETURN(facts.tensors, description.get_unsigned(kTensorsKey));
  return facts;
}

/// The same error, with the file's name in front.
Error in_file(std::string_view path, const Error& error) noexcept {
  Error named = make_error(error.code(), "{}: {}", ShownPath(path).view(), error.message());
  return named.with_name(error.name()).with_offset(error.offset());
}

Error about_file(std::string_view path, Error error) noexcept { return error.with_name(path); }

/// A file that was opened and parsed, before it joins the model.
struct Part {
  explicit Part(Allocator& allocator) noexcept : description(allocator) {}
  OwnedSource source;
  Description description;
  SplitFacts facts;
};

Status open_part(std::string_view path, bool use_mmap, Allocator& allocator, Part& part) noexcept {
  LOQUAT_ASSIGN_OR_RETURN(part.source, open_file(path, use_mmap, allocator));
  auto description = parse(*part.source, allocator);
  if (!description) return in_file(path, description.error());
  part.description = std::move(*description);
  auto facts = read_split_facts(part.description);
  if (!facts) return in_file(path, facts.error());
  part.facts = *facts;
  return {};
}

/// The first file's own claims against its name.
Status check_first(std::string_view path, const SplitFacts& facts, SplitName& name) noexcept {
  const bool has_form = parse_split_name(path, name);
  if (facts.number != 0) {
    return about_file(
        path, make_error(ErrorCode::invalid_argument,
                         "'{}' is part {} of {} of a split model; open its first part ('...-00001-of-{:05}.gguf')",
                         ShownPath(path).view(), facts.number + 1, facts.count, facts.count));
  }
  if (facts.count > kMostParts) {
    return about_file(path, make_error(ErrorCode::malformed, "'{}' claims {} parts (key {}), at most {} can be named",
                                       ShownPath(path).view(), facts.count, kCountKey, kMostParts));
  }
  if (!has_form) {
    return about_file(
        path, make_error(ErrorCode::io,
                         "'{}' is part 1 of {}; its name must end with '-00001-of-{:05}.gguf' to find the others",
                         ShownPath(path).view(), facts.count, facts.count));
  }
  if (name.count != facts.count || name.number != 1) {
    return about_file(path,
                      make_error(ErrorCode::malformed, "'{}' is named part {} of {}, but the file says part 1 of {}",
                                 ShownPath(path).view(), name.number, name.count, facts.count));
  }
  return {};
}

Status check_sibling(std::string_view path, const SplitFacts& facts, std::uint64_t number,
                     std::uint64_t count) noexcept {
  if (facts.number == number && facts.count == count) return {};
  return about_file(path,
                    make_error(ErrorCode::malformed, "'{}' must be part {} of {}, but the file says part {} of {}",
                               ShownPath(path).view(), number + 1, count, facts.is_split() ? facts.number + 1 : 1,
                               facts.is_split() ? facts.count : 1));
}

Status add_source(ModelFile& model, OwnedSource source) noexcept {
  if (model.parts.push_back(std::move(source))) return {};
  return out_of_memory(sizeof(OwnedSource), "the list of a model's files");
}

Status add_siblings(ModelFile& model, const SplitName& name, bool use_mmap, Allocator& allocator) noexcept {
  for (std::uint32_t number = 1; number < name.count; ++number) {
    String path(allocator, MemoryTag::metadata);
    if (!make_split_name(name.prefix, number + 1, name.count, path)) {
      return out_of_memory(name.prefix.size(), "a file's path");
    }
    Part part(allocator);
    LOQUAT_RETURN_IF_ERROR(open_part(path, use_mmap, allocator, part));
    LOQUAT_RETURN_IF_ERROR(check_sibling(path, part.facts, number, name.count));
    LOQUAT_RETURN_IF_ERROR(Parser::add_part(model.description, std::move(part.description)));
    LOQUAT_RETURN_IF_ERROR(add_source(model, std::move(part.source)));
  }
  return {};
}

Status check_duplicates(ModelFile& model) noexcept {
  const TensorInfo* twice = nullptr;
  LOQUAT_RETURN_IF_ERROR(Parser::index_names(model.description, twice));
  if (twice == nullptr) return {};
  const PrintableName name(twice->name);
  const ShownPath path(model.parts[twice->part]->name());
  return make_error(ErrorCode::malformed, "{}: tensor '{}' is also in an earlier part", path.view(), name.view())
      .with_name(name.view())
      .with_offset(twice->offset);
}

Status check_tensor_count(std::string_view path, const Description& description, const SplitFacts& facts) noexcept {
  const std::size_t n_tensors = description.tensors().size();
  if (!facts.tensors || *facts.tensors == n_tensors) return {};
  return make_error(ErrorCode::malformed, "'{}' promises {} tensors in all parts (key {}), the {} files hold {}",
                    ShownPath(path).view(), *facts.tensors, kTensorsKey, facts.count, n_tensors)
      .with_name(kTensorsKey);
}

}  // namespace

Result<ModelFile> open_model(std::string_view path, bool use_mmap, Allocator& allocator) noexcept {
  Part first(allocator);
  LOQUAT_RETURN_IF_ERROR(open_part(path, use_mmap, allocator, first));
  SplitName name;
  if (first.facts.is_split()) LOQUAT_RETURN_IF_ERROR(check_first(path, first.facts, name));
  ModelFile model(allocator);
  model.description = std::move(first.description);
  LOQUAT_RETURN_IF_ERROR(add_source(model, std::move(first.source)));
  if (!first.facts.is_split()) return model;
  LOQUAT_RETURN_IF_ERROR(add_siblings(model, name, use_mmap, allocator));
  LOQUAT_RETURN_IF_ERROR(check_duplicates(model));
  LOQUAT_RETURN_IF_ERROR(check_tensor_count(path, model.description, first.facts));
  return model;
}

Result<ModelFile> open_model(OwnedSource source, Allocator& allocator) noexcept {
  ModelFile model(allocator);
  LOQUAT_ASSIGN_OR_RETURN(model.description, parse(*source, allocator));
  LOQUAT_ASSIGN_OR_RETURN(const SplitFacts facts, read_split_facts(model.description));
  if (facts.is_split()) {
    return make_error(ErrorCode::invalid_argument,
                      "this is part {} of {} of a split model; a split model can only be opened by path, or "
                      "merged before",
                      facts.number + 1, facts.count)
        .with_name(kCountKey);
  }
  LOQUAT_RETURN_IF_ERROR(add_source(model, std::move(source)));
  return model;
}

}  // namespace loquat::inline LOQUAT_ABI::gguf
