#include "app/arms.h"

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "flow/build.h"
#include "flow/given_model.h"
#include "flow/job.h"
#include "flow/where.h"
#include "kinds/ep.h"
#include "record/build.h"

namespace hone::app {
namespace {

Failure misuse(std::string what, std::string hint = "hone help compare") {
  return fail(Fault::bad_input, std::move(what), {}, std::move(hint));
}

constexpr std::int64_t most_threads = 1024;  // as for --threads

struct ArmWords {
  std::string model;
  std::string recipe;
};

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

std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == ',' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

// One "key=value" of an arm, put over what all arms have.
Status apply(const std::string& key, const std::string& value, Where& where, ArmWords& arm) {
  if (key == "model") {
    arm.model = value;
  } else if (key == "recipe") {
    arm.recipe = value;
  } else if (key == "ep") {
    where.ep = value;
  } else if (key == "device") {
    where.device = value;
  } else if (key == "ort") {
    where.host.ort = {value};
  } else if (key == "threads") {
    const auto threads = parse_number<std::int64_t>(value);
    if (!threads || *threads < 0 || *threads > most_threads)
      return misuse("an arm cannot have '" + printable(value) + "' threads",
                    "threads takes 0 to " + std::to_string(most_threads));
    where.threads = *threads;
  } else if (key.starts_with("session.")) {
    where.session_options[key.substr(8)] = value;
  } else if (key.starts_with("option.")) {
    where.ep_options[key.substr(7)] = value;
  } else {
    return misuse("an arm has no key '" + printable(key) + "'",
                  "model, recipe, ep, device, ort, threads, session.KEY, option.KEY");
  }
  return done();
}

// As it was given: a file, or a build folder and its recipe.
Result<GivenArm> arm_of_model(std::string name, const std::string& model, const Where& where) {
  HONE_TRY(const GivenModel given, find_model(model, where));
  GivenArm made;
  made.arm.name = std::move(name);
  HONE_TRY(made.arm.plan, plan_of(given));
  for (const std::string& note : given.notes) made.notes.push_back(made.arm.name + " " + note);
  return made;
}

// Builds the model by the recipe first. What the arm says besides is put over the recipe.
Result<GivenArm> arm_of_recipe(std::string name, const ArmWords& words, const Where& where,
                               const Path& builds) {
  HONE_TRY(const Path model, find_model_file(words.model));
  HONE_TRY(Recipe recipe, load_recipe(words.recipe));
  const Path folder = builds / sha256(name).hex();
  BuildOrder order;
  order.model = model.string();
  order.recipe = recipe;
  order.output = folder.string();
  order.must_compile = true;
  order.where.host = where.host;
  HONE_TRY_DO(run_apart(order, where.host.program));
  put_over(recipe, where);
  GivenArm made;
  made.arm.name = std::move(name);
  HONE_TRY(made.arm.plan, run_plan_of(recipe, where));
  made.arm.plan.model = (folder / "model.onnx").string();
  return made;
}

}  // namespace

Result<GivenArm> arm_of_word(const std::string& word, const Where& where, const Path& builds) {
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos || colon == 0)
    return misuse("'" + printable(word) + "' is no arm", "--arm NAME:model=FILE,key=value,...");
  const std::string name = word.substr(0, colon);
  Where own = where;
  ArmWords words;
  for (const std::string& pair : split_pairs(word.substr(colon + 1))) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos)
      return misuse("'" + printable(pair) + "' of arm '" + printable(name) + "' is no key=value");
    HONE_TRY_DO(apply(pair.substr(0, equals), pair.substr(equals + 1), own, words));
  }
  if (words.model.empty()) return misuse("arm '" + printable(name) + "' names no model");
  return words.recipe.empty() ? arm_of_model(name, words.model, own)
                              : arm_of_recipe(name, words, own, builds);
}

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

Result<GivenArm> arm_of_build(const std::string& model, const Where& where) {
  const Path given = Path(model).lexically_normal();
  return arm_of_model((given.has_filename() ? given : given.parent_path()).string(), model, where);
}

Result<std::vector<RaceArm>> arms_of_all_eps(const std::string& model, const Where& where) {
  HONE_TRY(const Path file, find_model_file(model));
  const SurveyRequest request = survey_request(where.host);
  HONE_TRY(const System system, survey_system(request, {}, [](const std::string&) {}));
  std::vector<RaceArm> arms;
  for (const EpStatus& ep : system.eps) {
    // Our own plugin library simulates a device, or only looks at graphs.
    const Ep* known = find_ep(ep.name);
    const bool is_ours =
        lowercase(ep.name).starts_with("hone") || (known != nullptr && known->comes_with_hone);
    if (ep.state != EpState::primary || is_ours) continue;
    for (const std::string& device : ep.device_types) {
      Where own = where;
      own.ep = ep.name;
      own.device = device;
      RaceArm arm;
      arm.name = ep.name + "/" + device;
      HONE_TRY_DO(fill_plan(own, arm.plan));
      arm.plan.model = file.string();
      arms.push_back(std::move(arm));
    }
  }
  std::ranges::stable_partition(arms,
                                [](const RaceArm& arm) { return arm.plan.target.ep == "cpu"; });
  if (arms.size() >= 2) return arms;
  return fail(Fault::not_found, "there is one EP on this machine, and nothing to compare it with",
              arms.empty() ? "" : arms.front().name,
              "`hone sys` lists EPs and what they lack; --ep-library NAME=PATH adds one");
}

}  // namespace hone::app
