// SPDX-License-Identifier: MIT
// Methods of strings, as Python's.
#include "text/jinja/characters.hpp"
#include "text/jinja/evaluator.hpp"
#include "text/jinja/text_functions.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

namespace {

template <Case kCase>
Value with_case(Evaluator& evaluator, const Value& object, const Bound&) noexcept {
  return change_case(evaluator, object.text, kCase);
}

template <bool kFront, bool kEnd>
Value stripped(Evaluator&, const Value& object, const Bound& arguments) noexcept {
  return Value::of(strip(object.text, arguments[0], kFront, kEnd));
}

/// A text, or one of a tuple of texts, at the front or the end.
template <bool kFront>
Value has_affix(Evaluator& evaluator, const Value& object, const Bound& arguments) noexcept {
  const auto matches = [&](const Value& affix) {
    const std::string_view text = object.text.view();
    return kFront ? text.starts_with(affix.text.view()) : text.ends_with(affix.text.view());
  };
  const Value& affix = *arguments[0];
  if (affix.is_string()) return Value::of(matches(affix));
  if (!affix.is_list() || affix.list->flavor != Flavor::tuple) {
    return evaluator.fail("{}() needs a string or a tuple, found {}", kFront ? "startswith" : "endswith",
                          type_name(affix));
  }
  for (const Value& item : affix.list->items) {
    if (item.is_string() && matches(item)) return Value::of(true);
  }
  return Value::of(false);
}

template <bool kFront>
Value without_affix(Evaluator& evaluator, const Value& object, const Bound& arguments) noexcept {
  const Value is_there = has_affix<kFront>(evaluator, object, arguments);
  if (evaluator.has_failed() || !is_true(is_there) || !arguments[0]->is_string()) return object;
  const std::size_t n = arguments[0]->text.size;
  return Value::of(kFront ? object.text.slice(n, object.text.size) : object.text.slice(0, object.text.size - n));
}

/// Without a separator: words between runs of white space.
Value split_words(Evaluator& evaluator, const Text& text, std::int64_t most) noexcept {
  List* words = evaluator.new_list();
  std::size_t at = leading_space(text.view());
  while (at < text.size && !evaluator.has_failed()) {
    std::size_t end = at;
    if (most == 0) {
      end = text.size - trailing_space(text.view());
    } else {
      while (end < text.size && leading_space(text.view().substr(end)) == 0) {
        end += first_code_point(text.view().substr(end)).bytes;
      }
    }
    evaluator.push(*words, Value::of(text.slice(at, end)));
    at = end + leading_space(text.view().substr(end));
    --most;
  }
  return evaluator.has_failed() ? Value() : Value::of(words);
}

Value split(Evaluator& evaluator, const Value& object, const Bound& arguments) noexcept {
  const Text& text = object.text;
  const std::int64_t most = integer_argument(evaluator, arguments[1], -1);
  if (arguments[0] == nullptr || arguments[0]->kind == Kind::none) return split_words(evaluator, text, most);
  if (!arguments[0]->is_string() || arguments[0]->text.size == 0) return evaluator.fail("split() needs a separator");
  const std::string_view separator = arguments[0]->text.view();
  List* parts = evaluator.new_list();
  std::size_t at = 0;
  for (std::int64_t i = 0; i != most && !evaluator.has_failed(); ++i) {
    const std::size_t found = text.view().find(separator, at);
    if (found == std::string_view::npos) break;
    evaluator.push(*parts, Value::of(text.slice(at, found)));
    at = found + separator.size();
  }
  if (!evaluator.has_failed()) evaluator.push(*parts, Value::of(text.slice(at, text.size)));
  return evaluator.has_failed() ? Value() : Value::of(parts);
}

/// From the right; with a separator only.
Value split_right(Evaluator& evaluator, const Value& object, const Bound& arguments) noexcept {
  const std::int64_t most = integer_argument(evaluator, arguments[1], -1);
  if (most < 0) return split(evaluator, object, arguments);
  if (arguments[0] == nullptr || !arguments[0]->is_string() || arguments[0]->text.size == 0) {
    return evaluator.fail("rsplit() with a limit needs a separator");
  }
  const std::string_view separator = arguments[0]->text.view();
  List* backwards = evaluator.new_list();
  std::size_t end = object.text.size;
  for (std::int64_t i = 0; i < most && !evaluator.has_failed(); ++i) {
    const std::size_t found = object.text.view().substr(0, end).rfind(separator);
    if (found == std::string_view::npos) break;
    evaluator.push(*backwards, Value::of(object.text.slice(found + separator.size(), end)));
    end = found;
  }
  if (!evaluator.has_failed()) evaluator.push(*backwards, Value::of(object.text.slice(0, end)));
  List* parts = evaluator.new_list();
  for (std::size_t i = evaluator.has_failed() ? 0 : backwards->items.size(); i-- > 0;) {
    if (!evaluator.push(*parts, backwards->items[i])) break;
  }
  return evaluator.has_failed() ? Value() : Value::of(parts);
}

Value lines(Evaluator& evaluator, const Value& object, const Bound&) noexcept {
  List* list = split_lines(evaluator, object.text);
  return list == nullptr ? Value() : Value::of(list);
}

Value replace(Evaluator& evaluator, const Value& object, const Bound& arguments) noexcept {
  if (!arguments[0]->is_string() || !arguments[1]->is_string()) return evaluator.fail("replace() needs two strings");
  return replace_all(evaluator, object.text, arguments[0]->text, arguments[1]->text,
                     integer_argument(evaluator, arguments[2], -1));
}

Value join(Evaluator& evaluator, const Value& object, const Bound& arguments) noexcept {
  const List* items = evaluator.to_items(*arguments[0]);
  TextBuilder builder = evaluator.new_builder();
  for (std::size_t i = 0; items != nullptr && i < items->items.size(); ++i) {
    if (!items->items[i].is_string()) {
      return evaluator.fail("join(): expected strings, found {}", type_name(items->items[i]));
    }
    if (i > 0) builder.append(object.text);
    builder.append(items->items[i].text);
  }
  return evaluator.has_failed() ? Value() : evaluator.finish(builder);
}

template <bool kFromRight>
Value find(Evaluator& evaluator, const Value& object, const Bound& arguments) noexcept {
  if (!arguments[0]->is_string()) return evaluator.fail("find() needs a string");
  const std::string_view text = object.text.view();
  const std::size_t at = kFromRight ? text.rfind(arguments[0]->text.view()) : text.find(arguments[0]->text.view());
  if (at == std::string_view::npos) return Value::of(std::int64_t{-1});
  return Value::of(count_code_points(text.substr(0, at)));
}

Value index(Evaluator& evaluator, const Value& object, const Bound& arguments) noexcept {
  const Value at = find<false>(evaluator, object, arguments);
  if (!evaluator.has_failed() && at.integer < 0) return evaluator.fail("index(): the text does not occur");
  return at;
}

Value count(Evaluator& evaluator, const Value& object, const Bound& arguments) noexcept {
  if (!arguments[0]->is_string() || arguments[0]->text.size == 0) return evaluator.fail("count() needs a text");
  const std::string_view wanted = arguments[0]->text.view();
  std::size_t n = 0;
  for (std::size_t at = object.text.view().find(wanted); at != std::string_view::npos; ++n) {
    at = object.text.view().find(wanted, at + wanted.size());
  }
  return Value::of(n);
}

bool is_digit_code(std::uint32_t c) noexcept { return c - '0' < 10; }
bool is_letter_code(std::uint32_t c) noexcept { return (c | 32u) - 'a' < 26u; }
bool is_letter_or_digit(std::uint32_t c) noexcept { return is_digit_code(c) || is_letter_code(c); }

/// isdigit() and its kin: all characters, and at least one.
template <bool (*kClaim)(std::uint32_t) noexcept, bool kKnowsAll>
Value all_are(Evaluator& evaluator, const Value& object, const Bound&) noexcept {
  for (std::size_t i = 0; i < object.text.size;) {
    const CodePoint c = first_code_point(object.text.view().substr(i));
    if (!kKnowsAll && c.value >= 0x80) return evaluator.fail("kinds of characters beyond ASCII are not supported");
    if (!kClaim(c.value)) return Value::of(false);
    i += c.bytes;
  }
  return Value::of(object.text.size > 0);
}

template <char kOwn>
Value has_case(Evaluator& evaluator, const Value& object, const Bound&) noexcept {
  return evaluator.call_builtin(*find_test(kOwn == 'a' ? "lower" : "upper"), object, {});
}

constexpr Builtin kMethods[] = {
    {"upper", "", 0, with_case<Case::upper>},
    {"lower", "", 0, with_case<Case::lower>},
    {"capitalize", "", 0, with_case<Case::capitalized>},
    {"title", "", 0, with_case<Case::title>},
    {"strip", "chars", 0, stripped<true, true>},
    {"lstrip", "chars", 0, stripped<true, false>},
    {"rstrip", "chars", 0, stripped<false, true>},
    {"startswith", "prefix", 1, has_affix<true>},
    {"endswith", "suffix", 1, has_affix<false>},
    {"removeprefix", "prefix", 1, without_affix<true>},
    {"removesuffix", "suffix", 1, without_affix<false>},
    {"split", "sep maxsplit", 0, split},
    {"rsplit", "sep maxsplit", 0, split_right},
    {"splitlines", "", 0, lines},
    {"replace", "old new count", 2, replace},
    {"join", "iterable", 1, join},
    {"find", "sub", 1, find<false>},
    {"rfind", "sub", 1, find<true>},
    {"index", "sub", 1, index},
    {"count", "sub", 1, count},
    {"isdigit", "", 0, all_are<is_digit_code, false>},
    {"isalpha", "", 0, all_are<is_letter_code, false>},
    {"isalnum", "", 0, all_are<is_letter_or_digit, false>},
    {"isspace", "", 0, all_are<is_space, true>},
    {"islower", "", 0, has_case<'a'>},
    {"isupper", "", 0, has_case<'A'>},
};

}  // namespace

const Builtin* find_string_method(std::string_view name) noexcept { return find_in(kMethods, name); }

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
