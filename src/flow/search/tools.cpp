#include "flow/search/tools.h"

#include "base/hash.h"
#include "base/load_meter.h"
#include "flow/build.h"
#include "flow/inputs.h"
#include "flow/numerics.h"
#include "flow/where.h"
#include "inspect/facts.h"
#include "measure/race.h"
#include "pipeline/build.h"
#include "pipeline/policy.h"
#include "record/build.h"
#include "record/eval.h"
#include "support/ladder.h"

namespace hone {
namespace {

Result<BuiltModel> describe_built(const Path& folder, const BuildReceipt& receipt) {
  if (!receipt.final_artifact || !receipt.final_sha256)
    return fail(Fault::runtime, "the build left no model", folder.string());
  const Path file = folder / *receipt.final_artifact;
  HONE_TRY(const Model model, load_model(file));
  HONE_TRY(const ModelFacts facts, gather_facts(model, file));
  BuiltModel built;
  built.model = file.string();
  built.sha256 = *receipt.final_sha256;
  built.bytes = facts.bytes;
  built.nodes = facts.nodes;
  for (const auto& [op, count] : facts.op_counts)
    built.op_counts[op] = static_cast<std::int64_t>(count);
  return built;
}

Result<BuiltModel> build_arm(const SearchSite& site, const Recipe& recipe, double limit_s) {
  BuildOrder order;
  order.model = recipe.exporting ? site.given : site.model.string();
  order.recipe = recipe;
  order.output = arm_folder(site, recipe).string();
  order.overwrite = true;
  order.must_compile = true;
  order.is_build_only = !recipe.compile;  // its race finds out whether it runs
  order.tries_remedies = false;
  order.seed = site.seed;
  order.where.host = site.where.host;
  give_inputs(site, order);
  std::error_code problem;
  std::filesystem::create_directories(Path(order.output).parent_path(), problem);
  HONE_TRY(const BuildReceipt receipt, run_for(site, order, limit_s));
  return describe_built(order.output, receipt);
}

Result<AccuracyCheck> compare_arm(const SearchSite& site, const BuiltModel& built,
                                  const Recipe& recipe, double limit_s) {
  ParityOrder order;
  order.model = built.model;
  order.reference.model = site.model.string();
  order.samples = numeric_samples;
  order.seed = site.seed;
  order.where = where_in(site, recipe);
  give_inputs(site, order);
  HONE_TRY(const CompareReport report, run_for(site, order, limit_s));
  return judge_outputs(report, least_cosine_of(recipe));
}

// Numerics that were compared, by what they are of: without a task, the gate asks for the same.
class Comparisons {
 public:
  explicit Comparisons(const SearchSite& site) : site_(site) {}

  Result<AccuracyCheck> check(const BuiltModel& built, const Recipe& recipe, double limit_s) {
    const std::string key = built.sha256 + "/" + hash_of(recipe);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    HONE_TRY(const AccuracyCheck made, compare_arm(site_, built, recipe, limit_s));
    return known_[key] = made;
  }

