// SPDX-License-Identifier: MIT
#include "text/jinja/printing.hpp"

#include <charconv>

#include "text/jinja/characters.hpp"

namespace loquat::inline LOQUAT_ABI::text::jinja {

namespace {

constexpr std::uint32_t kDeepest = 100;

bool is_content_at(const Text& text, std::size_t i) noexcept {
  return text.origins != nullptr ? text.origins[i] != 0 : text.is_content;
}

void write_hex(TextBuilder& out, std::string_view prefix, std::uint32_t value, int digits, bool is_content) noexcept {
  out.append(prefix, is_content);
  for (int i = digits - 1; i >= 0; --i) {
    out.push("0123456789abcdef"[(value >> (4 * i)) & 15u], is_content);
  }
}

/// What an escape in both repr and JSON writes after the backslash, or 0.
char short_escape(std::uint32_t c) noexcept {
  switch (c) {
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    case '\\': return '\\';
    default: return 0;
  }
}

void write_escape(TextBuilder& out, char c, bool is_content) noexcept {
  out.push('\\', is_content);
  out.push(c, is_content);
}

void write_string_repr(TextBuilder& out, const Text& text) noexcept {
  const std::string_view view = text.view();
  const bool has_single = view.find('\'') != std::string_view::npos;
  const char quote = has_single && view.find('"') == std::string_view::npos ? '"' : '\'';
  out.push(quote);
  for (std::size_t i = 0; i < view.size();) {
    const CodePoint c = first_code_point(view.substr(i));
    const bool is_content = is_content_at(text, i);
    if (const char escape = short_escape(c.value); escape != 0) {
      write_escape(out, escape, is_content);
    } else if (c.value == static_cast<unsigned char>(quote)) {
      write_escape(out, quote, is_content);
    } else if (is_printable(c.value)) {
      out.append(text.slice(i, i + c.bytes));
    } else if (c.value < 0x100) {
      write_hex(out, "\\x", c.value, 2, is_content);
    } else if (c.value < 0x10000) {
      write_hex(out, "\\u", c.value, 4, is_content);
    } else {
      write_hex(out, "\\U", c.value, 8, is_content);
    }
    i += c.bytes;
  }
  out.push(quote);
}

bool write_list_repr(TextBuilder& out, const List& list, std::uint32_t depth) noexcept {
  if (list.flavor == Flavor::generator || list.flavor == Flavor::view) return false;
  if (list.flavor == Flavor::range) {  // only what range(n) and range(a, b) give can be told from the items
    return false;
  }
  const bool is_tuple = list.flavor == Flavor::tuple;
  out.push(is_tuple ? '(' : '[');
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    if (i > 0) out.append(", ");
    if (!write_repr(out, list.items[i], depth + 1)) return false;
  }
  if (is_tuple && list.items.size() == 1) out.push(',');
  out.push(is_tuple ? ')' : ']');
  return true;
}

bool write_mapping_repr(TextBuilder& out, const Mapping& mapping, std::uint32_t depth) noexcept {
  out.push('{');
  for (std::size_t i = 0; i < mapping.entries.size(); ++i) {
    if (i > 0) out.append(", ");
    if (!write_repr(out, mapping.entries[i].key, depth + 1)) return false;
    out.append(": ");
    if (!write_repr(out, mapping.entries[i].value, depth + 1)) return false;
  }
  out.push('}');
  return true;
}

}  // namespace

void write_integer(TextBuilder& out, std::int64_t value) noexcept {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  out.append(std::string_view(digits, static_cast<std::size_t>(end.ptr - digits)));
}

void write_real(TextBuilder& out, double value) noexcept {
  if (value != value) return out.append("nan");
  if (value - value != 0) return out.append(value > 0 ? "inf" : "-inf");
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
  std::string_view digits(text, static_cast<std::size_t>(end.ptr - text));  // [-]d[.ddd]e(+|-)dd
  if (digits.front() == '-') {
    out.push('-');
    digits.remove_prefix(1);
  }
  const std::size_t mark = digits.find('e');
  int exponent = 0;
  std::from_chars(digits.data() + mark + (digits[mark + 1] == '+' ? 2 : 1), digits.data() + digits.size(), exponent);
  const std::string_view first = digits.substr(0, 1);
  const std::string_view rest = mark > 2 ? digits.substr(2, mark - 2) : std::string_view();
  if (exponent < -4 || exponent >= 16) {
    out.append(first);
    if (!rest.empty()) out.push('.');
    out.append(rest);
    out.append(digits.substr(mark, 2));
    if (digits.size() - mark < 4) out.push('0');
    return out.append(digits.substr(mark + 2));
  }
  if (exponent < 0) {
    out.append("0.");
    for (int i = -1; i > exponent; --i) out.push('0');
    out.append(first);
    return out.append(rest);
  }
  const auto whole = static_cast<std::size_t>(exponent);
  out.append(first);
  out.append(rest.substr(0, whole));
  for (std::size_t i = rest.size(); i < whole; ++i) out.push('0');
  out.push('.');
  out.append(rest.size() > whole ? rest.substr(whole) : std::string_view("0"));
}

bool write_str(TextBuilder& out, const Value& value) noexcept {
  if (value.is_undefined()) return true;
  if (value.is_string()) {
    out.append(value.text);
    return true;
  }
  return write_repr(out, value);
}

