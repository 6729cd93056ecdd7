// SPDX-License-Identifier: MIT
// a.b and a[b]. The first looks for methods before keys, the second for keys before methods, as the published engine
// does; what is not there is undefined, and only using that is an error.
#include <charconv>

#include "text/jinja/characters.hpp"
#include "text/jinja/evaluator.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

namespace {

bool has_items_by_index(const Value& value) noexcept {
  return value.is_list() && value.list->flavor != Flavor::view && value.list->flavor != Flavor::generator;
}

Value item_at(const Value& object, std::int64_t index) noexcept {
  const bool is_text = object.is_string();
  const auto size =
      static_cast<std::int64_t>(is_text ? count_code_points(object.text.view()) : object.list->items.size());
  if (index < 0) index += size;
  if (index < 0 || index >= size) return Value::undefined(Text("the element beyond the end"));
  if (!is_text) return object.list->items[static_cast<std::size_t>(index)];
  const std::size_t begin = byte_offset(object.text.view(), static_cast<std::size_t>(index));
  return Value::of(object.text.slice(begin, begin + first_code_point(object.text.view().substr(begin)).bytes));
}

}  // namespace

Value Evaluator::attribute(const Value& object, std::string_view name) noexcept {
  if (has_failed()) return {};
  if (object.is_undefined()) return fail_undefined(object);
  if (object.kind == Kind::loop) return loop_attribute(*object.loop, name);
  if (const Builtin* method = find_method(object, name); method != nullptr) {
    const auto* callable = arena_->make<Callable>(method, object);
    return callable == nullptr ? no_memory() : Value::of(callable);
  }
  if (object.is_mapping() || object.kind == Kind::space) {
    if (!spend(object.mapping->entries.size() / 16)) return {};
    if (const Value* value = object.mapping->find(name); value != nullptr) return *value;
  }
  return Value::undefined(Text(name));
}

Value Evaluator::subscript(const Value& object, const Value& key) noexcept {
  if (has_failed()) return {};
  if (object.is_undefined()) return fail_undefined(object);
  if (object.is_mapping()) {
    if (!spend(object.mapping->entries.size() / 16)) return {};
    if (const Value* value = object.mapping->find(key); value != nullptr) return *value;
  }
  if (key.is_integral() && (object.is_string() || has_items_by_index(object))) return item_at(object, key.as_integer());
  if (key.is_string()) {
    return object.is_mapping() && find_method(object, key.text.view()) == nullptr ? Value::undefined(key.text)
                                                                                  : attribute(object, key.text.view());
  }
  return Value::undefined(Text("the element with that key"));
}

Value Evaluator::attribute_path(const Value& object, const Value& path) noexcept {
  if (!path.is_string()) return subscript(object, path);
  Value value = object;
  std::string_view rest = path.text.view();
  while (!has_failed()) {
    const std::size_t end = rest.find('.');
    const std::string_view part = rest.substr(0, end);
    std::int64_t index = 0;
    const auto read = std::from_chars(part.data(), part.data() + part.size(), index);
    const bool is_index =
        !part.empty() && read.ec == std::errc{} && read.ptr == part.data() + part.size() && part[0] != '-';
    value = subscript(value, is_index ? Value::of(index) : Value::of(Text(part)));
    if (end == std::string_view::npos) break;
    rest = rest.substr(end + 1);
  }
  return value;
}

Value Evaluator::loop_attribute(LoopState& loop, std::string_view name) noexcept {
  const std::size_t size = loop.items->items.size();
  if (name == "index") return Value::of(loop.index + 1);
  if (name == "index0") return Value::of(loop.index);
  if (name == "revindex") return Value::of(size - loop.index);
  if (name == "revindex0") return Value::of(size - loop.index - 1);
  if (name == "first") return Value::of(loop.index == 0);
  if (name == "last") return Value::of(loop.index + 1 == size);
  if (name == "length") return Value::of(size);
  if (name == "depth") return Value::of(loop.depth + 1);
  if (name == "depth0") return Value::of(loop.depth);
  if (name == "previtem" && loop.index > 0) return loop.items->items[loop.index - 1];
  if (name == "nextitem" && loop.index + 1 < size) return loop.items->items[loop.index + 1];
  if (name == "cycle" || name == "changed") {
    Value self;
    self.kind = Kind::loop;
    self.loop = &loop;
    const auto* callable = arena_->make<Callable>(find_method(self, name), self);
    return callable == nullptr ? no_memory() : Value::of(callable);
  }
  return Value::undefined(Text(name));
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
