// SPDX-License-Identifier: MIT
#include "text/jinja/value.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

namespace {

constexpr std::uint32_t kDeepestComparison = 200;

bool are_equal_lists(const List& a, const List& b, std::uint32_t depth) noexcept {
  if (&a == &b) return true;
  if (a.flavor != b.flavor || a.flavor == Flavor::generator || a.items.size() != b.items.size()) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!are_equal(a.items[i], b.items[i], depth + 1)) return false;
  }
  return true;
}

bool are_equal_mappings(const Mapping& a, const Mapping& b, std::uint32_t depth) noexcept {
  if (&a == &b) return true;
  if (a.entries.size() != b.entries.size()) return false;
  for (const Entry& entry : a.entries) {
    const Value* other = b.find(entry.key);
    if (other == nullptr || !are_equal(entry.value, *other, depth + 1)) return false;
  }
  return true;
}

}  // namespace

const Value* Mapping::find(const Value& key) const noexcept {
  for (const Entry& entry : entries) {
    if (are_equal(entry.key, key)) return &entry.value;
  }
  return nullptr;
}

const Value* Mapping::find(std::string_view key) const noexcept {
  for (const Entry& entry : entries) {
    if (entry.key.is_string() && entry.key.text.view() == key) return &entry.value;
  }
  return nullptr;
}

bool Mapping::set(Arena& arena, const Value& key, const Value& value) noexcept {
  for (Entry& entry : entries) {
    if (are_equal(entry.key, key)) {
      entry.value = value;
      return true;
    }
  }
  return entries.push(arena, {key, value});
}

bool is_true(const Value& value) noexcept {
  switch (value.kind) {
    case Kind::undefined:
    case Kind::none: return false;
    case Kind::boolean: return value.boolean;
    case Kind::integer: return value.integer != 0;
    case Kind::real: return value.real != 0;
    case Kind::string: return value.text.size != 0;
    case Kind::list: return value.list->flavor == Flavor::generator || !value.list->items.empty();
    case Kind::mapping: return !value.mapping->entries.empty();
    default: return true;
  }
}

bool are_equal(const Value& a, const Value& b, std::uint32_t depth) noexcept {
  if (depth > kDeepestComparison) return false;
  if (a.is_integral() && b.is_integral()) return a.as_integer() == b.as_integer();
  if (a.is_number() && b.is_number()) return a.as_real() == b.as_real();
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::undefined:
    case Kind::none: return true;
    case Kind::string: return a.text.view() == b.text.view();
    case Kind::list: return are_equal_lists(*a.list, *b.list, depth);
    case Kind::mapping: return are_equal_mappings(*a.mapping, *b.mapping, depth);
    case Kind::space: return a.mapping == b.mapping;
    case Kind::macro: return a.macro == b.macro;
    case Kind::function: return a.callable == b.callable;
    case Kind::loop: return a.loop == b.loop;
    default: return false;  // numbers were handled above
  }
}

std::string_view type_name(const Value& value) noexcept {
  switch (value.kind) {
    case Kind::undefined: return "undefined";
    case Kind::none: return "None";
    case Kind::boolean: return "bool";
    case Kind::integer: return "int";
    case Kind::real: return "float";
    case Kind::string: return "str";
    case Kind::list: break;
    case Kind::mapping: return "dict";
    case Kind::space: return "namespace";
    case Kind::macro: return "macro";
    case Kind::function: return "function";
    case Kind::loop: return "loop";
  }
  switch (value.list->flavor) {
    case Flavor::list: return "list";
    case Flavor::tuple: return "tuple";
    case Flavor::range: return "range";
    case Flavor::view: return "view";
    case Flavor::generator: return "generator";
  }
  return "list";
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
