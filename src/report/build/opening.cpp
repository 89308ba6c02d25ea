#include "report/build/opening.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "report/build/opening_words.h"

namespace hone {
namespace {

// Quoted as all five languages take it.
std::string quoted(const std::string& text) { return Json(text).dump(-1); }

std::string uppercase(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string filled(std::string_view form, const std::map<std::string, std::string>& values) {
  std::string text;
  for (std::size_t at = 0; at < form.size();) {
    const std::size_t open = form.find("<<", at);
    text += form.substr(at, open - at);
    if (open == std::string_view::npos) break;
    const std::size_t close = form.find(">>", open);
    text += values.at(std::string(form.substr(open + 2, close - open - 2)));
    at = close + 2;
  }
  return text;
}

std::string line_of(const OpeningLanguage& language, const std::string& key,
                    const std::string& value) {
  for (const OpeningSetting& setting : opening_settings()) {
    if (setting.key != key) continue;
    for (const OpeningWord& word : setting.words) {
      if (word.word != value) continue;
      return filled(setting.lines[language.column],
                    {{"value", std::string(word.as[language.column])}});
    }
    return filled(setting.lines[language.column], {{"value", value}});
  }
  return filled(language.entry, {{"key", quoted(key)}, {"value", quoted(value)}});
}

// JavaScript takes all keys of ONNX Runtime's configuration in one object, by their first word.
std::string extra_of(const std::map<std::string, std::string>& options) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const auto& [key, value] : options) {
    const std::size_t dot = key.find('.');
    if (dot == std::string::npos) continue;
    groups[key.substr(0, dot)].push_back(quoted(key.substr(dot + 1)) + ": " + quoted(value));
  }
  std::vector<std::string> parts;
  for (const auto& [group, entries] : groups)
    parts.push_back(group + ": { " + join(entries, ", ") + " }");
  if (parts.empty()) return "";
  return "  // onnxruntime-node 1.26 takes these; 1.20 passes over them\n  extra: { " +
         join(parts, ", ") + " },\n";
}

// The options as a list in the language's own form.
std::string list_of(std::string_view form, const std::map<std::string, std::string>& options) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : options)
    parts.push_back(filled(form, {{"key", quoted(key)}, {"value", quoted(value)}}));
  return join(parts, ", ");
}

std::string ep_of(const OpeningLanguage& language, const Target& target,
                  const std::string& ep_name) {
  if (target.ep == "cpu") return "";
  const bool has_device = !target.device.empty() && target.device != "auto";
  const std::string device =
      has_device ? filled(language.device, {{"type", uppercase(target.device)}}) : "";
  return filled(target.options.empty() ? language.plain_ep : language.ep,
                {{"ep", quoted(ep_name)},
                 {"name", quoted(target.ep)},
                 {"device", device},
                 {"keys", list_of("<<key>>", target.options)},
                 {"values", list_of("<<value>>", target.options)},
                 {"options", list_of(language.ep_option, target.options)},
                 {"count", std::to_string(target.options.size())}});
}

std::string snippet(const OpeningLanguage& language, const Recipe& recipe,
                    const std::string& ep_name) {
  const SessionRecipe& session = recipe.session;
  std::string text(language.begin);
  text += ep_of(language, recipe.target, ep_name);
  if (session.threads > 0)
    text += line_of(language, "intra_op_num_threads", std::to_string(session.threads));
  for (const auto& [key, value] : session.options) text += line_of(language, key, value);
  if (language.entry.empty()) text += extra_of(session.options);
  text += recipe.target.ep == "cpu" ? language.end_on_cpu : language.end;
  return text;
}

}  // namespace

std::string words_beside_bytes(const Recipe& recipe) {
  std::vector<std::string> words;
  if (recipe.target.ep != "cpu") {
    const bool has_device = !recipe.target.device.empty() && recipe.target.device != "auto";
    words.push_back(recipe.target.ep + (has_device ? "/" + recipe.target.device : ""));
  }
  if (recipe.session.threads > 0)
    words.push_back("threads=" + std::to_string(recipe.session.threads));
  for (const auto* options : {&recipe.target.options, &recipe.session.options})
    for (const auto& [key, value] : *options) words.push_back(key + "=" + value);
  return join(words, ", ");
}

std::string describe_opening(const Recipe& recipe) {
  const std::string words = words_beside_bytes(recipe);
  if (words.empty()) return "";
  return "these bytes alone are not it: open them with " + words + "; " + opening_name +
         " has that to paste, in C, C++, C#, Python and JavaScript";
}

std::string opening_page(const Recipe& recipe, const std::string& ep_name) {
  std::string text =
      "# How to open model.onnx\n\n"
      "The bytes alone are not this build. It runs with `" +
      printable(words_beside_bytes(recipe)) +
      "`\n(`recipe.json`). hone opens this folder so by itself; an application says it:\n";
  for (const OpeningLanguage& language : opening_languages()) {
    text += "\n## " + std::string(language.title) + "\n\n```" + std::string(language.fence) + "\n" +
            snippet(language, recipe, ep_name) + "```\n";
    const bool needs_remark = recipe.target.ep != "cpu" && !language.ep_remark.empty();
    if (needs_remark) text += "\n" + std::string(language.ep_remark) + "\n";
  }
  if (recipe.target.ep != "cpu") {
    text +=
        "\nAn EP that is a plugin library is registered before, with "
        "`RegisterExecutionProviderLibrary`\n(Python: `register_execution_provider_library`).\n";
  }
  for (const OpeningRemark& remark : opening_remarks())
    if (recipe.session.options.contains(std::string(remark.key)))
      text += "\n" + std::string(remark.text) + "\n";
  return text;
}

}  // namespace hone
