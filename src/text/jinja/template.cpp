// SPDX-License-Identifier: MIT
#include "text/jinja/template.hpp"

#include <utility>

#include "base/error.hpp"
#include "text/jinja/evaluator.hpp"
#include "text/jinja/json_read.hpp"
#include "text/jinja/lexer.hpp"
#include "text/jinja/parser.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

/// What parse() leaves: statements in an arena of their own.
class Program {
 public:
  Program(Allocator& host, const Limits& most) noexcept
      : allocator(&host), limits(most), arena(host, most.memory_bytes) {}

  Allocator* allocator;
  Limits limits;
  Arena arena;
  Block block;
};

Template::Template(Template&& other) noexcept : program_(std::exchange(other.program_, nullptr)) {}
Template& Template::operator=(Template&& other) noexcept {
  std::swap(program_, other.program_);
  return *this;
}
Template::~Template() {
  if (program_ != nullptr) Box<Program>(program_, *program_->allocator, MemoryTag::text).reset();
}

Result<Template> Template::parse(std::string_view source, Allocator& allocator, const Limits& limits) noexcept {
  auto program = make_box<Program>(allocator, MemoryTag::text, allocator, limits);
  if (!program) return out_of_memory(sizeof(Program), "a chat template");
  ArenaArray<Token> tokens;
  LOQUAT_RETURN_IF_ERROR(tokenize(source, program->arena, tokens));
  LOQUAT_RETURN_IF_ERROR(Parser(tokens, program->arena, limits.depth).parse(program->block));
  return Template(program.detach());
}

namespace {

Error no_memory(const Arena& arena) noexcept {
  return out_of_memory(arena.bytes(), "the variables of a chat template");
}

/// A role is trusted to be part of a control token (<|user|>) only if it is a plain word.
Text role_text(std::string_view role) noexcept { return Text(role, !is_plain_word(role)); }

bool bind(Scope& scope, Arena& arena, std::string_view name, const Value& value) noexcept {
  for (Binding& binding : scope.bindings) {
    if (binding.name != name) continue;
    binding.value = value;
    return true;
  }
  return scope.bindings.push(arena, {name, value});
}

bool make_messages(std::span<const MessageView> messages, Arena& arena, Value& list_value) noexcept {
  List* list = arena.make<List>();
  if (list == nullptr) return false;
  for (const MessageView& message : messages) {
    Mapping* mapping = arena.make<Mapping>();
    if (mapping == nullptr) return false;
    const Value role = Value::of(role_text(message.role));
    const Value content = Value::of(Text(message.content, true));
    if (!mapping->set(arena, Value::of(Text("role")), role) ||
        !mapping->set(arena, Value::of(Text("content")), content) || !list->items.push(arena, Value::of(mapping))) {
      return false;
    }
  }
  list_value = Value::of(list);
  return true;
}

/// Texts directly among the variables (bos_token ...) come from the host program, not from a user.
Status bind_variables(std::string_view json, Scope& scope, Arena& arena) noexcept {
  if (json.empty()) return {};
  LOQUAT_ASSIGN_OR_RETURN(const Value variables, read_json(json, arena));
  if (!variables.is_mapping()) {
    return make_error(ErrorCode::invalid_argument, "template variables must be a JSON object, found {}",
                      type_name(variables));
  }
  for (const Entry& entry : variables.mapping->entries) {
    Value value = entry.value;
    if (value.is_string()) value.text.is_content = false;
    if (!bind(scope, arena, entry.key.text.view(), value)) return no_memory(arena);
  }
  return {};
}

Status bind_context(const Context& context, Scope& scope, Arena& arena) noexcept {
  Value messages;
  const bool is_bound = make_messages(context.messages, arena, messages) && bind(scope, arena, "messages", messages) &&
                        bind(scope, arena, "add_generation_prompt", Value::of(context.add_generation_prompt)) &&
                        bind(scope, arena, "bos_token", Value::of(Text(context.bos_token))) &&
                        bind(scope, arena, "eos_token", Value::of(Text(context.eos_token)));
  if (!is_bound) return no_memory(arena);
  return bind_variables(context.variables, scope, arena);
}

/// Runs of content as segments.
Status copy_content(const Text& text, Array<Segment>& content) noexcept {
  for (std::size_t i = 0; i < text.size;) {
    const auto is_content = [&text](std::size_t at) {
      return text.origins != nullptr ? text.origins[at] != 0 : text.is_content;
    };
    std::size_t end = i + 1;
    while (end < text.size && is_content(end) == is_content(i)) ++end;
    if (is_content(i) && !content.push_back({i, end})) {
      return out_of_memory(content.capacity_bytes(), "the segments of a rendered chat");
    }
    i = end;
  }
  return {};
}

}  // namespace

Result<Rendered> Template::render(const Context& context) const noexcept {
  Allocator& allocator = *program_->allocator;
  Arena arena(allocator, program_->limits.memory_bytes);
  Scope globals;
  LOQUAT_RETURN_IF_ERROR(bind_context(context, globals, arena));
  Scope scope;
  scope.parent = &globals;
  Evaluator evaluator(arena, program_->limits, context.unix_seconds);
  LOQUAT_RETURN_IF_ERROR(evaluator.run(program_->block, scope));
  const Text text = evaluator.output();
  Rendered rendered{String(allocator), Array<Segment>(allocator)};
  if (!rendered.text.append(text.view())) return out_of_memory(text.size, "a rendered chat");
  LOQUAT_RETURN_IF_ERROR(copy_content(text, rendered.content));
  return rendered;
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
