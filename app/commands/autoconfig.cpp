// The best recipe of a model on a target, found by trying and confirmed on fresh sessions.

#include <algorithm>

#include "app/collect.h"
#include "app/command.h"
#include "app/errors.h"
#include "app/insight.h"
#include "app/interrupt.h"
#include "app/replay.h"
#include "app/search_arguments.h"
#include "app/search_key.h"
#include "app/search_outcome.h"
#include "app/search_tools.h"
#include "app/step_progress.h"
#include "flow/eval.h"
#include "flow/given_model.h"
#include "knowledge/store.h"
#include "pipeline/build.h"
#include "report/search/plan_text.h"
#include "report/search/search_text.h"

namespace hone::app::commands {
namespace {

constexpr auto inputs_name = "inputs.npz";

class Autoconfig {
 public:
  Autoconfig(const SearchArguments& arguments, const Call& call)
      : arguments_(arguments), call_(call), progress_(call) {}

  Result<ExitCode> run() {
    HONE_TRY_DO(check(arguments_));
    tools_ = make_search_tools(site_);
    began_s_ = tools_.seconds();
    settle_time();
    HONE_TRY_DO(settle_site());
    HONE_TRY(const Recipe baseline, baseline_recipe(arguments_.where));
    progress_.step("building the baseline");
    HONE_TRY(const BuiltModel built, build_first(baseline));
    HONE_TRY_DO(think(baseline, built));
    if (arguments_.is_dry) return show_plan();
    if (!arguments_.record.empty()) return record();
    Result<SearchResult> result = search_now();
    if (!result) return fail(std::move(result).error());
    HONE_TRY_DO(complete(baseline, *result));
    progress_.end();
    HONE_TRY_DO(
        call_.answer(to_document(*result, search_schema_version), describe_search(*result)));
    if (result->stopped) call_.note("go on with --resume");
    return ExitCode::done;
  }

 private:
  // Everything counts, and everything can be stopped, from here on.
  void settle_time() {
    site_.stop = &stop_when_interrupted();
    tools_.stop = site_.stop;
    if (arguments_.time_budget_s > 0)
      site_.deadline = steady_now() + std::chrono::seconds(arguments_.time_budget_s);
  }

  Status settle_site() {
    HONE_TRY(const GivenModel given, find_model(arguments_.model, arguments_.where));
    site_.notes = given.notes;
    site_.model = given.file;
    site_.where = given.where;
    site_.shape_config = arguments_.shape_config;
    site_.seed = arguments_.seed;
    site_.task = arguments_.task;
    site_.data = arguments_.data;
    site_.max_drop = arguments_.max_drop;
    site_.margin = arguments_.margin / 100;
    site_.limit = std::chrono::seconds(arguments_.timeout);
    site_.program = given.where.host.program;
    site_.input_data = arguments_.input_data;
    HONE_TRY_DO(settle_shapes(site_));
    HONE_TRY_DO(arguments_.is_dry ? settle_elsewhere() : settle_in_folder());
    return settle_inputs();
  }

  // What only looks leaves the folder alone: another search may be at work there.
  Status settle_elsewhere() {
    HONE_TRY(TemporaryFolder folder, TemporaryFolder::create("autoconfig"));
    site_.folder = temporary_.emplace(std::move(folder)).path();
    return done();
  }

  // Nothing in the folder is touched before its journal is ours alone.
  Status settle_in_folder() {
    site_.folder = arguments_.output;
    std::error_code problem;
    std::filesystem::create_directories(site_.folder, problem);
    if (problem)
      return fail(Fault::io, "cannot make '" + site_.folder.string() + "'", problem.message());
    HONE_TRY(SearchJournal journal, SearchJournal::open(site_.folder / "journal.db"));
    HONE_TRY(const bool is_new, journal.is_empty());
    if (!is_new && !arguments_.resumes && !arguments_.overwrite) {
      return fail(Fault::io, "'" + arguments_.output + "' holds a search already", {},
                  "--resume goes on with it, --overwrite begins anew");
    }
    journal_ = std::move(journal);
    return done();
  }