 private:
  const SearchSite& site_;
  std::map<std::string, AccuracyCheck> known_;
};

// Without a task, real inputs and the numerics say whether a float model is the same; what changes
// precision is not let through on random inputs.
Result<AccuracyCheck> check_without_task(const SearchSite& site, Comparisons& numerics,
                                         const BuiltModel& built, const Recipe& recipe,
                                         double limit_s) {
  HONE_TRY(AccuracyCheck check, numerics.check(built, recipe, limit_s));
  const bool is_lossy =
      recipe.quantize || (recipe.exporting && recipe.exporting->dtype != ExportRecipe().dtype);
  if (check.verdict == CheckVerdict::pass && is_lossy && site.input_data.empty()) {
    check.verdict = CheckVerdict::blocked;
    check.reason =
        "random inputs say nothing of a model that was quantized: give --task and --data, or "
        "--input-data";
  }
  return check;
}

Result<AccuracyCheck> check_task(const SearchSite& site, const BuiltModel& built,
                                 const Recipe& recipe, double limit_s) {
  HONE_TRY(const EvalReport report, run_for(site, gate_order(site, built, recipe), limit_s));
  if (report.metrics.empty()) return fail(Fault::bad_input, "the task has no metric");
  return judge_task(report, site.max_drop);
}

// The moment that is so many seconds away, as a deadline; 0 for one that never comes.
Nanoseconds deadline_in(double seconds) {
  if (seconds >= unlimited_s) return Nanoseconds{0};
  return steady_now() + Nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

Result<RacedSession> run_session(const SearchSite& site, const SessionOrder& order,
                                 const RoundSink& on_round) {
  RacePlan plan;
  for (const SearchArmRun& arm : order.arms) {
    RaceArm made;
    made.name = std::to_string(plan.arms.size());
    HONE_TRY(made.plan, run_plan_of(arm.recipe, site.where));
    made.plan.model = arm.built.model;
    made.plan.input_data = site.input_data;
    made.plan.shape_config = site.shape_config;
    made.plan.seed = site.seed;
    plan.arms.push_back(std::move(made));
  }
  plan.rounds = order.rounds;
  plan.program = site.where.host.program;
  plan.deadline = deadline_in(std::min(order.limit_s, seconds_left(site)));
  plan.stop = site.stop;
  plan.accept = [&site](const std::string&, const WorkerOpened& opened) {
    return check_placement(site.where, opened.placement);
  };
  Result<RacedSession> session = race_session(plan, order.seed, on_round);
  const bool is_late = plan.deadline.count() > 0 && steady_now() >= plan.deadline;
  if (!session && session.error().fault == Fault::timeout && is_late) return RacedSession();
  return session;
}

Comparison judge_finalists(const SearchSite& site, const std::vector<std::string>& names,
                           const std::vector<RacedSession>& sessions, std::size_t finals) {
  VerdictRules rules;
  rules.margin = site.margin;
  rules.allows_few_sessions = true;  // where the time is over; the verdict tells how many
  const std::size_t finalists = names.size() > 1 ? names.size() - 1 : 1;
  rules.looks.nominal_p /= static_cast<double>(finalists * finals);
  return judge_race(names, sessions, rules);
}

// What others took of the machine since this was asked last.
std::optional<double> take_load(LoadMeter& meter) {
  const auto load = meter.so_far();
  meter.start();
  if (!load) return std::nullopt;
  return std::min(load->others + load->stolen, 1.0);
}

}  // namespace

SearchSite site_of(const SearchOrder& order, const GivenModel& model) {
  SearchSite site;
  site.model = model.file;
  site.given = order.model;
  site.where = model.where;
  site.notes = model.notes;
  site.input_data = order.input_data;
  site.shape_config = order.shape_config;
  site.seed = order.seed;
  site.task = order.task;
  site.data = order.data;
  site.max_drop = order.max_drop;
  site.margin = order.margin;
  site.limit = std::chrono::seconds(order.timeout_s);
  return site;
}

Status settle_shapes(SearchSite& site) {
  // The task's own data is what runs where there is some.
  const std::string& given = site.input_data.empty() ? site.data : site.input_data;
  HONE_TRY(const SettledInputs inputs,
           settle_inputs(site.where, {site.model, given, site.shape_config, site.seed}));
  site.shape_config = inputs.shape_config;
  site.notes.insert(site.notes.end(), inputs.notes.begin(), inputs.notes.end());
  return done();
}

Result<Recipe> baseline_recipe(const Where& where) {
  RunPlan plan;
  HONE_TRY_DO(fill_plan(where, plan));
  HONE_TRY(RecipeChoice choice, choose_recipe(plan.target, "fp32", {}));
  Recipe recipe = std::move(choice.recipe);
  recipe.optimize_rounds = 0;
  recipe.compile.reset();
  recipe.session.threads = plan.threads;
  recipe.session.options = plan.session_options;
  return recipe;
}

TaskOrder gate_order(const SearchSite& site, const BuiltModel& built, const Recipe& recipe) {
  TaskOrder order;
  order.model = built.model;
  order.reference.model = site.model.string();
  order.task = site.task;
  order.data = site.data;
  order.max_drop = site.max_drop;
  order.where = where_in(site, recipe);
  return order;
}

Where where_in(const SearchSite& site, const Recipe& recipe) {
  Where where = where_of(recipe, site.where);
  where.least_placement.reset();
  return where;
}

Path arm_folder(const SearchSite& site, const Recipe& recipe) {
  constexpr std::size_t enough = 16;
  return site.folder / "arms" / hash_of(recipe).substr(0, enough);
}

double seconds_left(const SearchSite& site) {
  if (site.deadline.count() == 0) return unlimited_s;
  return std::chrono::duration<double>(site.deadline - steady_now()).count();
}

Result<std::chrono::milliseconds> time_for(const SearchSite& site, double limit_s) {
  const double own = std::chrono::duration<double>(site.limit).count();
  const double most_s = std::min({own, limit_s, seconds_left(site)});
  const std::chrono::milliseconds time(static_cast<std::int64_t>(most_s * 1000));
  if (time.count() > 0) return time;
  return fail(Fault::timeout, "there was no time left for it");
}

SearchTools make_search_tools(const SearchSite& site) {
  const auto numerics = std::make_shared<Comparisons>(site);
  const auto meter = std::make_shared<LoadMeter>();
  SearchTools tools;
  tools.build = [&site](const Recipe& recipe, double limit_s) {
    return build_arm(site, recipe, limit_s);
  };
  tools.still_there = [](const BuiltModel& built) {
    const auto hash = hash_of_model_files(built.model);
    return hash && *hash == built.sha256;
  };
  tools.check_numerics = [numerics](const BuiltModel& built, const Recipe& recipe, double limit_s) {
    return numerics->check(built, recipe, limit_s);
  };
  tools.run_session = [&site](const SessionOrder& order, const RoundSink& on_round) {
    return run_session(site, order, on_round);
  };
  tools.judge = [&site](const std::vector<std::string>& names,
                        const std::vector<RacedSession>& sessions, std::size_t finals) {
    return judge_finalists(site, names, sessions, finals);
  };
  tools.check_accuracy = [&site, numerics](const BuiltModel& built, const Recipe& recipe,
                                           double limit_s) {
    return site.task.empty() ? check_without_task(site, *numerics, built, recipe, limit_s)
                             : check_task(site, built, recipe, limit_s);
  };
  tools.load = [meter] { return take_load(*meter); };
  tools.seconds = [] { return std::chrono::duration<double>(steady_now()).count(); };
  return tools;
}

}  // namespace hone
