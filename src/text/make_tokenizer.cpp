// SPDX-License-Identifier: MIT
// From what a file says to a tokenizer: checks, kinds, and the parts in the order they need each other.
#include <algorithm>

#include "base/error.hpp"
#include "text/end_of_generation.hpp"
#include "text/tokenizer_state.hpp"
#include "text/vocabulary.hpp"

namespace loquat::inline LOQUAT_ABI::text {

namespace {

using detail::TokenizerState;

constexpr std::string_view kModels = "gpt2, llama";

fmt::string_view shown(std::string_view text) noexcept { return {text.data(), text.size()}; }

/// GGUF's numbers 1..6. Others are read as normal: a kind that we do not know gives no right to be special.
TokenKind kind_of(std::int32_t type) noexcept {
  switch (type) {
    case 2: return TokenKind::unknown;
    case 3: return TokenKind::control;
    case 4: return TokenKind::user_defined;
    case 5: return TokenKind::unused;
    case 6: return TokenKind::byte;
    default: return TokenKind::normal;
  }
}

Status collect_kinds(const VocabularySource& source, Array<TokenKind>& kinds) noexcept {
  if (!source.types.empty() && source.types.size() != source.tokens.size()) {
    return make_error(ErrorCode::malformed, "tokenizer.ggml.token_type must have one type a token: {} tokens, {} types",
                      source.tokens.size(), source.types.size())
        .with_name("tokenizer.ggml.token_type");
  }
  if (!kinds.resize(source.tokens.size())) return out_of_memory(source.tokens.size(), "the kinds of tokens");
  for (std::size_t i = 0; i < source.types.size(); ++i) kinds[i] = kind_of(source.types[i]);
  // <s> and </s> in their own places are SentencePiece's control pieces; files of Phi-3 say otherwise of the second.
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    if (source.model == "llama" && i < kinds.size() && source.tokens[i] == (i == 1 ? "<s>" : "</s>"))
      kinds[i] = TokenKind::control;
  }
  if (source.types.empty()) {  // without types, tokens with a role must still not come out of plain text
    for (const Token token : {source.special.bos, source.special.eos, source.eot, source.eom}) {
      if (token >= 0 && static_cast<std::size_t>(token) < kinds.size())
        kinds[static_cast<std::size_t>(token)] = TokenKind::control;
    }
  }
  return {};
}

/// "a, b, c" of all rules, as much as fits an error message.
Error unknown_pre_tokenizer(std::string_view pre) noexcept {
  char known[256];
  std::size_t n = 0;
  for (const PreTokenizerRule& rule : pre_tokenizer_rules()) {
    if (n + rule.name.size() + 2 > sizeof known) break;
    if (n > 0) n = static_cast<std::size_t>(std::copy_n(", ", 2, known + n) - known);
    n = static_cast<std::size_t>(std::copy(rule.name.begin(), rule.name.end(), known + n) - known);
  }
  return make_error(ErrorCode::unsupported_tokenizer, "pre-tokenizer \"{}\" is unknown (tokenizer.ggml.pre); known: {}",
                    shown(pre), fmt::string_view(known, n))
      .with_name("tokenizer.ggml.pre");
}

Status choose_rules(const VocabularySource& source, TokenizerState& state) noexcept {
  const std::string_view pre = source.pre.value_or("default");
  if (source.model == "gpt2") {
    state.kind = TokenizerState::Kind::byte_pair;
    state.rule = find_pre_tokenizer(pre);
    if (state.rule == nullptr) return unknown_pre_tokenizer(pre);
  } else if (source.model == "llama") {  // SentencePiece cuts nothing: its files say "default" or nothing
    state.kind = TokenizerState::Kind::sentence_piece;
    state.add_space_prefix = source.add_space_prefix.value_or(true);
  } else {
    return make_error(ErrorCode::unsupported_tokenizer,
                      "tokenizer model \"{}\" is unknown (tokenizer.ggml.model); known: {}", shown(source.model),
                      shown(kModels))
        .with_name("tokenizer.ggml.model");
  }
  if (!state.model.assign(source.model) || !state.pre.assign(pre))
    return out_of_memory(pre.size(), "the tokenizer's name");
  return {};
}

Status build_model(const VocabularySource& source, TokenizerState& state) noexcept {
  if (state.kind == TokenizerState::Kind::sentence_piece)
    return state.sentence_piece.build(state.table, source.scores, source.special.unknown);
  return state.byte_pair.build(state.table, source.merges);
}

void fill_report(const TokenizerState& state, BuildReport& report) noexcept {
  const bool is_byte_pair = state.kind == TokenizerState::Kind::byte_pair;
  report.duplicate_tokens = state.table.duplicates();
  report.unusable_merges = is_byte_pair ? state.byte_pair.unusable_merges() : 0;
  report.bytes_without_token =
      is_byte_pair ? state.byte_pair.bytes_without_token() : state.sentence_piece.bytes_without_token();
}

}  // namespace

bool adds_bos(const VocabularySource& source) noexcept {
  const PreTokenizerRule* rule = find_pre_tokenizer(source.pre.value_or("default"));
  return source.model == "gpt2" && rule != nullptr && rule->adds_bos;
}

Result<Tokenizer> make_tokenizer(const VocabularySource& source, Allocator& allocator, BuildReport* report) noexcept {
  Ref<TokenizerState> state = make_ref<TokenizerState>(allocator, allocator);
  if (!state) return out_of_memory(sizeof(TokenizerState), "the tokenizer");
  LOQUAT_RETURN_IF_ERROR(choose_rules(source, *state));
  Array<TokenKind> kinds(allocator, MemoryTag::tokenizer);
  LOQUAT_RETURN_IF_ERROR(collect_kinds(source, kinds));
  LOQUAT_RETURN_IF_ERROR(state->table.build(source.tokens, kinds));
  LOQUAT_RETURN_IF_ERROR(build_model(source, *state));
  LOQUAT_RETURN_IF_ERROR(state->specials.build(state->table, state->kind == TokenizerState::Kind::sentence_piece));
  if (!find_end_of_generation(state->table, source, state->ends))
    return out_of_memory(256, "the end-of-generation tokens");
  state->special = source.special;
  state->strips_after_control = source.strips_after_control;
  if (report != nullptr) fill_report(*state, *report);
  return TokenizerState::make_handle(std::move(state));
}

std::size_t memory_of(const Tokenizer& tokenizer) noexcept {
  return tokenizer ? TokenizerState::of(tokenizer).memory() : 0;
}

}  // namespace loquat::inline LOQUAT_ABI::text
