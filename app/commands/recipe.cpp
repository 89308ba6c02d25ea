// Support for a model: its recipe as a file, the ladder it climbs, the bundle that shows it, and
// the review of one.

#include <algorithm>
#include <array>

#include "app/actions.h"
#include "app/checkpoints.h"
#include "app/command.h"
#include "app/recipe_arguments.h"
#include "app/step_progress.h"
#include "base/misuse.h"
#include "base/no_such.h"
#include "base/text.h"
#include "catalog/new_folder.h"
#include "flow/given_model.h"
#include "flow/proof/proving.h"
#include "flow/proof/recipe_files.h"
#include "flow/proof/reviewing.h"
#include "flow/where.h"
#include "inspect/eval/task.h"
#include "report/support/support_html.h"
#include "report/support/support_text.h"
#include "support/claim.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string action;
  std::vector<std::string> what;
  std::string model;
  std::string id;
  std::string task;
  std::optional<Effort> effort;
  std::optional<Tier> goal;
  std::string recipe_template;
  std::vector<std::string> changes;
  std::vector<std::string> also;
  std::vector<std::string> surprises;
  std::string findings;
  std::string data;
  std::optional<double> max_drop;
  std::vector<std::string> models;
  bool is_full = false;
  bool trusts = false;
  std::optional<std::int64_t> race_s;
  std::uint64_t seed = 0;
  std::string shape_config;
  std::string output;
  bool overwrite = false;
  RecipeWishes recipe;
  Where where;
  bool names_runtime = false;  // --ort or --ep-library
};

constexpr auto help = "hone help recipe";
constexpr std::int64_t usual_race_s = 60;

Result<ExitCode> check(const Arguments& arguments, const Call& call) {
  HONE_TRY(const CheckedRecipes checked, check_recipe_files(arguments.what));
  HONE_TRY_DO(call.answer(to_document(checked, support_schema_version), describe_checked(checked)));
  const bool all_hold = std::ranges::all_of(
      checked.recipes, [](const CheckedRecipe& recipe) { return recipe.problems.empty(); });
  return all_hold ? ExitCode::done : ExitCode::not_held;
}

Result<std::uint64_t> read_count(const std::string& text) {
  if (const auto count = parse_number<std::uint64_t>(text)) return *count;
  return misuse("'" + text + "' is no number", help);
}

// "text-lines:600:1": what hone makes, how many, and the seed.
Result<std::optional<DataRecipe>> read_data(const std::string& text) {
  if (text.empty()) return std::optional<DataRecipe>();
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3)
    return misuse("--data '" + text + "' is not KIND:COUNT[:SEED]", help);
  DataRecipe data{.kind = parts[0]};
  HONE_TRY(data.count, read_count(parts[1]));
  if (parts.size() == 3) {
    HONE_TRY(data.seed, read_count(parts[2]));
  }
  return std::optional(data);
}

Result<NewRecipeOrder> new_recipe(const Arguments& arguments, const Call& call) {
  if (arguments.id.empty() || arguments.task.empty())
    return misuse("hone recipe new needs --id ORG/MODEL and --task NAME", help);
  NewRecipeOrder order;
  std::string model = arguments.what.front();
  HONE_TRY_DO(settle_model(model, call));
  HONE_TRY(order.model, find_model_file(model, arguments.where.host));
  HONE_TRY(RecipeChoice choice, choose_recipe_for(model, arguments.recipe, arguments.where));
  order.id = arguments.id;
  order.task = arguments.task;
  order.recipe = std::move(choice.recipe);
  order.seed = arguments.seed;
  order.shape_config = arguments.shape_config;
  HONE_TRY(order.data, read_data(arguments.data));
  order.max_drop = arguments.max_drop;
  order.host = arguments.where.host;
  return order;
}

Result<ExitCode> make_new(const Arguments& arguments, const Call& call) {
  HONE_TRY(const NewRecipeOrder order, new_recipe(arguments, call));
  StepProgress progress(call);
  HONE_TRY(const RecipeFile file, make_recipe_file(order, progress.watch()));
  progress.end();
  HONE_TRY(const Path path, keep_recipe_file(file, arguments.output, arguments.overwrite));
  HONE_TRY_DO(call.answer(to_document(file, support_schema_version),
                          describe_recipe_file(file, path.generic_string())));
  return ExitCode::done;
}

// "qnn" or "qnn/npu".
Result<Target> read_target(const std::string& text, const Host& host) {
  const std::size_t slash = text.find('/');
  Target target;
  target.ep = text.substr(0, slash);
  if (slash != std::string::npos) target.device = text.substr(slash + 1);
  HONE_TRY_DO(check_target(target, host));
  return target;
}

