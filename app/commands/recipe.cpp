// Support for a model: its recipe as a file, the ladder it climbs, the bundle that shows it, and
// the review of one.

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "app/command.h"
#include "app/proving.h"
#include "app/recipe_arguments.h"
#include "app/recipe_files.h"
#include "app/step_progress.h"
#include "base/no_such.h"
#include "base/text.h"
#include "catalog/new_folder.h"
#include "flow/given_model.h"
#include "inspect/eval/task.h"
#include "pipeline/policy.h"
#include "report/support/support_html.h"
#include "report/support/support_text.h"
#include "support/claim.h"
#include "support/lines.h"
#include "support/recipe_file.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string action;
  std::vector<std::string> what;
  std::string model;
  std::string id;
  std::string task;
  std::string effort;  // empty: L0*
  std::string goal;    // empty: L2
  std::string recipe_template;
  std::vector<std::string> changes;
  std::vector<std::string> also;
  std::vector<std::string> surprises;
  std::string findings;
  std::string data;
  double max_drop = -1;
  std::vector<std::string> models;
  bool is_full = false;
  bool trusts = false;
  std::int64_t race_s = 0;  // 0: not given
  std::uint64_t seed = 0;
  std::string shape_config;
  std::string output;
  bool overwrite = false;
  RecipeWishes recipe;
  Where where;
  bool names_runtime = false;  // --ort or --ep-library
};

constexpr std::int64_t usual_race_s = 60;

Failure misuse(std::string what) {
  return fail(Fault::bad_input, std::move(what), {}, "hone help recipe");
}

Result<ExitCode> check(const Arguments& arguments, const Call& call) {
  HONE_TRY(const std::vector<Path> files, recipe_files_in(arguments.what));
  if (files.empty()) return misuse("there is no recipe to check");
  CheckedRecipes checked;
  bool all_hold = true;
  for (const Path& file : files) {
    checked.recipes.push_back(check_recipe_file(file));
    all_hold = all_hold && checked.recipes.back().problems.empty();
  }
  HONE_TRY_DO(call.answer(to_document(checked, support_schema_version), describe_checked(checked)));
  return all_hold ? ExitCode::done : ExitCode::not_held;
}

Result<std::uint64_t> read_count(const std::string& text) {
  std::uint64_t count = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), count);
  if (end.ec == std::errc() && end.ptr == text.data() + text.size()) return count;
  return misuse("'" + text + "' is no number");
}

// "text-lines:600:1": what hone makes, how many, and the seed.
Result<std::optional<DataRecipe>> read_data(const std::string& text) {
  if (text.empty()) return std::optional<DataRecipe>();
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3)
    return misuse("--data '" + text + "' is not KIND:COUNT[:SEED]");
  DataRecipe data{.kind = parts[0]};
  HONE_TRY(data.count, read_count(parts[1]));
  if (parts.size() == 3) {
    HONE_TRY(data.seed, read_count(parts[2]));
  }
  return std::optional(data);
}

Result<ExitCode> make_new(const Arguments& arguments, const Call& call) {
  if (arguments.id.empty() || arguments.task.empty())
    return misuse("hone recipe new needs --id ORG/MODEL and --task NAME");
  HONE_TRY(const Path model, find_model_file(arguments.what.front()));
  HONE_TRY(const RecipeChoice choice,
           choose_recipe_for(arguments.what.front(), arguments.recipe, arguments.where));
  StepProgress progress(call);
  NewRecipe wanted{.model = model,
                   .id = arguments.id,
                   .task = arguments.task,
                   .recipe = choice.recipe,
                   .seed = arguments.seed,
                   .shape_config = arguments.shape_config,
                   .where = arguments.where};
  HONE_TRY(RecipeFile file, make_recipe_file(wanted, [&](const auto& s) { progress.step(s); }));
  HONE_TRY(file.data, read_data(arguments.data));
  if (arguments.max_drop >= 0) file.max_drop = arguments.max_drop;
  progress.end();
  const std::vector<std::string> problems = problems_of(file, {});
  if (!problems.empty())
    return fail(Fault::bad_input, "no recipe can be made of this", join(problems, "; "));
  const Path path = Path(arguments.output) / recipe_path(file);
  std::error_code problem;
  std::filesystem::create_directories(path.parent_path(), problem);
  HONE_TRY_DO(refuse_existing(path, arguments.overwrite));
  HONE_TRY_DO(write_file(path, write_recipe_file(file)));
  HONE_TRY_DO(call.answer(to_document(file, support_schema_version),
                          describe_recipe_file(file, path.generic_string())));
  return ExitCode::done;
}

// "qnn" or "qnn/npu".
Target read_target(const std::string& text) {
  const std::size_t slash = text.find('/');
  Target target;
  target.ep = text.substr(0, slash);
  if (slash != std::string::npos) target.device = text.substr(slash + 1);
  return target;
}

