// SPDX-License-Identifier: MIT
// loquat render: chat templates with any variables.
#include <optional>

#include "common.hpp"

namespace cli {

namespace {

/// Behind the string that begins at `at` (a quote).
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

/// Behind the JSON value that begins at `at`, in text that is known to be JSON.
std::size_t skip_value(std::string_view text, std::size_t at) {
  int depth = 0;
  do {
    if (text[at] == '"') {
      at = skip_string(text, at);
    } else {
      depth += text[at] == '{' || text[at] == '[' ? 1 : text[at] == '}' || text[at] == ']' ? -1 : 0;
      ++at;
    }
  } while (at < text.size() && (depth > 0 || (text[at] != ',' && text[at] != '}' && text[at] != ']')));
  return at;
}

/// The text of a member as it stands in the line: numbers keep their spelling (1.0 is not 1 to a template).
std::string_view raw_member(std::string_view object, std::string_view wanted) {
  std::string_view found;
  constexpr std::string_view kBlank = " \t\r\n";
  for (std::size_t at = object.find('"'); at < object.size(); at = object.find('"', at)) {
    const std::size_t key_end = skip_string(object, at);
    const bool is_wanted = object.substr(at + 1, key_end - at - 2) == wanted;
    const std::size_t begin = object.find_first_not_of(kBlank, object.find(':', key_end) + 1);
    at = skip_value(object, begin);
    if (is_wanted) found = object.substr(begin, at - begin);
  }
  return found;
}

std::string template_of(const Arguments& arguments, const Json& line) {
  if (arguments.has("--template")) return read_file(arguments.text("--template"));
  return read_file(arguments.text("--template-dir") + "/" + line["template"].as_text("template"));
}

Json render_line(const Arguments& arguments, const loquat::Model* model, const std::string& text) {
  const Json line = Json::parse(text);
  if (!line["context"].is_object()) throw Failure("a line needs an object as its member context");
  // Only what the line says: no head of an answer unless its context asks for one.
  loquat::RenderOptions options{.add_generation_prompt = false, .variables = raw_member(text, "context")};
  if (arguments.has("--now")) {
    options.unix_seconds = static_cast<std::int64_t>(arguments.whole("--now", 0, 0, std::uint64_t{1} << 40));
  }
  const auto rendered = model != nullptr ? loquat::render_chat(*model, {}, options)
                                         : loquat::render_chat(template_of(arguments, line), {}, options);
  if (rendered) return Json().set("text", rendered->view());
  return Json().set("error", rendered.error().message()).set("code", loquat::to_string(rendered.code()));
}

int run(const Arguments& arguments) {
  const int n_sources = arguments.has("--model") + arguments.has("--template") + arguments.has("--template-dir");
  if (n_sources != 1) throw UsageError("render needs one of --model, --template, --template-dir");
  if (!arguments.words().empty()) throw UsageError("render takes no word '" + arguments.words()[0] + "'");
  std::optional<loquat::Model> model;
  if (arguments.has("--model")) {
    const std::string path = arguments.text("--model");
    model = must_load(loquat::Model::load(path, {.layout = loquat::WeightLayout::file}), path);
  }
  return answer_lines([&](const std::string& line) { return render_line(arguments, model ? &*model : nullptr, line); });
}

}  // namespace

const Verb& render_verb() {
  static const Verb verb{
      "render",
      "render (--model MODEL | --template FILE | --template-dir FOLDER) < LINES",
      R"(reads lines {"context"} (with --template-dir: {"template", "context"}), writes {"text"} or {"error", "code"})",
      {{"--model", "", "MODEL", "a model file, whose template is used"},
       {"--template", "", "FILE", "a Jinja template"},
       {"--template-dir", "", "FOLDER", "where the files lie that the lines name"},
       {"--now", "", "SECONDS", "the time that templates see, since 1970 in UTC (default: the clock)"},
       {"--json", "", "", "as always here"},
       {"--help", "-h", "", "this text"}},
      &run};
  return verb;
}

}  // namespace cli
