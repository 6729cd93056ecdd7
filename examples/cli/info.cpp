// SPDX-License-Identifier: MIT
// loquat info: what a file holds, what it will cost, and what this machine can run it with.
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>

#include "common.hpp"

namespace cli {

namespace {

double mib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1024.0 * 1024.0); }

Json levels_json(loquat::Level in_use) {
  Json::Array list;
  for (const loquat::LevelInfo& level : loquat::levels()) {
    list.push_back(Json()
                       .set("name", level.name)
                       .set("built", level.is_built)
                       .set("available", level.is_available)
                       .set("in_use", level.level == in_use));
  }
  return list;
}

Json tensor_types_json(const loquat::Model& model) {
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> by_type;
  for (std::size_t i = 0; i < model.tensor_count(); ++i) {
    const loquat::TensorSummary tensor = model.tensor(i);
    auto& [count, bytes] = by_type[std::string(tensor.type)];
    ++count;
    bytes += tensor.bytes;
  }
  Json types;
  for (const auto& [name, sums] : by_type) {
    types.set(name, Json().set("tensors", sums.first).set("bytes", sums.second));
  }
  return types;
}

Json tokenizer_json(const loquat::Tokenizer& tokenizer) {
  const loquat::SpecialTokens& special = tokenizer.special_tokens();
  Json json;
  json.set("model", tokenizer.model_kind()).set("pre", tokenizer.pre_tokenizer());
  json.set("vocabulary", std::uint64_t{tokenizer.vocabulary_size()});
  json.set("bos", special.bos).set("eos", special.eos).set("unknown", special.unknown).set("padding", special.padding);
  json.set("add_bos", special.add_bos);
  return json.set("end_of_generation", to_json(tokenizer.end_of_generation()));
}

Json plan_json(const loquat::Plan& plan) {
  Json json;
  json.set("weights", plan.weights).set("tokenizer", plan.tokenizer).set("metadata", plan.metadata);
  json.set("cache_per_session", plan.cache_per_session).set("scratch_per_session", plan.scratch_per_session);
  return json.set("total", plan.total());
}

Json describe_model(const Arguments& arguments, const loquat::Model& model) {
  const loquat::ModelInfo& info = model.info();
  const loquat::SessionOptions session = session_options(arguments, model);
  const loquat::LoadOptions load = load_options(arguments);
  const std::string pre_tokenizer = arguments.text("--pre-tokenizer");
  const loquat::Plan plan = must(loquat::plan(arguments.only_word("model file"), {.context = session.context,
                                                                                  .chunk = session.chunk,
                                                                                  .threads = load.threads.count,
                                                                                  .layout = load.layout,
                                                                                  .use_mmap = load.use_mmap,
                                                                                  .cache_type = session.cache_type,
                                                                                  .pre_tokenizer = pre_tokenizer}),
                                 "plan");
  Json json;
  json.set("architecture", info.architecture).set("name", info.name).set("parameters", info.parameters);
  json.set("file_bytes", info.file_bytes).set("weight_bytes", info.weight_bytes);
  json.set("layers", info.layers).set("width", info.width).set("heads", info.heads).set("kv_heads", info.kv_heads);
  json.set("head_width", info.head_width).set("ffn_width", info.ffn_width).set("vocabulary", info.vocabulary);
  json.set("context_length", info.context_length).set("tensor_types", tensor_types_json(model));
  json.set("tokenizer", tokenizer_json(model.tokenizer()));
  json.set("chat_template", model.chat_template().empty() ? Json() : Json(model.chat_template()));
  json.set("plan", plan_json(plan)).set("memory", std::uint64_t{model.memory()});
  return json.set("levels", levels_json(model.level()));
}