template <class Enum>
Result<Enum> read_word(const std::string& option, const std::string& word) {
  if (const auto value = value_named<Enum>(word)) return *value;
  std::vector<std::string> names;
  for (const auto& known : enum_names(Enum{})) names.emplace_back(known.name);
  return misuse(option + " '" + word + "' is none of " + join(names, ", "));
}

Result<ExitCode> prove_it(const Arguments& arguments, const Call& call) {
  if (arguments.model.empty()) return misuse("hone recipe prove needs --source MODEL");
  if (arguments.output.empty()) return misuse("hone recipe prove needs -o BUNDLE");
  HONE_TRY_DO(check_new_folder(arguments.output));
  ProveJob job;
  job.recipe = arguments.what.front();
  HONE_TRY(job.model, find_model_file(arguments.model));
  job.claim.effort = Effort::l0_star;
  job.claim.goal = Tier::l2;
  if (!arguments.effort.empty()) {
    HONE_TRY(job.claim.effort, read_word<Effort>("--effort", arguments.effort));
  }
  if (!arguments.goal.empty()) {
    HONE_TRY(job.claim.goal, read_word<Tier>("--goal", arguments.goal));
  }
  job.claim.outcome = outcome_of(job.claim.effort);
  if (!arguments.recipe_template.empty()) job.claim.recipe_template = arguments.recipe_template;
  job.claim.changes = arguments.changes;
  for (const std::string& one : arguments.also) job.also.push_back(read_target(one));
  job.surprises = arguments.surprises;
  job.findings = arguments.findings;
  job.bundle = arguments.output;
  job.race_s = arguments.race_s > 0 ? arguments.race_s : usual_race_s;
  job.where = arguments.where;
  StepProgress progress(call);
  HONE_TRY(const Bundle bundle, prove(job, [&](const auto& step) { progress.step(step); }));
  progress.end();
  HONE_TRY_DO(call.answer(to_document(bundle.ladder, support_schema_version),
                          describe_ladder(bundle.recipe, bundle.ladder, arguments.output)));
  return bundle.index.reached == job.claim.goal ? ExitCode::done : ExitCode::not_held;
}

// A name that leads nowhere is a slip of who calls, and is said before hours of work; what lies in
// a folder is the bundle's.
Status check_folders(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    std::error_code problem;
    if (!std::filesystem::is_directory(folder, problem))
      return fail(Fault::not_found, "there is no folder '" + folder + "'");
  }
  return done();
}

// What stops one review is told with the others.
Review without_review(const std::string& folder, const Error& error) {
  return {.bundle = folder,
          .bundle_sha256 = {},
          .lines = {{.check = "bundle",
                     .verdict = LineVerdict::changes,
                     .citation = ".",
                     .what = "cannot be checked: " + what_and_why(error)}}};
}

Result<ExitCode> review_it(const Arguments& arguments, const Call& call) {
  HONE_TRY_DO(check_folders(arguments.what));
  StepProgress progress(call);
  Reviews reviews;
  bool all_approved = true;
  for (const std::string& folder : arguments.what) {
    ReviewJob job{.bundle = folder,
                  .is_full = arguments.is_full,
                  .trusts = arguments.trusts,
                  .models = arguments.models,
                  .race_s = arguments.race_s > 0 ? arguments.race_s : usual_race_s,
                  .where = arguments.where};
    auto made = review(job, [&](const auto& step) { progress.step(step); });
    reviews.reviews.push_back(made ? *std::move(made) : without_review(folder, made.error()));
    all_approved = all_approved && reviews.reviews.back().verdict == ReviewVerdict::approve;
  }
  progress.end();
  HONE_TRY_DO(call.answer(to_document(reviews, support_schema_version),
                          describe_reviews(reviews, call.is_verbose())));
  return all_approved ? ExitCode::done : ExitCode::not_held;
}

// Files that are not what the manifest promises: whoever reads the report must know.
std::vector<std::string> doubts_of(const std::vector<ReviewLine>& lines) {
  std::vector<std::string> doubts;
  for (const ReviewLine& line : lines)
    if (line.verdict != LineVerdict::holds) doubts.push_back(line.citation + ": " + line.what);
  return doubts;
}

