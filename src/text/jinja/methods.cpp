// SPDX-License-Identifier: MIT
// Methods of mappings, lists and loops. Those that would change their object (append, pop, update ...) are refused, as in
// the published sandbox.
#include "text/jinja/evaluator.hpp"
#include "text/jinja/text_functions.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

namespace {

Value refused(Evaluator& evaluator, const Value& object, const Bound&) noexcept {
  return evaluator.fail("a {} must not be changed by a template", type_name(object));
}

Value list_of(Evaluator& evaluator, const Mapping& mapping, bool has_keys, bool has_values) noexcept {
  List* view = evaluator.new_list(Flavor::view);
  for (std::size_t i = 0; i < mapping.entries.size() && !evaluator.has_failed(); ++i) {
    const Entry& entry = mapping.entries[i];
    if (!has_keys || !has_values) {
      evaluator.push(*view, has_keys ? entry.key : entry.value);
      continue;
    }
    List* tuple = evaluator.new_list(Flavor::tuple);
    if (evaluator.has_failed() || !evaluator.push(*tuple, entry.key) || !evaluator.push(*tuple, entry.value)) break;
    evaluator.push(*view, Value::of(tuple));
  }
  return evaluator.has_failed() ? Value() : Value::of(view);
}

Value items(Evaluator& evaluator, const Value& object, const Bound&) noexcept {
  return list_of(evaluator, *object.mapping, true, true);
}
Value keys(Evaluator& evaluator, const Value& object, const Bound&) noexcept {
  return list_of(evaluator, *object.mapping, true, false);
}
Value values(Evaluator& evaluator, const Value& object, const Bound&) noexcept {
  return list_of(evaluator, *object.mapping, false, true);
}

Value get(Evaluator& evaluator, const Value& object, const Bound& arguments) noexcept {
  if (!evaluator.spend(object.mapping->entries.size() / 16)) return {};
  const Value* value = object.mapping->find(*arguments[0]);
  if (value != nullptr) return *value;
  return arguments[1] != nullptr ? *arguments[1] : Value::none();
}

Value copy_mapping(Evaluator& evaluator, const Value& object, const Bound&) noexcept {
  Mapping* copy = evaluator.new_mapping();
  for (std::size_t i = 0; i < object.mapping->entries.size() && !evaluator.has_failed(); ++i) {
    evaluator.set(*copy, object.mapping->entries[i].key, object.mapping->entries[i].value);
  }
  return evaluator.has_failed() ? Value() : Value::of(copy);
}

Value index_of(Evaluator& evaluator, const Value& object, const Bound& arguments) noexcept {
  const ArenaArray<Value>& list = object.list->items;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (are_equal(list[i], *arguments[0])) return Value::of(i);
  }
  return evaluator.fail("index(): the item is not in the list");
}

Value count_of(Evaluator&, const Value& object, const Bound& arguments) noexcept {
  std::size_t n = 0;
  for (const Value& item : object.list->items) n += are_equal(item, *arguments[0]) ? 1 : 0;
  return Value::of(n);
}

Value copy_list(Evaluator& evaluator, const Value& object, const Bound&) noexcept {
  return evaluator.binary(Operator::add, object,
                          object.list->flavor == Flavor::list ? Value::of(evaluator.new_list()) : object);
}

Value cycle(Evaluator& evaluator, const Value& object, const Bound& arguments) noexcept {
  const ArenaArray<Value>& choices = arguments.all->positional;
  if (choices.empty()) return evaluator.fail("loop.cycle() needs items");
  return choices[object.loop->index % choices.size()];
}

Value changed(Evaluator& evaluator, const Value& object, const Bound& arguments) noexcept {
  LoopState& loop = *object.loop;
  List* now = evaluator.new_list(Flavor::tuple);
  for (std::size_t i = 0; i < arguments.all->positional.size() && !evaluator.has_failed(); ++i) {
    evaluator.push(*now, arguments.all->positional[i]);
  }
  if (evaluator.has_failed()) return {};
  const Value value = Value::of(now);
  const bool is_new = !loop.has_changed || !are_equal(loop.last_changed, value);
  loop.last_changed = value;
  loop.has_changed = true;
  return Value::of(is_new);
}

constexpr Builtin kMappingMethods[] = {
    {"get", "key default", 1, get}, {"items", "", 0, items},       {"keys", "", 0, keys},
    {"values", "", 0, values},      {"copy", "", 0, copy_mapping}, {"pop", "*", 0, refused},
    {"popitem", "*", 0, refused},   {"update", "*", 0, refused},   {"setdefault", "*", 0, refused},
    {"clear", "*", 0, refused},
};

constexpr Builtin kListMethods[] = {
    {"index", "value", 1, index_of}, {"count", "value", 1, count_of}, {"copy", "", 0, copy_list},
    {"append", "*", 0, refused},     {"extend", "*", 0, refused},     {"insert", "*", 0, refused},
    {"pop", "*", 0, refused},        {"remove", "*", 0, refused},     {"reverse", "*", 0, refused},
    {"sort", "*", 0, refused},       {"clear", "*", 0, refused},
};

constexpr Builtin kTupleMethods[] = {{"index", "value", 1, index_of}, {"count", "value", 1, count_of}};
constexpr Builtin kLoopMethods[] = {{"cycle", "*", 0, cycle}, {"changed", "*", 0, changed}};

}  // namespace

const Builtin* find_method(const Value& object, std::string_view name) noexcept {
  switch (object.kind) {
    case Kind::string: return find_string_method(name);
    case Kind::mapping: return find_in(kMappingMethods, name);
    case Kind::loop: return find_in(kLoopMethods, name);
    case Kind::list:
      if (object.list->flavor == Flavor::list) return find_in(kListMethods, name);
      return object.list->flavor == Flavor::tuple ? find_in(kTupleMethods, name) : nullptr;
    default: return nullptr;
  }
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