void print(const Json& json) {
  const auto text = [&](const char* key) { return json[key].as_text(key).c_str(); };
  const auto whole = [](const Json& value) { return static_cast<long long>(value.as_whole("number")); };
  std::printf("%s (%s), %.1f M parameters\n", text("name"), text("architecture"),
              json["parameters"].as_number("parameters") / 1e6);
  std::printf(
      "layers %lld, width %lld, heads %lld over %lld key/value heads of %lld, ffn %lld, vocabulary %lld, trained for "
      "%lld tokens\n",
      whole(json["layers"]), whole(json["width"]), whole(json["heads"]), whole(json["kv_heads"]),
      whole(json["head_width"]), whole(json["ffn_width"]), whole(json["vocabulary"]), whole(json["context_length"]));
  std::printf("tensors: %s\n", json["tensor_types"].dump().c_str());
  std::printf("tokenizer: %s\n", json["tokenizer"].dump().c_str());
  std::printf("chat template: %s\n", json["chat_template"].is_null() ? "none" : "in the file");
  const Json& plan = json["plan"];
  std::printf(
      "memory: weights %.1f MiB, cache %.1f MiB, scratch %.1f MiB, tokenizer and header %.1f MiB; in all %.1f MiB\n",
      mib(static_cast<std::uint64_t>(whole(plan["weights"]))),
      mib(static_cast<std::uint64_t>(whole(plan["cache_per_session"]))),
      mib(static_cast<std::uint64_t>(whole(plan["scratch_per_session"]))),
      mib(static_cast<std::uint64_t>(whole(plan["tokenizer"]) + whole(plan["metadata"]))),
      mib(static_cast<std::uint64_t>(whole(plan["total"]))));
  for (const Json& level : json["levels"].as_array("levels")) {
    std::printf("level %-11s %s%s\n", level["name"].as_text("name").c_str(),
                level["available"].as_bool("available") ? "available"
                : level["built"].as_bool("built")       ? "built, but this machine lacks it"
                                                        : "not in this build",
                level["in_use"].as_bool("in_use") ? ", in use" : "");
  }
}

/// Logits of one short prompt at every available level against the reference level: all must be the same bits.
Json self_test(const Arguments& arguments) {
  const std::vector<std::size_t> numbers{1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144};
  std::vector<float> expected;
  Json::Array results;
  for (const loquat::LevelInfo& level : loquat::levels()) {
    if (!level.is_available) continue;
    const loquat::Model model = open_model(arguments, level.level);
    loquat::Session session = open_session(arguments, model);
    std::vector<loquat::Token> prompt;
    for (const std::size_t number : numbers) {
      if (prompt.size() == session.context()) break;
      prompt.push_back(static_cast<loquat::Token>(number % model.info().vocabulary));
    }
    must(session.append(prompt), "self-test");
    const auto logits = must(session.logits(), "self-test");
    if (expected.empty()) expected.assign(logits.begin(), logits.end());
    const bool is_same =
        logits.size() == expected.size() && std::memcmp(logits.data(), expected.data(), logits.size_bytes()) == 0;
    results.push_back(Json().set("name", level.name).set("same_bits", is_same));
  }
  return results;
}

int run(const Arguments& arguments) {
  if (arguments.has("--self-test")) {
    bool is_good = true;
    const Json results = self_test(arguments);
    for (const Json& result : results.as_array("levels")) is_good = is_good && result["same_bits"].as_bool("same_bits");
    if (arguments.has("--json")) {
      write_line(Json().set("self_test", results).set("passed", is_good));
    } else {
      for (const Json& result : results.as_array("levels")) {
        std::printf("level %-11s %s\n", result["name"].as_text("name").c_str(),
                    result["same_bits"].as_bool("same_bits") ? "same bits as the reference" : "OTHER BITS");
      }
    }
    return is_good ? 0 : 1;
  }
  const Json json = describe_model(arguments, open_model(arguments));
  if (arguments.has("--json")) {
    write_line(json);
  } else {
    print(json);
  }
  return 0;
}

}  // namespace

const Verb& info_verb() {
  static const Verb verb{
      "info", "info MODEL [--json] [--self-test]", "what the file holds, what it costs, which kernel levels there are",
      with_common_options(
          with_json_option({{"--self-test", "", "", "compare each available level with the reference, bit for bit"}})),
      &run};
  return verb;
}

}  // namespace cli
