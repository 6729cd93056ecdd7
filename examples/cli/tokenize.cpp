// SPDX-License-Identifier: MIT
// loquat tokenize: lines of texts to ids, or back with --decode.
#include "common.hpp"

namespace cli {

namespace {

Json encode_line(const loquat::Tokenizer& tokenizer, const Json& line) {
  const std::string text = line.has("text_b64") ? base64_decode(line["text_b64"].as_text("text_b64"))
                                                : line["text"].as_text("text or text_b64");
  loquat::EncodeOptions options;
  if (line.has("parse_special") && line["parse_special"].as_bool("parse_special")) {
    options.special = loquat::Special::tokens;
  }
  if (line.has("add_special") && line["add_special"].as_bool("add_special")) {
    options.add_bos = tokenizer.special_tokens().add_bos;
    options.add_eos = tokenizer.special_tokens().add_eos;
  }
  if (line.has("normalize")) options.normalize = line["normalize"].as_bool("normalize");
  return Json().set("ids", to_json(must(tokenizer.encode(text, options), "encoding")));
}

Json decode_line(const loquat::Tokenizer& tokenizer, const Json& line) {
  loquat::DecodeOptions options{.show_special = true};
  if (line.has("show_special")) options.show_special = line["show_special"].as_bool("show_special");
  const loquat::String text = must(tokenizer.decode(tokens_of(line["ids"], "ids"), options), "decoding");
  return Json().set("text_b64", base64_encode(text));
}

/// The file need not hold a model: a vocabulary will do.
loquat::Tokenizer open_tokenizer(const Arguments& arguments) {
  const std::string& path = arguments.only_word("model file");
  const std::string pre_tokenizer = arguments.text("--pre-tokenizer");
  loquat::LoadOptions options = load_options(arguments);
  options.pre_tokenizer = pre_tokenizer;
  return must_load(loquat::load_tokenizer(path, options), path);
}

int run(const Arguments& arguments) {
  const loquat::Tokenizer tokenizer = open_tokenizer(arguments);
  const bool is_decoding = arguments.has("--decode");
  return answer_lines([&](const std::string& line) {
    return is_decoding ? decode_line(tokenizer, Json::parse(line)) : encode_line(tokenizer, Json::parse(line));
  });
}

}  // namespace

const Verb& tokenize_verb() {
  static const Verb verb{
      "tokenize", "tokenize MODEL [--decode] < LINES",
      R"(reads lines {"text_b64" or "text", "parse_special", "add_special"}, writes {"ids"} or {"error"}; --decode: {"ids"} to {"text_b64"})",
      with_common_options(with_json_option({{"--decode", "", "", "ids to text"}})), &run};
  return verb;
}

}  // namespace cli
