// SPDX-License-Identifier: MIT
#include "text/jinja/text_functions.hpp"

#include "text/jinja/characters.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

namespace {

bool begins_word(std::uint32_t c) noexcept {
  return is_space(c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<';
}

}  // namespace

Value change_case(Evaluator& evaluator, const Text& text, Case wanted) noexcept {
  TextBuilder builder = evaluator.new_builder();
  bool is_in_word = false;
  for (std::size_t i = 0; i < text.size;) {
    const CodePoint c = first_code_point(text.view().substr(i));
    if (has_unknown_case(c.value)) return evaluator.fail("case of characters beyond ASCII is not supported");
    const bool is_letter = (c.value | 32u) - 'a' < 26u;
    const bool is_title = wanted == Case::title || wanted == Case::title_of_words;
    const bool is_upper = wanted == Case::upper || (wanted == Case::capitalized && i == 0) || (is_title && !is_in_word);
    if (is_letter) {
      const char changed = is_upper ? to_upper(text.data[i]) : to_lower(text.data[i]);
      const bool is_content = text.origins != nullptr ? text.origins[i] != 0 : text.is_content;
      builder.push(changed, is_content);
    } else {
      builder.append(text.slice(i, i + c.bytes));
    }
    is_in_word = wanted == Case::title ? is_letter : !begins_word(c.value);
    i += c.bytes;
  }
  Value changed = evaluator.finish(builder);
  if (changed.is_string()) changed.text.is_markup = text.is_markup;
  return changed;
}

Value escape_markup(Evaluator& evaluator, const Text& text) noexcept {
  if (text.is_markup) return Value::of(text);
  TextBuilder builder = evaluator.new_builder();
  for (std::size_t i = 0; i < text.size; ++i) {
    switch (text.data[i]) {
      case '&': builder.append("&amp;"); break;
      case '<': builder.append("&lt;"); break;
      case '>': builder.append("&gt;"); break;
      case '\'': builder.append("&#39;"); break;
      case '"': builder.append("&#34;"); break;
      default: builder.append(text.slice(i, i + 1));
    }
  }
  Value escaped = evaluator.finish(builder);
  if (escaped.is_string()) escaped.text.is_markup = true;
  return escaped;
}

Text strip(const Text& text, const Value* characters, bool at_front, bool at_end) noexcept {
  std::size_t begin = 0;
  std::size_t end = text.size;
  if (characters == nullptr || !characters->is_string()) {
    if (at_front) begin = leading_space(text.view());
    if (at_end) end -= trailing_space(text.view().substr(begin));
    return text.slice(begin, end);
  }
  const std::string_view set = characters->text.view();
  const auto is_in_set = [&](std::size_t at, std::size_t n) {
    for (std::size_t i = 0; i < set.size(); i += first_code_point(set.substr(i)).bytes) {
      if (set.substr(i, first_code_point(set.substr(i)).bytes) == text.view().substr(at, n)) return true;
    }
    return false;
  };
  while (at_front && begin < end) {
    const std::size_t n = first_code_point(text.view().substr(begin)).bytes;
    if (!is_in_set(begin, n)) break;
    begin += n;
  }
  while (at_end && end > begin) {
    std::size_t n = 1;
    while (n < 4 && end - n > begin && (static_cast<unsigned char>(text.data[end - n]) & 0xC0u) == 0x80u) ++n;
    if (!is_in_set(end - n, n)) break;
    end -= n;
  }
  return text.slice(begin, end);
}

Value replace_all(Evaluator& evaluator, const Text& text, const Text& old_text, const Text& new_text,
                  std::int64_t count) noexcept {
  TextBuilder builder = evaluator.new_builder();
  std::size_t at = 0;
  if (old_text.size == 0) {  // between all characters and at both ends
    for (; count != 0 && !builder.has_failed(); --count) {
      builder.append(new_text);
      if (at >= text.size) break;
      const std::size_t n = first_code_point(text.view().substr(at)).bytes;
      builder.append(text.slice(at, at + n));
      at += n;
    }
  } else {
    for (; count != 0 && !builder.has_failed(); --count) {
      const std::size_t found = text.view().find(old_text.view(), at);
      if (found == std::string_view::npos) break;
      builder.append(text.slice(at, found));
      builder.append(new_text);
      at = found + old_text.size;
    }
  }
  builder.append(text.slice(at, text.size));
  return evaluator.finish(builder);
}

List* split_lines(Evaluator& evaluator, const Text& text) noexcept {
  List* lines = evaluator.new_list();
  std::size_t begin = 0;
  while (begin < text.size && !evaluator.has_failed()) {
    std::size_t end = begin;
    std::size_t next = begin;
    while (next == end && end < text.size) {
      const CodePoint c = first_code_point(text.view().substr(end));
      const bool is_break = (c.value >= 0x0A && c.value <= 0x0D) || (c.value >= 0x1C && c.value <= 0x1E) ||
                            c.value == 0x85 || c.value == 0x2028 || c.value == 0x2029;
      next = end + c.bytes;
      if (!is_break) {
        end = next;
      } else if (c.value == '\r' && next < text.size && text.data[next] == '\n') {
        ++next;
      }
    }
    evaluator.push(*lines, Value::of(text.slice(begin, end)));
    begin = next;
  }
  return evaluator.has_failed() ? nullptr : lines;
}

std::int64_t integer_argument(Evaluator& evaluator, const Value* argument, std::int64_t fallback) noexcept {
  if (argument == nullptr || evaluator.has_failed()) return fallback;
  if (argument->is_integral()) return argument->as_integer();
  evaluator.fail("expected a whole number, found {}", type_name(*argument));
  return fallback;
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
