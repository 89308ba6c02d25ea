#include "flow/search/search.h"

#include <cmath>

#include "base/misuse.h"
#include "flow/eval.h"
#include "flow/job.h"
#include "flow/search/collect.h"
#include "flow/search/key.h"
#include "flow/search/outcome.h"
#include "flow/search/record.h"
#include "knowledge/store.h"
#include "pipeline/build_folder.h"

namespace hone {
namespace {

constexpr auto inputs_name = "inputs.npz";

// Where a search happens, and what is found on the way to its first race.
class Search {
 public:
  Search(const SearchOrder& order, const SearchWatch& watch)
      : order_(order), watch_(watch), tools_(make_search_tools(site_)) {}

  Result<SearchResult> run() {
    HONE_TRY_DO(prepare([this] { return settle_in_folder(); }));
    HONE_TRY(SearchResult result, search_now());
    watch_.watch.step("writing the report");
    const SearchOutcome outcome{.site = site_,
                                .environment = environment_,
                                .found = found_,
                                .baseline = baseline_,
                                .command_line = order_.repeat,
                                .traces = order_.traces};
    HONE_TRY_DO(write_outcome(outcome, result));
    return result;
  }

  Result<SearchResult> plan() {
    HONE_TRY_DO(prepare([this] { return settle_elsewhere(); }));
    SearchResult plan;
    plan.model = site_.model.string();
    plan.target = baseline_.target;
    plan.objective = name_of(order_.objective);
    plan.verdict = "nothing was tried: this is what would be";
    plan.skips = proposed_.skips;
    for (const Hypothesis& hypothesis : proposed_.hypotheses) {
      SearchArm arm;
      arm.hypothesis = hypothesis;
      arm.recipe_hash = hash_of(hypothesis.recipe);
      plan.arms.push_back(std::move(arm));
    }
    return plan;
  }

  Result<RecordedSpace> record(std::size_t sessions) {
    HONE_TRY_DO(prepare([this] { return settle_in_folder(); }));
    const RecordPlan plan{.hypotheses = proposed_.hypotheses, .sessions = sessions};
    HONE_TRY(RecordedSpace space, record_space(site_, tools_, plan, watch_.watch));
    HONE_TRY(space.model_sha256, hash_of_model_files(site_.model));
    space.environment = environment_.key;
    return space;
  }

 private:
  // All that comes before the first race. Everything counts, and everything can be stopped, from
  // here on.
  Status prepare(const std::function<Status()>& settle_folder) {
    HONE_TRY_DO(check(order_));
    began_s_ = tools_.seconds();
    HONE_TRY_DO(settle_site(steady_now()));
    HONE_TRY_DO(settle_folder());
    HONE_TRY_DO(settle_samples());
    HONE_TRY(baseline_, baseline_recipe(order_.where));
    watch_.watch.step("building the baseline");
    HONE_TRY(const BuiltModel built, build_first());
    return think(built);
  }

  Status settle_site(Nanoseconds began) {
    HONE_TRY(const GivenModel given, find_model(order_.model, order_.where));
    site_ = site_of(order_, given);
    site_.stop = tools_.stop = watch_.watch.stop;
    if (order_.time_budget_s > 0)
      site_.deadline = began + std::chrono::seconds(order_.time_budget_s);
    return settle_shapes(site_);
  }

  Status settle_elsewhere() {
    HONE_TRY(TemporaryFolder folder, TemporaryFolder::create("autoconfig"));
    site_.folder = temporary_.emplace(std::move(folder)).path();
    return done();
  }

  // Nothing in the folder is touched before its journal is ours alone.
  Status settle_in_folder() {
    site_.folder = order_.folder;
    std::error_code problem;
    std::filesystem::create_directories(site_.folder, problem);
    if (problem)
      return fail(Fault::io, "cannot make '" + site_.folder.string() + "'", problem.message());
    HONE_TRY(SearchJournal journal, SearchJournal::open(site_.folder / "journal.db"));
    HONE_TRY(const bool is_new, journal.is_empty());
    if (!is_new && !order_.resumes && !order_.overwrite) {
      return fail(Fault::io, "'" + order_.folder + "' holds a search already", {},
                  "--resume goes on with it, --overwrite begins anew");
    }
    journal_ = std::move(journal);
    return done();
  }

  // Races and numerics take a few samples of the task's data where no others are given.
  Status settle_samples() {
    if (!site_.input_data.empty() || site_.data.empty()) return done();
    const Path inputs = site_.folder / inputs_name;
    ExportOrder order;
    order.model = site_.model.string();
    order.data = site_.data;
    order.output = inputs.string();
    order.samples = 8;
    HONE_TRY_DO(export_samples(order));
    site_.input_data = inputs.string();
    return done();
  }

  // By the name it has in the search's folder, for a plan as well: it is part of recipes.
  std::string calibration_data() const {
    if (!order_.calibration_data.empty()) return order_.calibration_data;
    if (!order_.input_data.empty() || order_.data.empty()) return order_.input_data;
    return (Path(order_.folder) / inputs_name).string();
  }

  std::optional<Path> knowledge() const {
    return order_.knowledge.empty() ? std::nullopt : std::optional<Path>(order_.knowledge);
  }