Result<ExitCode> report_it(const Arguments& arguments, const Call& call) {
  HONE_TRY(const ReadBundle read, read_bundle(arguments.what.front()));
  if (!read.bundle)
    return fail(Fault::bad_input, "'" + arguments.what.front() + "' is no whole bundle", {},
                "hone recipe review says what is wrong with it");
  const std::vector<std::string> doubts = doubts_of(read.lines);
  const std::string text = bundle_markdown(*read.bundle, doubts);
  if (!arguments.output.empty()) {
    HONE_TRY_DO(refuse_existing(arguments.output, arguments.overwrite));
    const bool is_page = Path(arguments.output).extension() == ".html";
    HONE_TRY_DO(write_file(arguments.output, is_page ? bundle_page(*read.bundle, doubts) : text));
  }
  HONE_TRY_DO(call.answer(to_document(read.bundle->ladder, support_schema_version),
                          arguments.output.empty() ? text : arguments.output + "\n"));
  for (const std::string& doubt : doubts) call.note("not as its manifest says: " + doubt);
  return doubts.empty() ? ExitCode::done : ExitCode::not_held;
}

struct Action {
  std::string_view name;
  std::string_view takes;
  std::size_t most;  // words it takes
  Result<ExitCode> (*run)(const Arguments& arguments, const Call& call);
};

constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();
constexpr std::array<Action, 5> actions = {{
    {"check", "FILE", any_number, check},
    {"new", "MODEL", 1, make_new},
    {"prove", "RECIPE", 1, prove_it},
    {"review", "BUNDLE", any_number, review_it},
    {"report", "BUNDLE", 1, report_it},
}};

struct GivenOption {
  std::string_view name;
  bool is_given;
  std::string_view actions;  // that take it
};

// Those that say how a model is built.
bool is_recipe_given(const RecipeWishes& given, const Where& where) {
  const RecipeWishes plain;
  return given.precision != plain.precision || given.opset != plain.opset || !given.file.empty() ||
         !given.enabled.empty() || !given.disabled.empty() ||
         given.optimize_rounds != plain.optimize_rounds || !given.calibration_data.empty() ||
         given.samples != plain.samples || !given.method.empty() || given.per_channel ||
         !given.overrides.empty() || given.min_sqnr_db || given.allows_loss ||
         given.skips_quantize || given.skips_optimize || given.skips_compile || !where.ep.empty() ||
         !where.device.empty() || !where.ep_options.empty() || !where.session_options.empty() ||
         where.threads;
}

// What is not used must not look as if it were.
Status check_given(const Arguments& given, const Action& action) {
  if (given.what.size() > action.most)
    return misuse("unexpected argument '" + given.what[action.most] + "'");
  const auto options = std::to_array<GivenOption>({
      {"--id", !given.id.empty(), "new"},
      {"--task", !given.task.empty(), "new"},
      {"--data", !given.data.empty(), "new"},
      {"--max-drop", given.max_drop >= 0, "new"},
      {"--seed", given.seed != 0, "new"},
      {"--shape-config", !given.shape_config.empty(), "new"},
      {"options of building", is_recipe_given(given.recipe, given.where), "new"},
      {"--source", !given.model.empty(), "prove"},
      {"--effort", !given.effort.empty(), "prove"},
      {"--goal", !given.goal.empty(), "prove"},
      {"--template", !given.recipe_template.empty(), "prove"},
      {"--change", !given.changes.empty(), "prove"},
      {"--also", !given.also.empty(), "prove"},
      {"--surprise", !given.surprises.empty(), "prove"},
      {"--findings", !given.findings.empty(), "prove"},
      {"--full", given.is_full, "review"},
      {"--trust-recipe", given.trusts, "review"},
      {"--models", !given.models.empty(), "review"},
      {"--race", given.race_s > 0, "prove review"},
      {"--output", !given.output.empty(), "new prove report"},
      {"--overwrite", given.overwrite, "new report"},
      {"--ort and --ep-library", given.names_runtime, "new prove review"},
      {"--require-placement", given.where.least_placement.has_value(), ""},
  });
  for (const GivenOption& option : options) {
    const std::vector<std::string> takers = split(option.actions, ' ');
    if (option.is_given && std::ranges::find(takers, action.name) == takers.end())
      return misuse("hone recipe " + given.action + " does not take " + std::string(option.name));
  }
  return done();
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  const auto action = std::ranges::find(actions, arguments.action, &Action::name);
  if (action == actions.end()) {
    std::vector<std::string> names;
    for (const Action& one : actions) names.emplace_back(one.name);
    return misuse("hone recipe has no '" + arguments.action + "'" +
                  did_you_mean(arguments.action, names));
  }
  if (arguments.what.empty())
    return misuse("hone recipe " + arguments.action + " needs " + std::string(action->takes));
  HONE_TRY_DO(check_given(arguments, *action));
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
  options.text("--effort LEVEL", arguments->effort, "prove: L0, L0*, L1-light, L1 or L2 (L0*)");
  options.text("--goal TIER", arguments->goal, "prove: how far to climb, L0 to L3 (L2)");
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
                  Need::optional, {.least = 5, .most = 3600});
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
