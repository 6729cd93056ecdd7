// SPDX-License-Identifier: MIT
// Filters over lists and mappings.
#include "text/jinja/evaluator.hpp"
#include "text/jinja/text_functions.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

namespace {

bool is_given(const Value* argument) noexcept { return argument != nullptr && argument->kind != Kind::none; }

Value first(Evaluator& evaluator, const Value& value, const Bound&) noexcept {
  const List* items = evaluator.to_items(value);
  if (items == nullptr) return {};
  return items->items.empty() ? Value::undefined(Text("the first item of nothing")) : items->items[0];
}

Value last(Evaluator& evaluator, const Value& value, const Bound&) noexcept {
  const List* items = evaluator.to_items(value);
  if (items == nullptr) return {};
  return items->items.empty() ? Value::undefined(Text("the last item of nothing"))
                              : items->items[items->items.size() - 1];
}

Value copy_items(Evaluator& evaluator, const List* items, Flavor flavor) noexcept {
  if (items == nullptr) return {};
  List* copy = evaluator.new_list(flavor);
  for (std::size_t i = 0; i < items->items.size() && !evaluator.has_failed(); ++i) {
    evaluator.push(*copy, items->items[i]);
  }
  return evaluator.has_failed() ? Value() : Value::of(copy);
}

Value to_list(Evaluator& evaluator, const Value& value, const Bound&) noexcept {
  return copy_items(evaluator, evaluator.to_items(value), Flavor::list);
}

Value reverse(Evaluator& evaluator, const Value& value, const Bound&) noexcept {
  const List* items = evaluator.to_items(value);
  if (items == nullptr) return {};
  List* reversed = evaluator.new_list(Flavor::generator);
  TextBuilder builder = evaluator.new_builder();
  for (std::size_t i = items->items.size(); i-- > 0 && !evaluator.has_failed();) {
    if (value.is_string()) {
      builder.append(items->items[i].text);
    } else {
      evaluator.push(*reversed, items->items[i]);
    }
  }
  if (evaluator.has_failed()) return {};
  return value.is_string() ? evaluator.finish(builder) : Value::of(reversed);
}

Value pair(Evaluator& evaluator, const Value& a, const Value& b) noexcept {
  List* tuple = evaluator.new_list(Flavor::tuple);
  if (tuple == nullptr || !evaluator.push(*tuple, a) || !evaluator.push(*tuple, b)) return {};
  return Value::of(tuple);
}

List* list_entries(Evaluator& evaluator, const Mapping& mapping, Flavor flavor) noexcept {
  List* items = evaluator.new_list(flavor);
  for (const Entry& entry : mapping.entries) {
    if (evaluator.has_failed()) return nullptr;
    const Value both = pair(evaluator, entry.key, entry.value);
    if (!evaluator.has_failed()) evaluator.push(*items, both);
  }
  return evaluator.has_failed() ? nullptr : items;
}

Value items(Evaluator& evaluator, const Value& value, const Bound&) noexcept {
  if (!value.is_mapping() && !value.is_undefined()) {
    return evaluator.fail("items needs a mapping, found {}", type_name(value));
  }
  List* list = value.is_undefined() ? evaluator.new_list(Flavor::generator)
                                    : list_entries(evaluator, *value.mapping, Flavor::generator);
  return list == nullptr ? Value() : Value::of(list);
}

/// Strings without regard to case, as sort, unique, min and max compare them.
Value fold(Evaluator& evaluator, const Value& value, bool is_case_sensitive) noexcept {
  return value.is_string() && !is_case_sensitive ? change_case(evaluator, value.text, Case::lower) : value;
}

/// Sorts `list` by `keys`, stably, by merging runs of doubled length.
void sort_by_keys(Evaluator& evaluator, List& list, List& keys, bool is_reversed) noexcept {
  const std::size_t n = list.items.size();
  List* spare_items = evaluator.new_list();
  List* spare_keys = evaluator.new_list();
  if (evaluator.has_failed() || !spare_items->items.append(evaluator.arena(), list.items.data(), n) ||
      !spare_keys->items.append(evaluator.arena(), keys.items.data(), n)) {
    evaluator.no_memory();
    return;
  }
  const auto merge = [&](std::size_t begin, std::size_t middle, std::size_t end) {
    std::size_t a = begin;
    std::size_t b = middle;
    for (std::size_t to = begin; to < end && evaluator.spend(1); ++to) {
      const bool takes_b =
          b < end && (a >= middle || (is_reversed ? evaluator.compare(Operator::less, keys.items[a], keys.items[b])
                                                  : evaluator.compare(Operator::less, keys.items[b], keys.items[a])));
      const std::size_t from = takes_b ? b++ : a++;
      spare_items->items[to] = list.items[from];
      spare_keys->items[to] = keys.items[from];
    }
  };
  for (std::size_t width = 1; width < n && !evaluator.has_failed(); width *= 2) {
    for (std::size_t begin = 0; begin < n; begin += 2 * width) {
      const std::size_t middle = begin + width < n ? begin + width : n;
      merge(begin, middle, middle + width < n ? middle + width : n);
    }
    for (std::size_t i = 0; i < n; ++i) {
      list.items[i] = spare_items->items[i];
      keys.items[i] = spare_keys->items[i];
    }
  }
}

Value sort(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  const bool is_reversed = arguments[0] != nullptr && is_true(*arguments[0]);
  const bool is_case_sensitive = arguments[1] != nullptr && is_true(*arguments[1]);
  const Value sorted = copy_items(evaluator, evaluator.to_items(value), Flavor::list);
  List* keys = evaluator.new_list();
  if (evaluator.has_failed()) return {};
  for (const Value& item : sorted.list->items) {
    const Value key = is_given(arguments[2]) ? evaluator.attribute_path(item, *arguments[2]) : item;
    if (!evaluator.push(*keys, fold(evaluator, key, is_case_sensitive))) return {};
  }
  sort_by_keys(evaluator, *sorted.list, *keys, is_reversed);
  return sorted;
}

Value sort_mapping(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  if (value.is_undefined()) return evaluator.fail_undefined(value);
  if (!value.is_mapping()) return evaluator.fail("dictsort needs a mapping, found {}", type_name(value));
  const bool is_case_sensitive = arguments[0] != nullptr && is_true(*arguments[0]);
  const std::string_view by =
      arguments[1] != nullptr ? evaluator.to_text(*arguments[1]).view() : std::string_view("key");
  const bool is_reversed = arguments[2] != nullptr && is_true(*arguments[2]);
  if (by != "key" && by != "value") return evaluator.fail("dictsort sorts by key or value, not by {}", by);
  List* sorted = list_entries(evaluator, *value.mapping, Flavor::list);
  List* keys = evaluator.new_list();
  if (evaluator.has_failed()) return {};
  for (const Value& item : sorted->items) {
    const Value key = item.list->items[by == "key" ? 0 : 1];
    if (!evaluator.push(*keys, fold(evaluator, key, is_case_sensitive))) return {};
  }
  sort_by_keys(evaluator, *sorted, *keys, is_reversed);
  return Value::of(sorted);
}

Value unique(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  const bool is_case_sensitive = arguments[0] != nullptr && is_true(*arguments[0]);
  const List* all = evaluator.to_items(value);
  List* kept = evaluator.new_list(Flavor::generator);
  List* keys = evaluator.new_list();
  if (evaluator.has_failed()) return {};
  for (const Value& item : all->items) {
    const Value part = is_given(arguments[1]) ? evaluator.attribute_path(item, *arguments[1]) : item;
    const Value key = fold(evaluator, part, is_case_sensitive);
    bool is_new = evaluator.spend(1 + keys->items.size() / 8);
    for (const Value& known : keys->items) is_new = is_new && !are_equal(known, key);
    if (is_new && (!evaluator.push(*keys, key) || !evaluator.push(*kept, item))) return {};
  }
  return evaluator.has_failed() ? Value() : Value::of(kept);
}

template <Operator kBetter>
Value extreme(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  const bool is_case_sensitive = arguments[0] != nullptr && is_true(*arguments[0]);
  const List* all = evaluator.to_items(value);
  if (all == nullptr) return {};
  Value best = Value::undefined(Text("the extreme of nothing"));
  Value best_key;
  for (std::size_t i = 0; i < all->items.size() && !evaluator.has_failed(); ++i) {
    const Value& item = all->items[i];
    const Value part = is_given(arguments[1]) ? evaluator.attribute_path(item, *arguments[1]) : item;
    const Value key = fold(evaluator, part, is_case_sensitive);
    if (i > 0 && !evaluator.compare(kBetter, key, best_key)) continue;
    best = item;
    best_key = key;
  }
  return best;
}

/// The arguments from position `begin` on, for a filter or test named by an argument.
Arguments rest_of(Evaluator& evaluator, const Arguments& all, std::size_t begin) noexcept {
  Arguments rest;
  rest.named = all.named;
  for (std::size_t i = begin; i < all.positional.size(); ++i) {
    if (!rest.positional.push(evaluator.arena(), all.positional[i])) evaluator.no_memory();
  }
  return rest;
}

const Value* find_named(const Arguments& arguments, std::string_view name) noexcept {
  for (const NamedValue& named : arguments.named) {
    if (named.name == name) return &named.value;
  }
  return nullptr;
}

/// map, select and their kin take whatever is false for empty.
const List* items_if_true(Evaluator& evaluator, const Value& value) noexcept {
  return is_true(value) ? evaluator.to_items(value) : evaluator.new_list();
}

/// map(attribute='x', default=y), or map('filter', arguments...).
Value map(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  const Arguments& all = *arguments.all;
  const List* from = items_if_true(evaluator, value);
  List* mapped = evaluator.new_list(Flavor::generator);
  if (evaluator.has_failed()) return {};
  const Value* attribute = all.positional.empty() ? find_named(all, "attribute") : nullptr;
  const Value* otherwise = find_named(all, "default");
  const Builtin* filter = nullptr;
  if (attribute == nullptr) {
    if (all.positional.empty()) return evaluator.fail("map needs a filter's name or attribute=");
    filter = find_filter(evaluator.to_text(all.positional[0]).view());
    if (filter == nullptr) return evaluator.fail("no filter is named {}", evaluator.to_text(all.positional[0]).view());
  }
  const Arguments rest = rest_of(evaluator, all, 1);
  for (const Value& item : from->items) {
    if (evaluator.has_failed()) return {};
    Value result =
        filter != nullptr ? evaluator.call_builtin(*filter, item, rest) : evaluator.attribute_path(item, *attribute);
    if (filter == nullptr && result.is_undefined() && otherwise != nullptr) result = *otherwise;
    evaluator.push(*mapped, result);
  }
  return evaluator.has_failed() ? Value() : Value::of(mapped);
}

/// select, reject and their siblings on an attribute: by a test's name, or by truth.
template <bool kKeeps, bool kHasAttribute>
Value select(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  const Arguments& all = *arguments.all;
  const std::size_t test_index = kHasAttribute ? 1 : 0;
  const List* from = items_if_true(evaluator, value);
  List* kept = evaluator.new_list(Flavor::generator);
  if (evaluator.has_failed()) return {};
  if (kHasAttribute && all.positional.empty()) return evaluator.fail("an attribute's name is missing");
  const Builtin* test = nullptr;
  if (all.positional.size() > test_index) {
    const std::string_view name = evaluator.to_text(all.positional[test_index]).view();
    test = find_test(name);
    if (test == nullptr) return evaluator.fail("no test is named {}", name);
  }
  const Arguments rest = rest_of(evaluator, all, test_index + 1);
  for (const Value& item : from->items) {
    if (evaluator.has_failed()) return {};
    const Value subject = kHasAttribute ? evaluator.attribute_path(item, all.positional[0]) : item;
    const bool is_chosen = is_true(test != nullptr ? evaluator.call_builtin(*test, subject, rest) : subject);
    if (is_chosen == kKeeps) evaluator.push(*kept, item);
  }
  return evaluator.has_failed() ? Value() : Value::of(kept);
}

Value attribute_of(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  // Unlike value.name, the filter sees methods only; keys of a mapping are not attributes.
  if (value.is_undefined()) return evaluator.fail_undefined(value);
  if (value.is_mapping()) return Value::undefined(evaluator.to_text(*arguments[0]));
  return evaluator.attribute(value, evaluator.to_text(*arguments[0]).view());
}

constexpr Builtin kFilters[] = {
    {"first", "", 0, first},
    {"last", "", 0, last},
    {"list", "", 0, to_list},
    {"reverse", "", 0, reverse},
    {"items", "", 0, items},
    {"sort", "reverse case_sensitive attribute", 0, sort},
    {"dictsort", "case_sensitive by reverse", 0, sort_mapping},
    {"unique", "case_sensitive attribute", 0, unique},
    {"min", "case_sensitive attribute", 0, extreme<Operator::less>},
    {"max", "case_sensitive attribute", 0, extreme<Operator::greater>},
    {"map", "*", 0, map},
    {"select", "*", 0, select<true, false>},
    {"reject", "*", 0, select<false, false>},
    {"selectattr", "*", 0, select<true, true>},
    {"rejectattr", "*", 0, select<false, true>},
    {"attr", "name", 1, attribute_of},
};

}  // namespace

const Builtin* find_sequence_filter(std::string_view name) noexcept { return find_in(kFilters, name); }

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
