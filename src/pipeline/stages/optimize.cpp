// The graph fused and folded, and checked to compute the same. After each round the result is
// analyzed for the target, and what that suggests is added to what the recipe asks for, until
// nothing is new. Each round begins with the stage's own input, so that the result is that of one
// run with all the names together.

#include "transform/optimize.h"

#include <algorithm>

#include "inspect/analyze/analyze.h"
#include "inspect/analyze/fusions.h"
#include "inspect/quantization.h"
#include "pipeline/stage.h"
#include "record/build.h"
#include "runtime/ep_names.h"
#include "transform/verify.h"

namespace hone::stages {
namespace {

std::string skip_reason(const Recipe& recipe) {
  return recipe.skips_optimize ? "the recipe skips it" : "";
}

Json settings(const Recipe& recipe) {
  Json flags = Json::object();
  for (const auto& [name, is_on] : recipe.optimize) flags.set(name, is_on);
  return Json::object()
      .set("optimize", std::move(flags))
      .set("rounds", recipe.optimize_rounds)
      .set("target", to_json(recipe.target))
      .set("quantizes", recipe.quantize.has_value());
}

// The names that are on and off.
struct Flags {
  std::vector<std::string> enabled;
  std::vector<std::string> disabled;
};

Flags flags_of(const Recipe& recipe) {
  Flags flags;
  for (const auto& [name, is_on] : recipe.optimize) {
    (is_on ? flags.enabled : flags.disabled).push_back(name);
  }
  return flags;
}

Result<OptimizePlan> plan_for(const Flags& flags, const StageRequest& request) {
  HONE_TRY(OptimizePlan plan, plan_capabilities(flags.enabled, flags.disabled));
  plan.samples.data = request.tools.run.input_data;
  plan.samples.shape_config = request.tools.run.shape_config;
  plan.samples.seed = request.tools.run.seed;
  return plan;
}

// What is quantized next should stay made of operators every preset knows: ONNX's own. A target
// that refuses those and takes ONNX Runtime's is given these: QNN has a Gelu, and no Erf.
bool suits_quantizer(const Suggestion& suggestion) {
  return suggestion.is_remedy.value_or(false) || !suggestion.makes.starts_with("com.microsoft.");
}

// What is quantized already keeps its integers where they are.
bool suits_quantized(const Capability& capability) {
  return capability.level == 0 && capability.pass != nullptr &&
         (capability.pass->numerics == Numerics::bitwise ||
          capability.pass->category == "quantization");
}

// What is fused in one round must still be there for it in the next, which begins anew.
bool spoils_others(const Suggestion& suggestion, const OptimizePlan& plan) {
  const auto& detection = find_capability(suggestion.capability).value()->detection;
  return detection && std::ranges::any_of(detection->yields_to, [&](auto larger) {
           return plan.enabled.contains(find_capability(larger).value());
         });
}

// Those that are not on yet, that the recipe does not switch off, and nothing they need either.
std::vector<std::string> new_ones(const std::vector<Suggestion>& suggestions,
                                  const OptimizePlan& plan, const Recipe& recipe,
                                  bool is_quantized) {
  std::vector<std::string> added;
  for (const Suggestion& suggestion : suggestions) {
    const Capability* capability = find_capability(suggestion.capability).value();
    if (plan.enabled.contains(capability) || spoils_others(suggestion, plan)) continue;
    if (recipe.quantize && !suits_quantizer(suggestion)) continue;
    if (is_quantized && !suits_quantized(*capability)) continue;
    const CapabilitySet needed = closure_of({capability});
    const bool is_off = std::ranges::any_of(needed, [&](const Capability* one) {
      const auto flag = recipe.optimize.find(json_name(*one));
      return flag != recipe.optimize.end() && !flag->second;
    });
    if (!is_off) added.push_back(suggestion.capability);
  }
  return added;
}

// Rounds of optimizing and analyzing; the names they add go into `flags`.
Result<std::vector<OptimizeRound>> add_suggestions(const StageRequest& request, const Model& model,
                                                   Flags& flags) {
  std::vector<OptimizeRound> rounds;
  const TransformTools& tools = request.tools.transform;
  const Target& target = request.recipe.target;
  HONE_TRY(const std::vector<NamedRules> rules, load_rules());
  AnalyzeJob job;
  job.target = target;
  job.rules = find_rules(rules, ep_short_name(target.ep), target.device);
  job.looks_at_kernels = false;
  const bool is_quantized = !list_quantization(model).empty();
  for (std::int64_t number = 0; number < request.recipe.optimize_rounds; ++number) {
    HONE_TRY(OptimizePlan plan, plan_for(flags, request));
    plan.audits = false;
    plan.verifies = false;
    HONE_TRY(const OptimizeOutcome draft, hone::optimize(tools, model, plan));
    HONE_TRY(const Analysis analysis, analyze(tools, draft.result.model, job));
    OptimizeRound& round = rounds.emplace_back();
    round.nodes = draft.report.nodes_after;
    round.added = new_ones(analysis.suggestions, plan, request.recipe, is_quantized);
    if (round.added.empty()) break;
    flags.enabled.insert(flags.enabled.end(), round.added.begin(), round.added.end());
  }
  return rounds;
}

Result<OptimizeOutcome> optimize_checked(const StageRequest& request, const Model& model,
                                         const Flags& flags) {
  HONE_TRY(const OptimizePlan plan, plan_for(flags, request));
  HONE_TRY(OptimizeOutcome outcome, hone::optimize(request.tools.transform, model, plan));
  if (!outcome.report.verified || outcome.report.verified->holds) return outcome;
  return fail(why_not_taken(*outcome.report.verified));
}

// With the suggestions, or why not.
struct Suggested {
  std::vector<OptimizeRound> rounds;
  std::vector<std::string> dropped;  // why the suggestions were not taken
};

// What nobody asked for must not fail a build: where it does, only what was asked for is done.
Result<OptimizeOutcome> optimize_as_suggested(const StageRequest& request, const Model& model,
                                              Suggested& suggested) {
  const Flags asked = flags_of(request.recipe);
  Flags all = asked;
  auto rounds = add_suggestions(request, model, all);
  if (rounds) suggested.rounds = std::move(*rounds);
  if (all.enabled.size() > asked.enabled.size()) {
    auto outcome = optimize_checked(request, model, all);
    if (outcome) return outcome;
    suggested.dropped.push_back("suggestions were dropped: " + outcome.error().what);
  } else if (!rounds) {
    suggested.dropped.push_back("nothing was suggested: " + rounds.error().what);
  }
  return optimize_checked(request, model, asked);
}

Result<Json> run(const StageRequest& request) {
  HONE_TRY(const Model model, load_model(request.input));
  Suggested suggested;
  HONE_TRY(OptimizeOutcome outcome, optimize_as_suggested(request, model, suggested));
  outcome.report.model = "";  // the receipt names files by their hash
  outcome.report.notes.insert(outcome.report.notes.end(), suggested.dropped.begin(),
                              suggested.dropped.end());
  HONE_TRY_DO(save_model(outcome.result.model, request.output));
  Json effect = to_json(outcome.report);
  effect.set("rounds", to_json(suggested.rounds));
  return effect;
}

}  // namespace

Stage optimize() {
  return {.name = "optimize", .skip_reason = skip_reason, .settings = settings, .run = run};
}

}  // namespace hone::stages
