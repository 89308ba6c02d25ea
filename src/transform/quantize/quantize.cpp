#include "transform/quantize/quantize.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/folder.h"
#include "base/no_such.h"
#include "base/text.h"
#include "transform/optimize.h"
#include "transform/quantize/attempt.h"
#include "transform/quantize/remedies.h"

namespace hone {
namespace {

const std::vector<std::string> integer_types = {"int8", "uint8", "int16", "uint16"};

ElementType type_of(const std::optional<std::string>& name) {
  return name ? element_type_named(*name).value_or(ElementType::undefined) : ElementType::undefined;
}

Result<QuantizeSettings> settings_of(const QuantizeRecipe& recipe) {
  QuantizeSettings settings{.preset = *find_preset(recipe.preset)};
  settings.method = find_method(recipe.method).value();
  settings.method_settings.percentile = recipe.percentile;
  settings.per_channel = recipe.per_channel || settings.preset.is_per_channel;
  settings.symmetric = recipe.symmetric;
  settings.block_size = recipe.block_size;
  settings.include = recipe.include;
  settings.exclude = recipe.exclude;
  if (recipe.overrides) {
    HONE_TRY(Overrides overrides, read_overrides(*recipe.overrides));
    settings.overrides = std::move(overrides.tensors);
    std::ranges::move(overrides.float_nodes, std::back_inserter(settings.exclude));
  }
  return settings;
}

// The files of a model that is not there yet: all that is written goes here first, beside the
// output, so that what does not hold leaves nothing and a file of that name stays what it was.
Result<TemporaryFolder> folder_beside(const Path& output) {
  return TemporaryFolder::create_in(output.has_parent_path() ? output.parent_path() : Path("."),
                                    output.filename().string());
}

Path calibration_path(const QuantizeRequest& request) {
  return request.calibration_cache.empty() ? Path(request.output.string() + ".calibration")
                                           : request.calibration_cache;
}

// Other samples would tell what cannot be judged, and no remedy.
bool may_be_helped(const QuantizeResult& result) {
  return !result.verified || (result.worst_sqnr_db && *result.worst_sqnr_db < result.least_sqnr_db);
}

std::optional<double> least_of(const std::vector<OutputError>& outputs) {
  std::optional<double> least;
  for (const OutputError& error : outputs) {
    if (error.sqnr_db) least = std::min(least.value_or(*error.sqnr_db), *error.sqnr_db);
  }
  return least;
}

// Tries remedies, each on a copy of what calibration knows.
class Trials {
 public:
  Trials(const QuantizeRequest& request, const QuantizeTools& tools, Path folder)
      : request_(request), tools_(tools), folder_(std::move(folder)) {}

  // The mild ones, and the others only where none of those holds.
  Result<std::vector<TriedRemedy>> run() {
    HONE_TRY(const Model model, load_model(request_.model));
    std::vector<TriedRemedy> tried;
    const auto holds = [&] { return std::ranges::any_of(tried, &TriedRemedy::holds); };
    for (const Remedy& remedy : remedies_for(model, request_)) {
      if (remedy.is_last_resort && holds()) break;
      tools_.tell("too little is left; trying: " + remedy.facts.name);
      tried.push_back(try_out(model, remedy));
    }
    mark_best(tried);
    return tried;
  }

 private:
  TriedRemedy try_out(const Model& model, const Remedy& remedy) {
    TriedRemedy tried = remedy.facts;
    const auto result = quantize_with(model, remedy);
    if (!result) {
      const Error& error = result.error();
      tried.failed_because = error.what + (error.cause.empty() ? "" : ": " + error.cause);
      return tried;
    }
    tried.worst_sqnr_db = least_of(result->outputs);
    tried.judged = std::ranges::all_of(result->outputs, &OutputError::judged);
    tried.holds = result->holds;
    if (!result->verified) tried.failed_because = result->not_verified_because;
    return tried;
  }

  Result<QuantizeResult> quantize_with(const Model& model, const Remedy& remedy) {
    QuantizeRequest request = request_;
    remedy.apply(request);
    request.output = folder_ / "tried.onnx";
    request.overwrite = true;
    request.calibration_cache = folder_ / "tried.calibration";
    std::error_code problem;
    std::filesystem::copy_file(calibration_path(request_), request.calibration_cache,
                               std::filesystem::copy_options::overwrite_existing, problem);
    if (remedy.facts.optimizes_first) {
      HONE_TRY(request.model, optimized(model, remedy.facts.enables));
    }
    return attempt(request, request_.model, tools_);
  }

