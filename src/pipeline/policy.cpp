#include "pipeline/policy.h"

#include <algorithm>

#include "base/no_such.h"
#include "kinds/ep.h"
#include "kinds/precision.h"
#include "runtime/ep_names.h"
#include "runtime/session_options.h"
#include "transform/capability.h"
#include "transform/quantize/quantize.h"

namespace hone {
namespace {

// A plugin we know nothing of is tried as it asks to be: compiled ahead, quantized as ORT does.
EpRecipe recipe_of(std::string_view ep) {
  const Ep* known = find_ep(ep);
  return known != nullptr ? known->recipe : EpRecipe{.preset = "ort", .compiles_ahead = true};
}

// As a recipe has it: none for float.
std::vector<std::string> steps_of(const Precision& precision) {
  if (precision.making != Making::nothing) return {std::string(precision.name)};
  return {precision.steps.begin(), precision.steps.end()};
}

}  // namespace

std::string usual_device(const Target& target) {
  const std::string device = lowercase(target.device);
  if (!device.empty() && device != "auto") return device;
  const Ep* known = find_ep(target.ep);
  return std::string(known != nullptr ? known->devices.front() : "npu");
}

std::string preset_for(std::string_view ep) { return std::string(recipe_of(ep).preset); }

bool compiles_ahead(std::string_view ep) { return recipe_of(ep).compiles_ahead; }

bool quantizes_itself(std::string_view ep) { return recipe_of(ep).quantizes_itself; }

bool needs_static_shapes(const Target& target) {
  const Ep* known = find_ep(target.ep);
  return known != nullptr && std::ranges::find(known->static_shapes_on, usual_device(target)) !=
                                 known->static_shapes_on.end();
}

Result<PrecisionChoice> choose_precision(const Target& target, std::string_view asked) {
  const std::string device = usual_device(target);
  if (asked.empty() || asked == "auto") {
    if (recipe_of(target.ep).quantizes_itself) {
      return PrecisionChoice{{}, "float: " + ep_short_name(target.ep) + " quantizes by itself"};
    }
    const auto usual = std::ranges::find(all_precisions(), device, &Precision::usual_on);
    if (usual != all_precisions().end()) {
      return PrecisionChoice{steps_of(*usual),
                             std::string(usual->name) + ": " + std::string(usual->usual_because)};
    }
    return PrecisionChoice{{}, "float: nothing else was asked for on a " + device};
  }
  if (const Precision* precision = find_precision(asked))
    return PrecisionChoice{steps_of(*precision), std::string(asked) + ": as asked for"};
  std::vector<std::string> known = precision_names();
  known.insert(known.begin(), "auto");
  return no_such("precision", asked, known);
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