bool write_repr(TextBuilder& out, const Value& value, std::uint32_t depth) noexcept {
  if (depth > kDeepest) return false;
  switch (value.kind) {
    case Kind::undefined: out.append("Undefined"); return true;
    case Kind::none: out.append("None"); return true;
    case Kind::boolean: out.append(value.boolean ? "True" : "False"); return true;
    case Kind::integer: write_integer(out, value.integer); return true;
    case Kind::real: write_real(out, value.real); return true;
    case Kind::string: write_string_repr(out, value.text); return true;
    case Kind::list: return write_list_repr(out, *value.list, depth);
    case Kind::mapping: return write_mapping_repr(out, *value.mapping, depth);
    default: return false;
  }
}

namespace {

void write_json_character(TextBuilder& out, const Text& text, std::size_t i, CodePoint c, bool is_ascii) noexcept {
  const bool is_content = is_content_at(text, i);
  if (c.value == '"' || short_escape(c.value) != 0) {
    write_escape(out, c.value == '"' ? '"' : short_escape(c.value), is_content);
  } else if (c.value == '\b' || c.value == '\f') {
    write_escape(out, c.value == '\b' ? 'b' : 'f', is_content);
  } else if (c.value < 0x20 || (is_ascii && c.value > 0x7E && c.value < 0x10000)) {
    if (c.value == 0x7F) return out.append(text.slice(i, i + 1));
    write_hex(out, "\\u", c.value, 4, is_content);
  } else if (is_ascii && c.value > 0xFFFF) {
    write_hex(out, "\\u", 0xD800u + ((c.value - 0x10000u) >> 10), 4, is_content);
    write_hex(out, "\\u", 0xDC00u + ((c.value - 0x10000u) & 0x3FFu), 4, is_content);
  } else {
    out.append(text.slice(i, i + c.bytes));
  }
}

void write_json_string(TextBuilder& out, const Text& text, bool is_ascii) noexcept {
  out.push('"');
  for (std::size_t i = 0; i < text.size;) {
    const CodePoint c = first_code_point(text.view().substr(i));
    write_json_character(out, text, i, c, is_ascii);
    i += c.bytes;
  }
  out.push('"');
}

void write_json_real(TextBuilder& out, double value) noexcept {
  if (value != value) return out.append("NaN");
  if (value - value != 0) return out.append(value > 0 ? "Infinity" : "-Infinity");
  write_real(out, value);
}

void break_line(TextBuilder& out, const JsonStyle& style, std::uint32_t depth) noexcept {
  if (!style.is_indented) return;
  out.push('\n');
  for (std::uint32_t i = 0; i < depth; ++i) out.append(style.indent);
}

bool write_json_key(TextBuilder& out, const Value& key, const JsonStyle& style) noexcept {
  if (key.is_string()) {
    write_json_string(out, key.text, style.is_ascii);
    return true;
  }
  if (!key.is_number() && key.kind != Kind::none) return false;
  out.push('"');
  const bool is_written = write_json(out, key, style, 0);
  out.push('"');
  return is_written;
}

bool write_json_list(TextBuilder& out, const List& list, const JsonStyle& style, std::uint32_t depth) noexcept {
  if (list.flavor != Flavor::list && list.flavor != Flavor::tuple) return false;
  out.push('[');
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    if (i > 0) out.append(style.item_separator);
    break_line(out, style, depth + 1);
    if (!write_json(out, list.items[i], style, depth + 1)) return false;
  }
  if (!list.items.empty()) break_line(out, style, depth);
  out.push(']');
  return true;
}

/// The entry that comes next in order of keys after `last` (null: the first), or null.
const Entry* next_by_key(const Mapping& mapping, const Entry* last) noexcept {
  const Entry* best = nullptr;
  for (const Entry& entry : mapping.entries) {
    if (last != nullptr && entry.key.text.view() <= last->key.text.view()) continue;
    if (best == nullptr || entry.key.text.view() < best->key.text.view()) best = &entry;
  }
  return best;
}

bool write_json_mapping(TextBuilder& out, const Mapping& mapping, const JsonStyle& style,
                        std::uint32_t depth) noexcept {
  out.push('{');
  const Entry* entry = nullptr;
  for (std::size_t i = 0; i < mapping.entries.size(); ++i) {
    if (style.sorts_keys && !mapping.entries[i].key.is_string()) return false;
    entry = style.sorts_keys ? next_by_key(mapping, entry) : &mapping.entries[i];
    if (i > 0) out.append(style.item_separator);
    break_line(out, style, depth + 1);
    if (entry == nullptr || !write_json_key(out, entry->key, style)) return false;
    out.append(style.key_separator);
    if (!write_json(out, entry->value, style, depth + 1)) return false;
  }
  if (!mapping.entries.empty()) break_line(out, style, depth);
  out.push('}');
  return true;
}

}  // namespace

bool write_json(TextBuilder& out, const Value& value, const JsonStyle& style, std::uint32_t depth) noexcept {
  if (depth > kDeepest) return false;
  switch (value.kind) {
    case Kind::none: out.append("null"); return true;
    case Kind::boolean: out.append(value.boolean ? "true" : "false"); return true;
    case Kind::integer: write_integer(out, value.integer); return true;
    case Kind::real: write_json_real(out, value.real); return true;
    case Kind::string: write_json_string(out, value.text, style.is_ascii); return true;
    case Kind::list: return write_json_list(out, *value.list, style, depth);
    case Kind::mapping: return write_json_mapping(out, *value.mapping, style, depth);
    default: return false;
  }
}

}  // namespace loquat::inline LOQUAT_ABI::text::jinja