  // As `hone optimize` does it; all remedies of a model enable the same.
  Result<Path> optimized(const Model& model, const std::vector<std::string>& enables) {
    const Path file = folder_ / "optimized.onnx";
    if (std::filesystem::exists(file)) return file;
    HONE_TRY(OptimizePlan plan, plan_capabilities(enables, {}));
    plan.audits = false;
    plan.verifies = false;
    HONE_TRY(
        const OptimizeOutcome outcome,
        optimize({.runtime = tools_.runtime, .probe_library = tools_.probe_library}, model, plan));
    HONE_TRY_DO(save_model(outcome.result.model, file));
    return file;
  }

  // Of those that hold: one that was judged, and then the one that leaves most.
  static void mark_best(std::vector<TriedRemedy>& tried) {
    const auto left = [](const TriedRemedy& one) {
      constexpr double exact = 1000;
      return std::tuple(one.holds, one.judged, one.worst_sqnr_db.value_or(exact));
    };
    const auto best = std::ranges::max_element(tried, {}, left);
    if (best != tried.end() && best->holds) best->best = true;
  }

  const QuantizeRequest& request_;
  const QuantizeTools& tools_;
  Path folder_;
};
}  // namespace

Result<QuantizeResult> quantize_file(const QuantizeRequest& request, const QuantizeTools& tools) {
  HONE_TRY_DO(refuse_existing(request.output, request.overwrite));
  HONE_TRY(const TemporaryFolder folder, folder_beside(request.output));
  QuantizeRequest first = request;
  first.output = folder.path() / request.output.filename();
  first.calibration_cache = calibration_path(request);
  HONE_TRY(QuantizeResult result, attempt(first, request.model, tools));
  result.output = request.output.string();
  const bool is_enough = result.holds || (request.allows_loss && result.verified);
  if (is_enough || !request.verifies) {
    HONE_TRY_DO(place_model(first.output, request.output, Placing::move, request.overwrite));
    result.written = true;
  } else if (request.tries_remedies && may_be_helped(result)) {
    HONE_TRY(result.tried, Trials(request, tools, folder.path()).run());
  }
  std::error_code ignored;
  if (request.calibration_cache.empty()) {
    std::filesystem::remove(first.calibration_cache, ignored);
  }
  return result;
}
Status check_quantize_recipe(const QuantizeRecipe& recipe) {
  if (recipe.precisions.empty()) {
    return fail(Fault::bad_input, "the recipe quantizes to no precision", {},
                R"(write "quantize": null to stay float)");
  }
  for (const std::string& name : recipe.precisions) {
    if (find_made_precision(name) == nullptr)
      return no_such("precision", name, made_precision_names());
  }
  if (find_preset(recipe.preset) == nullptr)
    return no_such("preset", recipe.preset, names_of(all_presets()));
  HONE_TRY_DO(find_method(recipe.method));
  for (const auto& type : {recipe.weight_type, recipe.activation_type}) {
    if (type && !std::ranges::count(integer_types, *type))
      return no_such("integer type", *type, integer_types);
  }
  if (!(recipe.percentile > 50 && recipe.percentile <= 100)) {
    return fail(Fault::bad_input, "percentile takes a number above 50, up to 100", {},
                "99.999 leaves one magnitude of 100,000 out");
  }
  if (recipe.min_sqnr_db && !std::isfinite(*recipe.min_sqnr_db)) {
    return fail(Fault::bad_input, "the floor takes a number of decibels", {},
                "10 is usual; --allow-loss has none");
  }
  return done();
}

Result<QuantizeRequest> request_of(const QuantizeRecipe& recipe) {
  HONE_TRY_DO(check_quantize_recipe(recipe));
  QuantizeRequest request;
  for (const std::string& name : recipe.precisions)
    request.precisions.push_back(find_made_precision(name));
  HONE_TRY(request.settings, settings_of(recipe));
  request.weight_type = type_of(recipe.weight_type);
  request.activation_type = type_of(recipe.activation_type);
  request.calibration_data = recipe.calibration_data.value_or("");
  if (recipe.samples) request.samples = static_cast<std::size_t>(*recipe.samples);
  request.seed = recipe.seed;
  request.least_sqnr_db = recipe.min_sqnr_db;
  request.allows_loss = recipe.allow_loss.value_or(false);
  return request;
}

}  // namespace hone
