// SPDX-License-Identifier: MIT
// Global functions, and where each kind of builtin is looked up.
#include "text/jinja/builtins.hpp"

#include "text/jinja/evaluator.hpp"
#include "text/jinja/time_format.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

namespace {

/// The sandbox of the published environment refuses longer ranges, too.
constexpr std::int64_t kLongestRange = 100000;

Value range(Evaluator& evaluator, const Value&, const Bound& arguments) noexcept {
  std::int64_t bounds[3] = {0, 0, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    if (arguments[i] == nullptr) continue;
    if (arguments[i]->is_undefined()) return evaluator.fail_undefined(*arguments[i]);
    if (!arguments[i]->is_integral()) return evaluator.fail("range() needs whole numbers");
    bounds[i] = arguments[i]->as_integer();
    constexpr std::int64_t kMost = std::int64_t{1} << 60;
    if (bounds[i] > kMost || bounds[i] < -kMost) return evaluator.fail("range() is too long");
  }
  if (arguments[1] == nullptr) {
    bounds[1] = bounds[0];
    bounds[0] = 0;
  }
  const std::int64_t step = bounds[2];
  if (step == 0) return evaluator.fail("range() cannot step by zero");
  const std::int64_t distance = step > 0 ? bounds[1] - bounds[0] : bounds[0] - bounds[1];
  const std::int64_t width = step > 0 ? step : -step;
  const std::int64_t n = distance > 0 ? (distance - 1) / width + 1 : 0;
  if (n > kLongestRange) return evaluator.fail("range() of {} items is longer than {}", n, kLongestRange);
  List* list = evaluator.new_list(Flavor::range);
  for (std::int64_t i = 0; i < n && !evaluator.has_failed(); ++i) {
    evaluator.push(*list, Value::of(bounds[0] + i * step));
  }
  return evaluator.has_failed() ? Value() : Value::of(list);
}

/// namespace(mapping, a=1) and dict(mapping, a=1).
Value make_mapping(Evaluator& evaluator, const Bound& arguments, Kind kind) noexcept {
  Mapping* mapping = evaluator.new_mapping();
  for (const Value& source : arguments.all->positional) {
    if (!source.is_mapping()) return evaluator.fail("expected a mapping, found {}", type_name(source));
    for (const Entry& entry : source.mapping->entries) {
      if (evaluator.has_failed() || !evaluator.set(*mapping, entry.key, entry.value)) return {};
    }
  }
  for (const NamedValue& named : arguments.all->named) {
    if (evaluator.has_failed() || !evaluator.set(*mapping, Value::of(Text(named.name)), named.value)) return {};
  }
  return evaluator.has_failed() ? Value() : Value::of(mapping, kind);
}

Value make_namespace(Evaluator& evaluator, const Value&, const Bound& arguments) noexcept {
  return make_mapping(evaluator, arguments, Kind::space);
}
Value make_dict(Evaluator& evaluator, const Value&, const Bound& arguments) noexcept {
  return make_mapping(evaluator, arguments, Kind::mapping);
}

Value raise_exception(Evaluator& evaluator, const Value&, const Bound& arguments) noexcept {
  return evaluator.refuse(evaluator.to_text(*arguments[0]).view());
}

Value strftime_now(Evaluator& evaluator, const Value&, const Bound& arguments) noexcept {
  if (!arguments[0]->is_string()) return evaluator.fail("strftime_now() needs a format");
  TextBuilder builder = evaluator.new_builder();
  const char unknown = write_time(builder, arguments[0]->text.view(), evaluator.unix_seconds());
  if (unknown != '\0') return evaluator.fail("strftime_now() does not know %{}", unknown);
  return evaluator.finish(builder);
}

constexpr Builtin kFunctions[] = {
    {"range", "start stop step", 1, range},
    {"namespace", "*", 0, make_namespace},
    {"dict", "*", 0, make_dict},
    {"raise_exception", "message", 1, raise_exception},
    {"strftime_now", "format", 1, strftime_now},
};

}  // namespace

const Builtin* find_function(std::string_view name) noexcept { return find_in(kFunctions, name); }

const Builtin* find_filter(std::string_view name) noexcept {
  if (const Builtin* filter = find_text_filter(name); filter != nullptr) return filter;
  if (const Builtin* filter = find_number_filter(name); filter != nullptr) return filter;
  return find_sequence_filter(name);
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