SupportClaim claim_of(const Arguments& arguments) {
  SupportClaim claim;
  claim.effort = arguments.effort.value_or(Effort::l0_star);
  claim.goal = arguments.goal.value_or(Tier::l2);
  claim.outcome = outcome_of(claim.effort);
  if (!arguments.recipe_template.empty()) claim.recipe_template = arguments.recipe_template;
  claim.changes = arguments.changes;
  return claim;
}

Result<ProveOrder> read_proof(const Arguments& arguments) {
  if (arguments.model.empty()) return misuse("hone recipe prove needs --source MODEL", help);
  if (arguments.output.empty()) return misuse("hone recipe prove needs -o BUNDLE", help);
  HONE_TRY_DO(check_new_folder(arguments.output));
  ProveOrder order;
  order.recipe = arguments.what.front();
  HONE_TRY(order.model, find_model_file(arguments.model, arguments.where.host));
  order.claim = claim_of(arguments);
  for (const std::string& one : arguments.also) {
    HONE_TRY(Target target, read_target(one, arguments.where.host));
    order.also.push_back(std::move(target));
  }
  order.surprises = arguments.surprises;
  order.findings = arguments.findings;
  order.bundle = arguments.output;
  order.race_s = arguments.race_s.value_or(usual_race_s);
  order.host = arguments.where.host;
  return order;
}

Result<ExitCode> prove_it(const Arguments& arguments, const Call& call) {
  HONE_TRY(const ProveOrder order, read_proof(arguments));
  StepProgress progress(call);
  HONE_TRY(const Bundle bundle, prove(order, progress.watch()));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(bundle.ladder, support_schema_version),
                          describe_ladder(bundle.recipe, bundle.ladder, arguments.output)));
  return bundle.index.reached == order.claim.goal ? ExitCode::done : ExitCode::not_held;
}

Result<ExitCode> review_it(const Arguments& arguments, const Call& call) {
  const ReviewOrder order{.bundles = arguments.what,
                          .is_full = arguments.is_full,
                          .trusts = arguments.trusts,
                          .models = arguments.models,
                          .race_s = arguments.race_s.value_or(usual_race_s),
                          .host = arguments.where.host};
  StepProgress progress(call);
  HONE_TRY(const Reviews reviews, review(order, progress.watch()));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(reviews, support_schema_version),
                          describe_reviews(reviews, call.is_verbose())));
  const bool all_approved = std::ranges::all_of(
      reviews.reviews, [](const Review& one) { return one.verdict == ReviewVerdict::approve; });
  return all_approved ? ExitCode::done : ExitCode::not_held;
}

Result<ExitCode> report_it(const Arguments& arguments, const Call& call) {
  HONE_TRY(const ToldBundle told, read_whole_bundle(arguments.what.front()));
  const std::string text = bundle_markdown(told.bundle, told.doubts);
  if (!arguments.output.empty()) {
    HONE_TRY_DO(refuse_existing(arguments.output, arguments.overwrite));
    const bool is_page = Path(arguments.output).extension() == ".html";
    HONE_TRY_DO(
        write_file(arguments.output, is_page ? bundle_page(told.bundle, told.doubts) : text));
  }
  HONE_TRY_DO(call.answer(to_document(told.bundle.ladder, support_schema_version),
                          arguments.output.empty() ? text : arguments.output + "\n"));
  for (const std::string& doubt : told.doubts) call.note("not as its manifest says: " + doubt);
  return told.doubts.empty() ? ExitCode::done : ExitCode::not_held;
}

constexpr std::array<Action<Arguments>, 5> actions = {{
    {{.name = "check", .takes = "FILE", .least = 1, .most = any_number}, check},
    {{.name = "new", .takes = "MODEL", .least = 1, .most = 1}, make_new},
    {{.name = "prove", .takes = "RECIPE", .least = 1, .most = 1}, prove_it},
    {{.name = "review", .takes = "BUNDLE", .least = 1, .most = any_number}, review_it},
    {{.name = "report", .takes = "BUNDLE", .least = 1, .most = 1}, report_it},
}};

struct GivenOption {
  std::string_view name;
  bool is_given;
  std::string_view actions;  // that take it
};

// Those that say how a model is built.
bool is_recipe_given(const RecipeWishes& given, const Where& where) {
  return given != RecipeWishes() || !where.ep.empty() || !where.device.empty() ||
         !where.ep_options.empty() || !where.session_options.empty() || where.threads;
}

