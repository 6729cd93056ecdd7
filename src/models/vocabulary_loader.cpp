// SPDX-License-Identifier: MIT
// Keys of a GGUF file to a text::VocabularySource. Only what the tokenizer's model needs is read, so a key that it does not
// need may have any type.
#include "models/vocabulary_loader.hpp"

#include <loquat/array.hpp>

#include <limits>

#include "base/error.hpp"
#include "text/vocabulary.hpp"

namespace loquat::inline LOQUAT_ABI::models {

namespace {

constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
constexpr std::string_view kTypes = "tokenizer.ggml.token_type";
constexpr std::string_view kScores = "tokenizer.ggml.scores";
constexpr std::string_view kMerges = "tokenizer.ggml.merges";

fmt::string_view shown(std::string_view text) noexcept { return {text.data(), text.size()}; }

class VocabularyReader {
 public:
  VocabularyReader(const gguf::Description& file, LogSink* log, Allocator& allocator) noexcept
      : file_(file),
        log_(log),
        allocator_(allocator),
        tokens_(allocator, MemoryTag::tokenizer),
        merges_(allocator, MemoryTag::tokenizer),
        scores_(allocator, MemoryTag::tokenizer),
        types_(allocator, MemoryTag::tokenizer) {}

  Result<Tokenizer> load(std::string_view pre_override) noexcept {
    LOQUAT_RETURN_IF_ERROR(read_names(pre_override));
    LOQUAT_RETURN_IF_ERROR(read_strings(kTokens, tokens_));
    source_.tokens = tokens_;
    LOQUAT_RETURN_IF_ERROR(read_types());
    if (source_.model == "llama") LOQUAT_RETURN_IF_ERROR(read_scores());
    if (source_.model == "gpt2") LOQUAT_RETURN_IF_ERROR(read_merges());
    LOQUAT_RETURN_IF_ERROR(read_special());
    text::BuildReport report;
    LOQUAT_ASSIGN_OR_RETURN(Tokenizer tokenizer, text::make_tokenizer(source_, allocator_, &report));
    tell(report);
    return tokenizer;
  }

 private:
  template <class... A>
  void note(LogLevel level, fmt::format_string<const A&...> format, const A&... arguments) noexcept {
    if (log_ == nullptr) return;
    char text[256];
    const auto end = fmt::vformat_to_n(text, sizeof text, format, fmt::make_format_args(arguments...));
    log_->write(level, {text, static_cast<std::size_t>(end.out - text)});
  }

  Status read_names(std::string_view pre_override) noexcept {
    LOQUAT_ASSIGN_OR_RETURN(const auto model, file_.get_string("tokenizer.ggml.model"));
    if (!model) {
      return make_error(ErrorCode::unsupported_tokenizer,
                        "the file must name its tokenizer, it has no key tokenizer.ggml.model")
          .with_name("tokenizer.ggml.model");
    }
    source_.model = *model;
    LOQUAT_ASSIGN_OR_RETURN(source_.pre, file_.get_string("tokenizer.ggml.pre"));
    if (!pre_override.empty()) source_.pre = pre_override;
    LOQUAT_ASSIGN_OR_RETURN(const auto architecture, file_.get_string("general.architecture"));
    if (!source_.pre && source_.model == "gpt2") choose_missing_pre(architecture.value_or(""));
    source_.strips_after_control = source_.model == "llama" && architecture == "phi3";
    return {};
  }

  /// Files from before the key existed (2024). GPT-NeoX's published tokenizer is known by the architecture.
  void choose_missing_pre(std::string_view architecture) noexcept {
    if (architecture == "gptneox") {
      source_.pre = "gpt-neox";
    } else {
      note(LogLevel::warning,
           "the file names no pre-tokenizer (tokenizer.ggml.pre): \"default\" is used, ids may differ from the model's "
           "own");
    }
  }

  Status read_strings(std::string_view key, Array<std::string_view>& strings) noexcept {
    LOQUAT_ASSIGN_OR_RETURN(const auto array, file_.get_strings(key));
    if (!array) return missing(key);
    if (!strings.reserve(array->size()))
      return out_of_memory(array->size() * sizeof(std::string_view), "the vocabulary");
    auto at = array->begin();
    for (std::uint64_t i = 0; i < array->size(); ++i) {
      if (i > 0) ++at;
      if (!strings.push_back(*at)) return out_of_memory(array->size() * sizeof(std::string_view), "the vocabulary");
    }
    return {};
  }

  Error missing(std::string_view key) const noexcept {
    return make_error(ErrorCode::malformed, "tokenizer model \"{}\" needs the key {}, the file has none",
                      shown(source_.model), shown(key))
        .with_name(key);
  }

  /// An array key, or null where absent.
  Result<const gguf::Value*> find_array(std::string_view key) const noexcept {
    const gguf::Value* value = file_.find(key);
    if (value != nullptr && value->type != gguf::ValueType::array) {
      return make_error(ErrorCode::malformed, "key {} must be an array, it is {}", shown(key),
                        gguf::to_string(value->type))
          .with_name(key)
          .with_offset(value->offset);
    }
    return value;
  }

