// SPDX-License-Identifier: MIT
// Errors, limits and the small helpers that builtins share.
#include "text/jinja/evaluator.hpp"

#include "text/jinja/characters.hpp"
#include "text/jinja/printing.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

Status Evaluator::run(const Block& block, Scope& scope) noexcept {
  run_block(block, scope, output_);
  if (!has_failed() && output_.has_failed()) finish(output_);
  return status_;
}

Value Evaluator::fail_with(const Error& error) noexcept {
  if (!has_failed()) {
    status_ = make_error(error.code(), "chat template, line {}, column {}: {}", at_.line, at_.column, error.message())
                  .with_offset(at_.line);
  }
  return {};
}

Value Evaluator::refuse(std::string_view message) noexcept {
  if (!has_failed()) status_ = Error(ErrorCode::template_refused, message).with_offset(at_.line);
  return {};
}

Value Evaluator::fail_undefined(const Value& undefined) noexcept {
  return fail("'{}' is undefined", undefined.text.view());
}

Value Evaluator::no_memory() noexcept {
  if (has_failed()) return {};
  if (arena_->is_over_limit()) return fail("rendering needs more than {} bytes", limits_.memory_bytes);
  status_ = out_of_memory(arena_->bytes(), "rendering a chat template");
  return {};
}

Value Evaluator::finish(const TextBuilder& builder) noexcept {
  if (builder.is_too_long()) return fail("a text grew beyond {} bytes", limits_.output_bytes);
  if (builder.has_failed()) return no_memory();
  return Value::of(builder.text());
}

List* Evaluator::new_list(Flavor flavor) noexcept {
  List* list = arena_->make<List>();
  if (list == nullptr) {
    no_memory();
  } else {
    list->flavor = flavor;
  }
  return list;
}

Mapping* Evaluator::new_mapping() noexcept {
  Mapping* mapping = arena_->make<Mapping>();
  if (mapping == nullptr) no_memory();
  return mapping;
}

bool Evaluator::push(List& list, const Value& value) noexcept {
  if (!spend(1)) return false;
  if (!list.items.push(*arena_, value)) no_memory();
  return !has_failed();
}

bool Evaluator::set(Mapping& mapping, const Value& key, const Value& value) noexcept {
  if (!spend(1 + mapping.entries.size() / 16)) return false;
  if (key.is_mapping() || (key.is_list() && key.list->flavor != Flavor::tuple)) {
    fail("unhashable type: '{}'", type_name(key));
  } else if (!mapping.set(*arena_, key, value)) {
    no_memory();
  }
  return !has_failed();
}

bool Evaluator::spend(std::uint64_t steps) noexcept {
  steps_ += steps;
  if (steps_ <= limits_.steps) return !has_failed();
  fail("more than {} steps", limits_.steps);
  return false;
}

bool Evaluator::enter() noexcept {
  ++depth_;
  if (depth_ <= limits_.depth) return spend(1);
  fail("nested deeper than {} levels", limits_.depth);
  return false;
}

Text Evaluator::to_text(const Value& value) noexcept {
  if (has_failed() || value.is_undefined()) return {};
  if (value.is_string()) return value.text;
  TextBuilder builder = new_builder();
  if (!write_str(builder, value)) {
    fail("a {} has no text", type_name(value));
    return {};
  }
  const Value text = finish(builder);
  return text.is_string() ? text.text : Text();
}

const List* Evaluator::to_items(const Value& value) noexcept {
  if (has_failed()) return nullptr;
  if (value.is_list()) {
    List& list = *value.list;
    if (list.flavor != Flavor::generator) return &list;
    if (list.is_consumed) return new_list();
    list.is_consumed = true;
    return &list;
  }
  List* items = nullptr;
  if (value.is_undefined()) {
    items = new_list();
  } else if (value.is_string()) {
    items = new_list();
    for (std::size_t i = 0; items != nullptr && i < value.text.size;) {
      const std::size_t n = first_code_point(value.text.view().substr(i)).bytes;
      if (!push(*items, Value::of(value.text.slice(i, i + n)))) return nullptr;
      i += n;
    }
  } else if (value.is_mapping()) {
    items = new_list();
    if (items == nullptr) return nullptr;
    for (const Entry& entry : value.mapping->entries) {
      if (!push(*items, entry.key)) return nullptr;
    }
  } else {
    fail("'{}' object is not iterable", type_name(value));
  }
  return items;
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
