#include "report/search/repeat.h"

#include <cstdio>
#include <vector>

#include "base/text.h"

namespace hone {
namespace {

std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == ',' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

// --ort and --ep-library, where they are no choice among several.
void add_runtime(const Host& host, std::vector<std::string>& words) {
  if (host.ort.size() == 1) words.insert(words.end(), {"--ort", host.ort.front()});
  for (const auto& [name, path] : host.ep_libraries)
    words.insert(words.end(), {"--ep-library", name + "=" + path});
}

}  // namespace

std::string word_of_arm(const std::string& name, const std::string& model, const Recipe& recipe) {
  std::string word = name + ":model=" + escaped(model) + ",ep=" + escaped(recipe.target.ep) +
                     ",device=" + escaped(recipe.target.device);
  if (recipe.session.threads > 0) word += ",threads=" + std::to_string(recipe.session.threads);
  for (const auto& [key, value] : recipe.session.options)
    word += ",session." + escaped(key) + "=" + escaped(value);
  for (const auto& [key, value] : recipe.target.options)
    word += ",option." + escaped(key) + "=" + escaped(value);
  return word;
}

std::string line_of_build(const std::string& model, const std::string& recipe) {
  return to_shell(std::vector<std::string>{"hone", "build", model, "-c", recipe, "-o", "build"});
}

std::string line_of_compare(const RepeatedRace& race) {
  std::vector<std::string> words = {"hone", "compare"};
  for (const SearchArm* arm : {&race.baseline, &race.champion}) {
    const std::string name = arm == &race.baseline ? "baseline" : "champion";
    words.insert(words.end(),
                 {"--arm", word_of_arm(name, arm->built->model, arm->hypothesis.recipe)});
  }
  char percent[32];
  std::snprintf(percent, sizeof percent, "%g", race.margin * 100);
  words.insert(words.end(), {"--margin", percent, "--seed", std::to_string(race.seed)});
  if (!race.input_data.empty()) words.insert(words.end(), {"--input-data", race.input_data});
  if (!race.shape_config.empty()) words.insert(words.end(), {"--shape-config", race.shape_config});
  add_runtime(race.host, words);
  return to_shell(words);
}

}  // namespace hone