  Result<BuiltModel> build_first() {
    Result<BuiltModel> built = tools_.build(baseline_, unlimited_s);
    const bool is_late = !built && built.error().fault == Fault::timeout && seconds_left(site_) < 1;
    if (!is_late) return built;
    // One arm is built, checked and raced against the baseline: four times that at the least.
    const std::int64_t least = 4 * order_.time_budget_s;
    return fail(Fault::timeout, "the time budget was over before the baseline was built",
                built.error().what,
                "building it alone takes longer than that, and each arm is built and raced "
                "besides: give --time-budget " +
                    std::to_string(least) + " at the least");
  }

  // What there is to try.
  Status think(const BuiltModel& built) {
    SearchSite looked_at = site_;
    looked_at.model = built.model;
    watch_.watch.step("looking at the baseline");
    HONE_TRY(found_, find_insight(looked_at, baseline_, order_.traces));
    if (!order_.overrides.empty()) {
      HONE_TRY_DO(read_file(order_.overrides));  // before anything is tried
      found_.insight.overrides = order_.overrides;
    }
    HONE_TRY(environment_, find_environment(order_.where, baseline_.target));
    HONE_TRY(const std::vector<Finding> findings, load_knowledge(knowledge()));
    const Situation situation = situation_of(found_, environment_);
    const HypothesisRequest request{.insight = found_.insight,
                                    .advisor = make_advisor(findings, situation, baseline_),
                                    .recipes = order_.recipes,
                                    .only = order_.only,
                                    .calibration_data = calibration_data()};
    HONE_TRY(proposed_, collect_hypotheses(request));
    return done();
  }

  Result<SearchPlan> make_plan() const {
    SearchPlan plan;
    plan.model = site_.model.string();
    HONE_TRY(plan.model_sha256, hash_of_model_files(site_.model));
    plan.environment = environment_.key;
    plan.target = baseline_.target;
    plan.objective = order_.objective;
    plan.latency_budget_ms = order_.latency_budget_ms;
    HONE_TRY(plan.conditions, conditions_key(site_, {calibration_data(), order_.overrides}));
    HONE_TRY(plan.gate, gate_key(site_));
    plan.step_limit_s = static_cast<double>(order_.timeout_s);
    plan.began_s = began_s_;
    plan.max_drop = order_.max_drop;
    plan.margin = site_.margin;
    // Writing takes a moment too.
    constexpr double writing_s = 1;
    constexpr double writing_share = 0.04;
    const auto budget_s = static_cast<double>(order_.time_budget_s);
    if (budget_s > 0) plan.time_budget_s = budget_s * (1 - writing_share) - writing_s;
    plan.hypotheses = proposed_.hypotheses;
    plan.skips = proposed_.skips;
    plan.seed = order_.seed;
    return plan;
  }

  Result<SearchResult> search_now() {
    HONE_TRY(const SearchPlan plan, make_plan());
    if (watch_.progress) tools_.progress = watch_.progress;
    if (order_.overwrite) HONE_TRY_DO(journal_->clear());
    return search(plan, tools_, *journal_);
  }

  const SearchOrder& order_;
  const SearchWatch& watch_;
  std::optional<TemporaryFolder> temporary_;  // of a plan
  std::optional<SearchJournal> journal_;      // of all others: it is what keeps the folder ours
  double began_s_ = 0;
  SearchSite site_;
  SearchTools tools_;
  Recipe baseline_;
  FoundInsight found_;
  SearchEnvironment environment_;
  HypothesisSet proposed_;
};

bool is_share(double number) { return number > 0 && number < 1; }

// A step of the search, for a watcher that may be in another process.
void tell(const Watch& watch, const SearchProgress& seen) {
  watch.step(seen.arm.empty() ? seen.phase : seen.phase + ": " + seen.arm, seen.done, seen.total);
}

}  // namespace

Status check(const SearchOrder& order) {
  const auto refuse = [](std::string what) {
    return misuse(std::move(what), "docs/autoconfig.md");
  };
  if (order.model.empty()) return refuse("a search needs a model");
  if (order.folder.empty()) return refuse("a search needs a folder");
  if (order.task.empty() != order.data.empty()) return refuse("a task and its data go together");
  if (!is_share(order.margin)) return refuse("the margin is a share, above 0 and below 1");
  if (!is_share(order.max_drop)) return refuse("what may be lost is a share, above 0 and below 1");
  const bool has_budget = order.latency_budget_ms.has_value();
  if (has_budget && !(std::isfinite(*order.latency_budget_ms) && *order.latency_budget_ms > 0))
    return refuse("a latency budget is in milliseconds, above 0");
  if (has_budget && order.objective != SearchObjective::accuracy)
    return refuse("a latency budget needs the objective accuracy");
  if (order.resumes && order.overwrite)
    return refuse("a search goes on with what is there, or begins anew: one of the two");
  return done();
}

Result<SearchResult> search_model(const SearchOrder& order, const SearchWatch& watch) {
  return Search(order, watch).run();
}

Result<SearchResult> search_model(const SearchOrder& order, const Watch& watch) {
  return search_model(
      order, SearchWatch{.watch = watch,
                         .progress = [&watch](const SearchProgress& seen) { tell(watch, seen); }});
}

Result<SearchResult> plan_search(const SearchOrder& order, const Watch& watch) {
  return Search(order, {.watch = watch}).plan();
}

Result<RecordedSpace> record_search(const SearchOrder& order, std::size_t sessions,
                                    const Watch& watch) {
  return Search(order, {.watch = watch}).record(sessions);
}

Job jobs::search() {
  return job_of(
      static_cast<Result<SearchResult> (*)(const SearchOrder&, const Watch&)>(search_model));
}

}  // namespace hone
