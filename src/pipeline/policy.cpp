#include "pipeline/policy.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "runtime/ep_names.h"
#include "runtime/session_options.h"
#include "transform/capability.h"
#include "transform/quantize/quantize.h"

namespace hone {
namespace {

struct EpPolicy {
  std::string_view ep;
  std::string_view usual_device;
  std::string_view preset;
  bool compiles_ahead;
  bool quantizes_itself;
};
constexpr std::array policies = {
    EpPolicy{"cpu", "cpu", "cpu", false, false},
    EpPolicy{"webgpu", "gpu", "ort", false, false},
    EpPolicy{"qnn", "npu", "qnn", true, false},
    EpPolicy{"openvino", "npu", "openvino", true, false},
    EpPolicy{"vitisai", "npu", "ort", true, true},
    EpPolicy{"dml", "gpu", "ort", false, false},
    EpPolicy{"cuda", "gpu", "ort", false, false},
    EpPolicy{"tensorrt", "gpu", "ort", false, false},
    EpPolicy{"nvtensorrtrtx", "gpu", "ort", true, false},
    EpPolicy{"migraphx", "gpu", "ort", false, false},
    EpPolicy{"sim", "npu", "qnn", true, false},
};

EpPolicy policy_of(std::string_view ep) {
  const std::string name = ep_short_name(std::string(ep));
  const auto found = std::ranges::find(policies, name, &EpPolicy::ep);
  // A plugin we know nothing of is tried as it asks to be: compiled ahead, quantized as ORT does.
  return found != policies.end() ? *found : EpPolicy{"", "npu", "ort", true, false};
}

struct PrecisionWord {
  std::string_view word;
  std::vector<std::string> precisions;
};

const std::vector<PrecisionWord>& precision_words() {
  static const std::vector<PrecisionWord> words = {
      {"fp32", {}},
      {"fp16", {"fp16"}},
      {"int8", {"w8a8"}},
      {"w8a8", {"w8a8"}},
      {"w8a16", {"w8a16"}},
      {"w16a8", {"w16a8"}},
      {"int16", {"int16"}},
      {"int4", {"int4"}},
      {"w4a16", {"int4", "fp16"}},
      {"dynamic", {"dynamic"}},
  };
  return words;
}

}  // namespace

std::string usual_device(const Target& target) {
  const std::string device = lowercase(target.device);
  if (!device.empty() && device != "auto") return device;
  return std::string(policy_of(target.ep).usual_device);
}

std::string preset_for(std::string_view ep) { return std::string(policy_of(ep).preset); }

bool compiles_ahead(std::string_view ep) { return policy_of(ep).compiles_ahead; }

bool quantizes_itself(std::string_view ep) { return policy_of(ep).quantizes_itself; }

Result<PrecisionChoice> choose_precision(const Target& target, std::string_view asked) {
  const std::string device = usual_device(target);
  if (asked.empty() || asked == "auto") {
    if (policy_of(target.ep).quantizes_itself) {
      return PrecisionChoice{{}, "float: " + ep_short_name(target.ep) + " quantizes by itself"};
    }
    if (device == "npu") return PrecisionChoice{{"w8a16"}, "w8a16: what NPUs compute with"};
    return PrecisionChoice{{}, "float: nothing else was asked for on a " + device};
  }
  std::vector<std::string> known = {"auto"};
  for (const PrecisionWord& word : precision_words()) {
    if (word.word == asked) {
      return PrecisionChoice{word.precisions, std::string(asked) + ": as asked for"};
    }
    known.emplace_back(word.word);
  }
  return fail(Fault::bad_input, "there is no precision '" + std::string(asked) + "'", {},
              "one of " + join(known, ", "));
}

Target target_of_recipe(const Target& target) {
  Target made = target;
  made.ep = ep_short_name(target.ep);
  return made;
}

Result<RecipeChoice> choose_recipe(const Target& target, std::string_view precision,
                                   const ModelState& state) {
  RecipeChoice choice;
  choice.state = state;
  Recipe& recipe = choice.recipe;
  recipe.target = target_of_recipe(target);
  HONE_TRY(const PrecisionChoice wanted, choose_precision(target, precision));
  if (state.is_compiled) {
    recipe.skips_optimize = true;
    choice.reasons.emplace_back("the model is compiled already: it is taken as it is");
    return choice;
  }
  if (state.is_quantized) {
    // An accelerator looks for operators between Q and DQ where they were put; the CPU EP finds its
    // own.
    recipe.skips_optimize = usual_device(target) != "cpu";
    choice.reasons.emplace_back(
        recipe.skips_optimize
            ? "the model is quantized already: it is neither optimized nor quantized again"
            : "the model is quantized already: it is not quantized again, and only optimized where "
              "its integers stay what they are");
  } else {
    choice.reasons.push_back(wanted.reason);
    if (!wanted.precisions.empty()) {
      recipe.quantize.emplace();
      recipe.quantize->precisions = wanted.precisions;
      recipe.quantize->preset = preset_for(recipe.target.ep);
    }
  }
  if (compiles_ahead(recipe.target.ep)) {
    recipe.compile.emplace();
    choice.reasons.push_back("compiled ahead: " + recipe.target.ep + " makes EPContext models");
  }
  return choice;
}

Status enable_as_asked(const std::vector<std::string>& names, bool skips_optimize,
                       RecipeChoice& choice) {
  for (const std::string& name : names) {
    HONE_TRY(const Capability* capability, find_capability(name));
    choice.recipe.optimize[json_name(*capability)] = true;
  }
  if (skips_optimize) {
    choice.recipe.skips_optimize = true;
    if (!names.empty())
      choice.reasons.push_back("not optimized, so not done: " + join(names, ", "));
    return done();
  }
  if (names.empty() || !choice.recipe.skips_optimize) return done();
  if (choice.state.is_compiled) {
    return fail(Fault::bad_input, "'" + names.front() + "' cannot be switched on",
                "the model is compiled already: an EP has taken its graph in",
                "start from the model it was compiled from");
  }
  choice.recipe.skips_optimize = false;
  choice.recipe.optimize_rounds = 0;
  choice.reasons.push_back("optimized as asked for, and no further: " + join(names, ", "));
  return done();
}

Status check_recipe(const Recipe& recipe) {
  constexpr std::int64_t least_opset = 9;
  constexpr std::int64_t most_opset = 25;
  if (recipe.opset && (*recipe.opset < least_opset || *recipe.opset > most_opset)) {
    return fail(Fault::bad_input, "the recipe asks for opset " + std::to_string(*recipe.opset), {},
                "hone converts between 9 and 25");
  }
  constexpr std::int64_t most_rounds = 3;
  if (recipe.optimize_rounds < 0 || recipe.optimize_rounds > most_rounds) {
    return fail(
        Fault::bad_input,
        "the recipe asks for " + std::to_string(recipe.optimize_rounds) + " rounds of suggestions",
        {}, "0 to 3; 0 switches on only what `optimize` says");
  }
  for (const auto& [name, is_on] : recipe.optimize) HONE_TRY_DO(find_capability(name));
  HONE_TRY_DO(check_session_options(recipe.session.options));
  return recipe.quantize ? check_quantize_recipe(*recipe.quantize) : done();
}

}  // namespace hone