// What is not used must not look as if it were.
Status check_given(const Arguments& given) {
  const auto options = std::to_array<GivenOption>({
      {"--id", !given.id.empty(), "new"},
      {"--task", !given.task.empty(), "new"},
      {"--data", !given.data.empty(), "new"},
      {"--max-drop", given.max_drop.has_value(), "new"},
      {"--seed", given.seed != 0, "new"},
      {"--shape-config", !given.shape_config.empty(), "new"},
      {"options of building", is_recipe_given(given.recipe, given.where), "new"},
      {"--source", !given.model.empty(), "prove"},
      {"--effort", given.effort.has_value(), "prove"},
      {"--goal", given.goal.has_value(), "prove"},
      {"--template", !given.recipe_template.empty(), "prove"},
      {"--change", !given.changes.empty(), "prove"},
      {"--also", !given.also.empty(), "prove"},
      {"--surprise", !given.surprises.empty(), "prove"},
      {"--findings", !given.findings.empty(), "prove"},
      {"--full", given.is_full, "review"},
      {"--trust-recipe", given.trusts, "review"},
      {"--models", !given.models.empty(), "review"},
      {"--race", given.race_s.has_value(), "prove review"},
      {"--output", !given.output.empty(), "new prove report"},
      {"--overwrite", given.overwrite, "new report"},
      {"--ort and --ep-library", given.names_runtime, "new prove review"},
      {"--require-placement", given.where.least_placement.has_value(), ""},
  });
  for (const GivenOption& option : options) {
    const std::vector<std::string> takers = split(option.actions, ' ');
    if (option.is_given && std::ranges::count(takers, given.action) == 0)
      return misuse("hone recipe " + given.action + " does not take " + std::string(option.name),
                    help);
  }
  return done();
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY(const auto* action, find_action("recipe", actions, arguments.action, arguments.what));
  HONE_TRY_DO(check_given(arguments));
  return action->run(arguments, call);
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.positional("ACTION", arguments->action, "check, new, prove, review or report");
  options.texts("WHAT", arguments->what, "the recipes, the MODEL or the bundles it is about");
  options.text("--id ORG/MODEL", arguments->id, "new: what the catalog calls the model");
  options.text("--task NAME", arguments->task,
               "new: what the model is for: " + join(names_of(all_tasks()), ", "));
  options.text(
      "--data KIND:COUNT:SEED", arguments->data,
      "new: samples hone makes for L3, e.g. text-lines:600:1; of " + join(dataset_names(), ", "));
  options.number("--max-drop SHARE", arguments->max_drop, "new: of the task's metric, for L3");
  options.text("--source MODEL", arguments->model, "prove: the model, or its skeleton");
  options.takes_model(arguments->model);
  options.word("--effort LEVEL", arguments->effort, "prove: L0, L0*, L1-light, L1 or L2 (L0*)");
  options.word("--goal TIER", arguments->goal, "prove: how far to climb, L0 to L3 (L2)");
  options.text("--template FILE", arguments->recipe_template,
               "prove: the recipe it was made after, for effort L0");
  options.texts("--change FILE", arguments->changes, "prove: a file of the repository it touches");
  options.texts("--also EP/DEVICE", arguments->also, "prove: another target to try at L1");
  options.texts("--surprise TEXT", arguments->surprises,
                "prove: what was not as expected; none says that nothing was");
  options.text("--findings FILE", arguments->findings, "prove: model knowledge to go with it");
  options.flag("--full", arguments->is_full, "review: every command again, races included");
  options.flag("--trust-recipe", arguments->trusts,
               "review: use options and paths of the recipe; read them before");
  options.texts("--models FOLDER", arguments->models,
                "review: where models are that bundles do not hold");
  options.integer("--race SECONDS", arguments->race_s, "prove, review: for a race (60)",
                  {.least = 5, .most = 3600});
  options.text("-o,--output PATH", arguments->output,
               "new: the catalog; prove: the bundle; report: .md or .html");
  options.flag("--overwrite", arguments->overwrite, "new, report: replace a file that is there");
  options.seed(arguments->seed, "new: of a skeleton's weights");
  options.shape_config(arguments->shape_config);
  declare_recipe(options, arguments->recipe, arguments->where);
  options.afterwards([arguments, &options] {
    arguments->names_runtime = options.is_given("--ort") || options.is_given("--ep-library");
    return done();
  });
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command recipe() {
  return {.name = "recipe",
          .group = "publish",
          .summary = "Recipes of a catalog: check, make, prove and review them",
          .help =
              "A recipe stands in recipes/ORG_MODEL/TARGET/TASK_PRECISION.json. `new` makes\n"
              "one, `check` reads them, `prove` climbs the ladder with one (L0 built and\n"
              "looked at, L1 runs, L2 answers as the reference, L3 does its task) and leaves\n"
              "a bundle with all evidence. `review` needs nothing but the bundle: it checks\n"
              "every hash and claim and climbs again. What cannot be checked is sent back;\n"
              "exit 3 unless all are approved. docs/recipe.md has the rules.",
          .examples =
              "hone recipe new rec.onnx --id paddle/rec --task text-recognition --ep cpu\n"
              "hone recipe check recipes\n"
              "hone recipe prove recipes/a_b/cpu/t_fp32.json --source rec.onnx -o bundle\n"
              "hone recipe review bundle --full --models build/models",
          .declare = declare};
}

}  // namespace hone::app::commands