  // Races and numerics take a few samples of the task's data where no others are given.
  Status settle_inputs() {
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

  // By the name it has in the search's folder, for a dry run as well: it is part of recipes.
  std::string calibration_data() const {
    if (!arguments_.calibration_data.empty()) return arguments_.calibration_data;
    if (!arguments_.input_data.empty() || arguments_.data.empty()) return arguments_.input_data;
    return (Path(arguments_.output) / inputs_name).string();
  }

  // A user without a home has no findings of his own.
  std::optional<Path> knowledge() const {
    if (!arguments_.knowledge.empty()) return arguments_.knowledge;
    const auto folder = knowledge_folder();
    return folder ? std::optional(*folder) : std::nullopt;
  }

  Result<BuiltModel> build_first(const Recipe& baseline) {
    Result<BuiltModel> built = tools_.build(baseline, unlimited_s);
    const bool is_late = !built && built.error().fault == Fault::timeout && seconds_left(site_) < 1;
    if (!is_late) return built;
    // One arm is built, checked and raced against the baseline: four times that at the least.
    const std::int64_t least = 4 * arguments_.time_budget_s;
    return fail(Fault::timeout, "the time budget was over before the baseline was built",
                built.error().what,
                "building it alone takes longer than that, and each arm is built and raced "
                "besides: give --time-budget " +
                    std::to_string(least) + " at the least");
  }

  // What there is to try.
  Status think(const Recipe& baseline, const BuiltModel& built) {
    SearchSite looked_at = site_;
    looked_at.model = built.model;
    progress_.step("looking at the baseline");
    HONE_TRY(found_, find_insight(looked_at, baseline, !arguments_.skips_trace));
    if (!arguments_.overrides.empty()) {
      HONE_TRY_DO(read_file(arguments_.overrides));  // before anything is tried
      found_.insight.overrides = arguments_.overrides;
    }
    HONE_TRY(environment_, find_environment(arguments_.where, baseline.target));
    HONE_TRY(const std::vector<Finding> findings, load_knowledge(knowledge()));
    const Situation situation = app::situation_of(found_, environment_);
    const HypothesisRequest request{.insight = found_.insight,
                                    .advisor = make_advisor(findings, situation, baseline),
                                    .recipes = arguments_.recipes,
                                    .only = arguments_.only,
                                    .calibration_data = calibration_data()};
    HONE_TRY(proposed_, collect_hypotheses(request));
    return done();
  }

  Result<ExitCode> show_plan() {
    SearchResult plan;
    plan.model = site_.model.string();
    plan.target = proposed_.hypotheses.front().recipe.target;
    plan.objective = arguments_.objective;
    plan.verdict = "nothing was tried: this is what would be";
    plan.skips = proposed_.skips;
    for (const Hypothesis& hypothesis : proposed_.hypotheses) {
      SearchArm arm;
      arm.hypothesis = hypothesis;
      arm.recipe_hash = hash_of(hypothesis.recipe);
      plan.arms.push_back(std::move(arm));
    }
    progress_.end();
    HONE_TRY_DO(call_.answer(to_document(plan, search_schema_version), describe_plan(plan)));
    return ExitCode::done;
  }

  Result<ExitCode> record() {
    RecordPlan plan;
    plan.hypotheses = proposed_.hypotheses;
    plan.sessions = static_cast<std::size_t>(arguments_.record_sessions);
    plan.progress = [this](const std::string& step) { progress_.step(step); };
    HONE_TRY(RecordedSpace space, record_space(site_, tools_, plan));
    HONE_TRY(space.model_sha256, hash_of_model_files(site_.model));
    space.environment = environment_.key;
    const Json document = to_document(space, replay_schema_version);
    HONE_TRY_DO(write_file(arguments_.record, document.dump(-1) + "\n"));
    progress_.end();
    HONE_TRY_DO(call_.answer(
        document, arguments_.record + ": " + std::to_string(space.arms.size()) + " arms\n"));
    return ExitCode::done;
  }

  Result<SearchResult> search_now() {
    SearchPlan plan;
    plan.model = site_.model.string();
    HONE_TRY(plan.model_sha256, hash_of_model_files(site_.model));
    plan.environment = environment_.key;
    plan.target = proposed_.hypotheses.front().recipe.target;
    plan.objective = *value_named<SearchObjective>(arguments_.objective);
    HONE_TRY(plan.latency_budget_ms, latency_budget_of(arguments_));
    HONE_TRY(plan.conditions, conditions_key(site_, {calibration_data(), arguments_.overrides}));
    HONE_TRY(plan.gate, gate_key(site_));
    plan.step_limit_s = static_cast<double>(arguments_.timeout);
    plan.began_s = began_s_;
    plan.max_drop = arguments_.max_drop;
    plan.margin = site_.margin;
    // Writing takes a moment too.
    constexpr double writing_s = 1;
    constexpr double writing_share = 0.04;
    const auto budget_s = static_cast<double>(arguments_.time_budget_s);
    if (budget_s > 0) plan.time_budget_s = budget_s * (1 - writing_share) - writing_s;
    plan.hypotheses = proposed_.hypotheses;
    plan.skips = proposed_.skips;
    plan.seed = arguments_.seed;
    tools_.progress = [this](const SearchProgress& seen) { show(seen); };
    if (arguments_.overwrite) HONE_TRY_DO(journal_->clear());
    return search(plan, tools_, *journal_);
  }

  void show(const SearchProgress& seen) {
    std::string line = seen.phase;
    if (seen.total > 0)
      line += " " + std::to_string(seen.done) + " of " + std::to_string(seen.total);
    if (!seen.arm.empty()) line += ": " + seen.arm;
    line += ", " + std::to_string(static_cast<int>(seen.seconds)) + " s";
    if (arguments_.time_budget_s > 0) {
      const auto left = arguments_.time_budget_s - static_cast<std::int64_t>(seen.seconds);
      line += ", at the most " + std::to_string(std::max<std::int64_t>(left, 0)) + " s to go";
    } else if (seen.remaining_s) {
      line += ", about " + std::to_string(static_cast<int>(*seen.remaining_s)) + " s to go";
    }
    progress_.step(line);
  }

  Status complete(const Recipe& baseline, SearchResult& result) {
    SearchOutcome outcome{.site = site_,
                          .environment = environment_,
                          .found = found_,
                          .baseline = baseline,
                          .command_line = call_.settings().command_line,
                          .traces = !arguments_.skips_trace};
    progress_.step("writing the report");
    return write_outcome(outcome, result);
  }

  const SearchArguments& arguments_;
  const Call& call_;
  StepProgress progress_;
  std::optional<TemporaryFolder> temporary_;  // of a dry run
  std::optional<SearchJournal> journal_;      // of all others: it is what keeps the folder ours
  double began_s_ = 0;
  SearchSite site_;
  SearchTools tools_;
  FoundInsight found_;
  SearchEnvironment environment_;
  HypothesisSet proposed_;
};

Result<ExitCode> run(const SearchArguments& arguments, const Call& call) {
  if (!arguments.replays.empty()) {
    return run_replay(arguments.replays, static_cast<std::uint64_t>(arguments.searches),
                      arguments.margin / 100, call);
  }
  Result<ExitCode> end = Autoconfig(arguments, call).run();
  const bool is_stopped = stop_when_interrupted().load();
  if (!end && is_stopped) call.note("stopped before anything was measured");
  // What was stopped ends by the signal that stopped it, once it has answered and let go.
  end_if_interrupted();
  return end;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<SearchArguments>();
  declare_search(options, *arguments);
  return [arguments](const Call& call) { return run(*arguments, call); };
}

}  // namespace

Command autoconfig() {
  return {.name = "autoconfig",
          .group = "search",
          .summary = "Find the best recipe of a model for a target, and confirm it",
          .help =
              "Builds a baseline, looks at it, and thinks of what could be better: opsets,\n"
              "fusions, precisions, session and provider options. Each is built, compared\n"
              "with the model as it came, and raced against the baseline; winners are\n"
              "combined. The best is confirmed on fresh sessions only, has to pass the\n"
              "accuracy gate, and is kept in FOLDER/champion with a report. What was\n"
              "measured is in a journal: a search that was killed goes on with --resume.",
          .examples =
              "hone autoconfig model.onnx -o search --ep cpu --input-data samples.npz\n"
              "hone autoconfig rec.onnx -o search --task text-recognition --data lines\n"
              "hone autoconfig model.onnx -o search --dry-run",
          .declare = declare};
}

}  // namespace hone::app::commands
