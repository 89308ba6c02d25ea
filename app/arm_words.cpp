#include "app/arm_words.h"

#include "base/misuse.h"
#include "base/system_files.h"
#include "base/text.h"
#include "flow/given_model.h"

namespace hone::app {
namespace {

constexpr auto help = "hone help compare";
constexpr std::int64_t most_threads = 1024;  // as for --threads

// At commas. A backslash takes the next character as it is.
std::vector<std::string> split_pairs(std::string_view text) {
  std::vector<std::string> pairs(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',') {
      pairs.emplace_back();
      continue;
    }
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    pairs.back() += text[i];
  }
  return pairs;
}

// One "key=value" of an arm, put over what all arms have.
Status apply(const std::string& key, const std::string& value, CompareArm& arm) {
  const bool is_target = key == "ep" || key == "device" || key == "ort";
  if (value.empty() && is_target)
    return misuse("'" + printable(key) + "=' of an arm says nothing", "leave it out");
  if (key == "model") {
    arm.model = value;
  } else if (key == "recipe") {
    HONE_TRY(arm.recipe, load_recipe(value));
  } else if (key == "ep") {
    arm.ep = value;
  } else if (key == "device") {
    arm.device = value;
  } else if (key == "ort") {
    arm.ort = {value};
  } else if (key == "threads") {
    const auto threads = parse_number<std::int64_t>(value);
    if (!threads || *threads < 0 || *threads > most_threads)
      return misuse("an arm cannot have '" + printable(value) + "' threads",
                    "threads takes 0 to " + std::to_string(most_threads));
    arm.threads = *threads;
  } else if (key == "io") {
    arm.io_binding = value_named<IoBinding>(value);
    if (!arm.io_binding)
      return misuse("an arm cannot have io=" + printable(value), "io takes auto, device or none");
  } else if (key.starts_with("session.")) {
    arm.session_options[key.substr(8)] = value;
  } else if (key.starts_with("option.")) {
    arm.ep_options[key.substr(7)] = value;
  } else {
    return misuse("an arm has no key '" + printable(key) + "'",
                  "model, recipe, ep, device, ort, threads, io, session.KEY, option.KEY");
  }
  return done();
}

}  // namespace

Result<CompareArm> arm_of_word(const std::string& word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos || colon == 0)
    return misuse("'" + printable(word) + "' is no arm", "--arm NAME:model=FILE,key=value,...");
  CompareArm arm;
  arm.name = word.substr(0, colon);
  for (const std::string& pair : split_pairs(word.substr(colon + 1))) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos)
      return misuse(
          "'" + printable(pair) + "' of arm '" + printable(arm.name) + "' is no key=value", help);
    HONE_TRY_DO(apply(pair.substr(0, equals), pair.substr(equals + 1), arm));
  }
  if (arm.model.empty()) return misuse("arm '" + printable(arm.name) + "' names no model", help);
  return arm;
}

CompareArm arm_of_build(const std::string& model) {
  const Path given = Path(model).lexically_normal();
  CompareArm arm;
  arm.name = (given.has_filename() ? given : given.parent_path()).string();
  arm.model = model;
  return arm;
}

}  // namespace hone::app