  Error bad_element(std::string_view key, std::uint64_t i, const gguf::Value& array) const noexcept {
    return make_error(ErrorCode::malformed, "element {} of {} must be a number, the elements are {}", i, shown(key),
                      gguf::to_string(array.element_type))
        .with_name(key)
        .with_offset(array.offset);
  }

  Status read_types() noexcept {
    LOQUAT_ASSIGN_OR_RETURN(const gguf::Value* array, find_array(kTypes));
    if (array == nullptr) return {};
    if (!types_.reserve(array->count)) return out_of_memory(array->count * sizeof(std::int32_t), "the types of tokens");
    for (std::uint64_t i = 0; i < array->count; ++i) {
      std::int64_t type = 0;
      if (!gguf::Description::element_as_integer(*array, i, type)) return bad_element(kTypes, i, *array);
      const bool is_small = type >= 0 && type <= std::numeric_limits<std::int32_t>::max();
      if (!types_.push_back(is_small ? static_cast<std::int32_t>(type) : 0))
        return out_of_memory(sizeof type, "the types of tokens");
    }
    source_.types = types_;
    return {};
  }

  Status read_scores() noexcept {
    LOQUAT_ASSIGN_OR_RETURN(const gguf::Value* array, find_array(kScores));
    if (array == nullptr) return missing(kScores);
    if (!scores_.reserve(array->count)) return out_of_memory(array->count * sizeof(float), "the scores of tokens");
    for (std::uint64_t i = 0; i < array->count; ++i) {
      double score = 0;
      if (!gguf::Description::element_as_number(*array, i, score)) return bad_element(kScores, i, *array);
      if (!scores_.push_back(static_cast<float>(score))) return out_of_memory(sizeof score, "the scores of tokens");
    }
    source_.scores = scores_;
    return {};
  }

  Status read_merges() noexcept {
    LOQUAT_RETURN_IF_ERROR(read_strings(kMerges, merges_));
    source_.merges = merges_;
    return {};
  }

  /// -1 where absent; an id outside the vocabulary is ignored with a note (promise F5).
  Result<Token> read_id(std::string_view key) noexcept {
    LOQUAT_ASSIGN_OR_RETURN(const auto id, file_.get_integer(key));
    if (!id) return Token{-1};
    if (*id >= 0 && static_cast<std::uint64_t>(*id) < tokens_.size()) return static_cast<Token>(*id);
    note(LogLevel::warning, "{} must be 0..{}, the file says {}: ignored", shown(key), tokens_.size() - 1, *id);
    return Token{-1};
  }

  Status read_special() noexcept {
    SpecialTokens& special = source_.special;
    LOQUAT_ASSIGN_OR_RETURN(special.bos, read_id("tokenizer.ggml.bos_token_id"));
    LOQUAT_ASSIGN_OR_RETURN(special.eos, read_id("tokenizer.ggml.eos_token_id"));
    LOQUAT_ASSIGN_OR_RETURN(special.unknown, read_id("tokenizer.ggml.unknown_token_id"));
    LOQUAT_ASSIGN_OR_RETURN(special.separator, read_id("tokenizer.ggml.seperator_token_id"));  // the key is spelled so
    LOQUAT_ASSIGN_OR_RETURN(special.padding, read_id("tokenizer.ggml.padding_token_id"));
    LOQUAT_ASSIGN_OR_RETURN(source_.eot, read_id("tokenizer.ggml.eot_token_id"));
    LOQUAT_ASSIGN_OR_RETURN(source_.eom, read_id("tokenizer.ggml.eom_token_id"));
    LOQUAT_ASSIGN_OR_RETURN(source_.add_space_prefix, file_.get_bool("tokenizer.ggml.add_space_prefix"));
    LOQUAT_ASSIGN_OR_RETURN(const auto add_bos, file_.get_bool("tokenizer.ggml.add_bos_token"));
    LOQUAT_ASSIGN_OR_RETURN(const auto add_eos, file_.get_bool("tokenizer.ggml.add_eos_token"));
    special.add_bos = special.bos >= 0 && add_bos.value_or(source_.model == "llama" || text::adds_bos(source_));
    special.add_eos = special.eos >= 0 && add_eos.value_or(false);
    return {};
  }

  void tell(const text::BuildReport& report) noexcept {
    if (report.duplicate_tokens > 0)
      note(LogLevel::info, "{} tokens have the spelling of an earlier one: the lowest id counts",
           report.duplicate_tokens);
    if (report.unusable_merges > 0)
      note(LogLevel::info, "{} merges can never apply: a part or the result is no normal token",
           report.unusable_merges);
    if (report.bytes_without_token > 0)
      note(LogLevel::info, "{} of the 256 bytes have no token", report.bytes_without_token);
  }

  const gguf::Description& file_;
  LogSink* log_;
  Allocator& allocator_;
  Array<std::string_view> tokens_;
  Array<std::string_view> merges_;
  Array<float> scores_;
  Array<std::int32_t> types_;
  text::VocabularySource source_;
};

}  // namespace

Result<Tokenizer> load_tokenizer(const gguf::Description& file, std::string_view pre_override, LogSink* log,
                                 Allocator& allocator) noexcept {
  return VocabularyReader(file, log, allocator).load(pre_override);
}

}  // namespace loquat::inline LOQUAT_ABI::models
