// SPDX-License-Identifier: MIT
// Filters that give text.
#include "text/jinja/characters.hpp"
#include "text/jinja/evaluator.hpp"
#include "text/jinja/printing.hpp"
#include "text/jinja/text_functions.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

namespace {

template <Case kCase>
Value with_case(Evaluator& evaluator, const Value& value, const Bound&) noexcept {
  return change_case(evaluator, evaluator.to_text(value), kCase);
}

Value trim(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  return Value::of(strip(evaluator.to_text(value), arguments[0], true, true));
}

Value to_string(Evaluator& evaluator, const Value& value, const Bound&) noexcept {
  return Value::of(evaluator.to_text(value));
}

Value replace(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  const Text text = evaluator.to_text(value);
  const Text old_text = evaluator.to_text(*arguments[0]);
  const Text new_text = evaluator.to_text(*arguments[1]);
  const bool has_count = arguments[2] != nullptr && arguments[2]->kind != Kind::none;
  return replace_all(evaluator, text, old_text, new_text,
                     has_count ? integer_argument(evaluator, arguments[2], -1) : -1);
}

Value indent(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  Text width(std::string_view("    "));
  if (arguments[0] != nullptr && arguments[0]->is_string()) width = arguments[0]->text;
  if (arguments[0] != nullptr && arguments[0]->is_integral()) {
    width =
        evaluator.to_text(evaluator.binary(Operator::multiply, Value::of(Text(std::string_view(" "))), *arguments[0]));
  }
  const bool first = arguments[1] != nullptr && is_true(*arguments[1]);
  const bool blank = arguments[2] != nullptr && is_true(*arguments[2]);
  if (!value.is_string()) return evaluator.fail("indent needs a string, found {}", type_name(value));
  TextBuilder with_end = evaluator.new_builder();
  with_end.append(value.text);
  with_end.push('\n');
  const Value text = evaluator.finish(with_end);
  const List* lines = evaluator.has_failed() ? nullptr : split_lines(evaluator, text.text);
  if (lines == nullptr) return {};
  TextBuilder builder = evaluator.new_builder();
  for (std::size_t i = 0; i < lines->items.size(); ++i) {
    if (i > 0) builder.push('\n');
    const Text& line = lines->items[i].text;
    if (i == 0 ? first : (line.size > 0 || blank)) builder.append(width);
    builder.append(line);
  }
  return evaluator.finish(builder);
}

Value join(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  const List* items = evaluator.to_items(value);
  if (items == nullptr) return {};
  const Text separator = arguments[0] == nullptr ? Text() : evaluator.to_text(*arguments[0]);
  TextBuilder builder = evaluator.new_builder();
  for (std::size_t i = 0; i < items->items.size() && !evaluator.has_failed(); ++i) {
    if (i > 0) builder.append(separator);
    const Value& item = items->items[i];
    const bool has_attribute = arguments[1] != nullptr && arguments[1]->kind != Kind::none;
    builder.append(evaluator.to_text(has_attribute ? evaluator.attribute_path(item, *arguments[1]) : item));
  }
  return evaluator.has_failed() ? Value() : evaluator.finish(builder);
}

Value escape(Evaluator& evaluator, const Value& value, const Bound&) noexcept {
  return escape_markup(evaluator, evaluator.to_text(value));
}

Value safe(Evaluator& evaluator, const Value& value, const Bound&) noexcept {
  Text text = evaluator.to_text(value);
  text.is_markup = true;
  return Value::of(text);
}

JsonStyle json_style(Evaluator& evaluator, const Bound& arguments) noexcept {
  JsonStyle style;
  style.is_ascii = arguments[0] != nullptr && is_true(*arguments[0]);
  if (arguments[1] != nullptr && arguments[1]->kind != Kind::none) {
    style.is_indented = true;
    style.item_separator = Text(std::string_view(","));
    style.indent = arguments[1]->is_string()
                       ? arguments[1]->text
                       : evaluator.to_text(evaluator.binary(Operator::multiply, Value::of(Text(std::string_view(" "))),
                                                            *arguments[1]));
  }
  if (arguments[2] != nullptr && arguments[2]->kind != Kind::none) {
    const List* separators = evaluator.to_items(*arguments[2]);
    if (separators == nullptr || separators->items.size() != 2) {
      evaluator.fail("separators needs two texts");
    } else {
      style.item_separator = evaluator.to_text(separators->items[0]);
      style.key_separator = evaluator.to_text(separators->items[1]);
    }
  }
  style.sorts_keys = arguments[3] != nullptr && is_true(*arguments[3]);
  return style;
}

Value to_json(Evaluator& evaluator, const Value& value, const Bound& arguments) noexcept {
  const JsonStyle style = json_style(evaluator, arguments);
  TextBuilder builder = evaluator.new_builder();
  if (evaluator.has_failed()) return {};
  if (!write_json(builder, value, style) && !builder.has_failed()) {
    return evaluator.fail("an object of type {} has no JSON", type_name(value));
  }
  return evaluator.finish(builder);
}

constexpr Builtin kFilters[] = {
    {"upper", "", 0, with_case<Case::upper>},
    {"lower", "", 0, with_case<Case::lower>},
    {"capitalize", "", 0, with_case<Case::capitalized>},
    {"title", "", 0, with_case<Case::title_of_words>},
    {"trim", "chars", 0, trim},
    {"string", "", 0, to_string},
    {"replace", "old new count", 2, replace},
    {"indent", "width first blank", 0, indent},
    {"join", "d attribute", 0, join},
    {"escape", "", 0, escape},
    {"e", "", 0, escape},
    {"safe", "", 0, safe},
    {"tojson", "ensure_ascii indent separators sort_keys", 0, to_json},
};

}  // namespace

const Builtin* find_text_filter(std::string_view name) noexcept { return find_in(kFilters, name); }

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
