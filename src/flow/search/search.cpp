#include "flow/search/search.h"

#include <cmath>

#include "base/misuse.h"
#include "base/text.h"
#include "flow/eval.h"
#include "flow/export/export.h"
#include "flow/job.h"
#include "flow/parts/folder.h"
#include "flow/search/collect.h"
#include "flow/search/earlier.h"
#include "flow/search/key.h"
#include "flow/search/outcome.h"
#include "flow/search/record.h"
#include "flow/search/targets.h"
#include "flow/search/thinking.h"
#include "flow/where.h"
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
                                .found = thoughts_.front().found,
                                .baseline = baseline(),
                                .command_line = order_.repeat,
                                .traces = order_.traces};
    HONE_TRY_DO(write_outcome(outcome, result));
    return result;
  }

  Result<SearchResult> plan() {
    HONE_TRY_DO(prepare([this] { return settle_elsewhere(); }));
    SearchResult plan;
    plan.model = site_.model.string();
    plan.target = baseline().target;
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
    if (names_several(order_.where))
      return misuse("a record is of one target", "record each of them by itself");
    HONE_TRY_DO(prepare([this] { return settle_in_folder(); }));
    const RecordPlan plan{.hypotheses = proposed_.hypotheses, .sessions = sessions};
    HONE_TRY(RecordedSpace space, record_space(site_, tools_, plan, watch_.watch));
    HONE_TRY(space.model_sha256, hash_of_model_files(site_.model));
    space.environment = environment_.key;
    HONE_TRY(space.facts, facts_for_findings(site_.model, environment_));
    return space;
  }

 private:
  const Recipe& baseline() const { return thoughts_.front().baseline; }

  // All that comes before the first race. Everything counts, and everything can be stopped, from
  // here on.
  Status prepare(const std::function<Status()>& settle_folder) {
    HONE_TRY_DO(check(order_));
    began_s_ = tools_.seconds();
    const Nanoseconds began = steady_now();
    HONE_TRY(targets_, find_targets(order_.where, watch_.watch));
    HONE_TRY_DO(settle_site(began));
    HONE_TRY_DO(settle_folder());
    HONE_TRY_DO(settle_samples());
    for (const SearchTarget& target : targets_.all) HONE_TRY_DO(look_at(target));
    if (thoughts_.empty())
      return fail(Fault::runtime, "the model runs on nothing that this machine offers",
                  join(site_.notes, "; "));
    environment_ = join_environments(thoughts_);
    proposed_ = join_targets(thoughts_);
    return narrow(order_.only, proposed_);
  }

  Status settle_site(Nanoseconds began) {
    HONE_TRY(const GivenModel given, find_model(order_.model, targets_.all.front().where));
    targets_.all.front().where = given.where;
    HONE_TRY_DO(check_targets());
    site_ = site_of(order_, given);
    site_.stop = tools_.stop = watch_.watch.stop;
    if (order_.time_budget_s > 0)
      site_.deadline = began + std::chrono::seconds(order_.time_budget_s);
    return settle_shapes(site_);
  }

  // What was named is here, or nothing is begun. What the machine offers has been tried.
  Status check_targets() const {
    if (targets_.is_auto) return done();
    for (const SearchTarget& target : targets_.all) HONE_TRY_DO(check_here(target.where));
    return done();
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
    order.task = site_.task;
    order.output = inputs.string();
    order.samples = 8;
    order.host = site_.where.host;
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

  Result<BuiltModel> build_first(const Recipe& baseline) {
    Result<BuiltModel> built = tools_.build(baseline, unlimited_s);
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

  // Builds the baseline of a target, and finds what there is to try there. Where nobody named it,
  // one that cannot be used is left out.
  Status look_at(SearchTarget target) {
    const bool is_first = thoughts_.empty();
    if (is_first) target.label.clear();
    auto thoughts = think_at(target);
    if (thoughts) {
      const bool is_another = target.where.ep != targets_.all.front().where.ep;
      if (is_first && is_another) site_.where = target.where;
      thoughts_.push_back(*std::move(thoughts));
      return done();
    }
    const bool is_over = thoughts.error().fault == Fault::timeout;
    if (!targets_.is_auto || is_over || is_stopped()) return fail(std::move(thoughts).error());
    site_.notes.push_back(target.where.ep + " was left out: " + thoughts.error().what);
    return done();
  }

  Result<TargetThoughts> think_at(const SearchTarget& target) {
    const bool is_one = targets_.all.size() == 1;
    const std::string where = is_one ? "" : " on " + target.where.ep;
    HONE_TRY(Recipe baseline, baseline_recipe(target.where));
    // Said in full: what it came from is a part of what ships.
    if (names_checkpoint(order_.model)) {
      baseline.exporting.emplace();
      baseline.exporting->opset = usual_opset(baseline.exporting->form);
    }
    watch_.watch.step("building the baseline" + where);
    HONE_TRY(const BuiltModel built, build_first(baseline));
    watch_.watch.step("looking at the baseline" + where);
    const ThinkingOrder asked{
        .site = site_, .order = order_, .calibration_data = calibration_data()};
    // The time of the others is for racing them.
    const bool traces = order_.traces && thoughts_.empty();
    return think_of(asked, target, baseline, built, traces);
  }

  bool is_stopped() const { return watch_.watch.stop != nullptr && watch_.watch.stop->load(); }

  Result<SearchPlan> make_plan() const {
    SearchPlan plan;
    plan.model = site_.model.string();
    HONE_TRY(plan.model_sha256, hash_of_model_files(site_.model));
    plan.environment = environment_.key;
    plan.target = baseline().target;
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

  // What is known is added to, and never lost to a search of something else.
  Status check_earlier(const SearchPlan& plan, const SearchResult& earlier) const {
    const std::string differs = what_differs(plan, earlier);
    if (differs.empty()) return done();
    return fail(Fault::bad_input, "'" + order_.folder + "' holds the results of another search",
                differs, "another folder keeps both; --overwrite begins anew");
  }

  Result<SearchResult> search_now() {
    HONE_TRY(SearchPlan plan, make_plan());
    if (watch_.progress) tools_.progress = watch_.progress;
    if (order_.overwrite) HONE_TRY_DO(journal_->clear());
    auto earlier = order_.resumes ? read_earlier(site_.folder) : std::nullopt;
    if (earlier) HONE_TRY_DO(check_earlier(plan, *earlier));
    if (earlier) plan.finals_before = finals_held_before(plan, *earlier);
    HONE_TRY(SearchResult result, search(plan, tools_, *journal_));
    if (earlier) add_earlier(*std::move(earlier), result);
    return result;
  }

  const SearchOrder& order_;
  const SearchWatch& watch_;
  std::optional<TemporaryFolder> temporary_;  // of a plan
  std::optional<SearchJournal> journal_;      // of all others: it is what keeps the folder ours
  double began_s_ = 0;
  SearchSite site_;
  SearchTools tools_;
  SearchTargets targets_;
  std::vector<TargetThoughts> thoughts_;  // of the targets that can be used
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
