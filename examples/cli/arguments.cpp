// SPDX-License-Identifier: MIT
#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace cli {

namespace {

const OptionSpec* find(const std::vector<OptionSpec>& specs, const std::string& word) {
  for (const OptionSpec& spec : specs) {
    if (word == spec.name || (!spec.short_name.empty() && word == spec.short_name)) return &spec;
  }
  return nullptr;
}

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

}  // namespace

Arguments::Arguments(const std::vector<OptionSpec>& specs, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_option(words[i])) {
      words_.push_back(words[i]);
      continue;
    }
    const std::size_t equals = words[i].starts_with("--") ? words[i].find('=') : std::string::npos;
    const std::string name = words[i].substr(0, equals);
    const OptionSpec* spec = find(specs, name);
    if (spec == nullptr) throw UsageError("unknown option " + name);
    if (spec->value.empty()) {
      if (equals != std::string::npos) throw UsageError(name + " takes no value");
      values_[spec->name] = "";
    } else if (equals != std::string::npos) {
      values_[spec->name] = words[i].substr(equals + 1);
    } else if (++i < words.size()) {
      values_[spec->name] = words[i];
    } else {
      throw UsageError(name + " needs a value: " + spec->value);
    }
  }
}

std::string Arguments::text(const std::string& name, const std::string& fallback) const {
  const auto found = values_.find(name);
  return found != values_.end() ? found->second : fallback;
}

std::uint64_t Arguments::whole(const std::string& name, std::uint64_t fallback, std::uint64_t least,
                               std::uint64_t most) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return fallback;
  const std::string& text = found->second;
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size() || value < least || value > most) {
    throw UsageError(name + " must be a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                     ", not '" + text + "'");
  }
  return value;
}

float Arguments::number(const std::string& name, float fallback) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return fallback;
  const std::string& text = found->second;
  float value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size() || !std::isfinite(value)) {
    throw UsageError(name + " must be a number, not '" + text + "'");
  }
  return value;
}

const std::string& Arguments::only_word(const std::string& what) const {
  if (words_.empty()) throw UsageError("missing " + what);
  if (words_.size() > 1) throw UsageError("one " + what + " expected, then found '" + words_[1] + "'");
  return words_[0];
}

std::string describe(const std::vector<OptionSpec>& specs) {
  std::vector<std::string> left;
  std::size_t width = 0;
  for (const OptionSpec& spec : specs) {
    std::string text = "  " + (spec.short_name.empty() ? "" : spec.short_name + ", ") + spec.name;
    if (!spec.value.empty()) text += " " + spec.value;
    width = std::max(width, text.size());
    left.push_back(std::move(text));
  }
  std::string lines;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    lines += left[i] + std::string(width + 2 - left[i].size(), ' ') + specs[i].help + "\n";
  }
  return lines;
}

}  // namespace cli
