#include "search/search.h"

#include <set>

#include "search/mixes.h"
#include "search/run.h"

namespace hone {
namespace {

Failure bad_plan(std::string why) {
  return fail(Fault::bad_input, "the plan of the search cannot be followed", std::move(why));
}

Status check(const SearchPlan& plan) {
  if (plan.hypotheses.empty()) return bad_plan("it has no baseline");
  std::set<std::string> ids;
  for (const Hypothesis& hypothesis : plan.hypotheses)
    if (!ids.insert(hypothesis.id).second)
      return bad_plan("'" + hypothesis.id + "' is in it twice");
  if (plan.looks.empty() || plan.looks.front() < 2) return bad_plan("a look needs two sessions");
  if (std::ranges::adjacent_find(plan.looks, std::greater_equal()) != plan.looks.end())
    return bad_plan("its looks do not ascend");
  if (plan.group_size == 0 || plan.confirm_rounds == 0 || plan.screen_rounds == 0)
    return bad_plan("a session of it has no arm or no round");
  return done();
}

Status note_other_environments(SearchRun& run) {
  HONE_TRY(const std::vector<std::string> known,
           run.journal.environments_of(run.plan.model_sha256));
  const auto others = std::ranges::count_if(
      known, [&](const std::string& name) { return name != run.plan.environment; });
  if (others == 0) return done();
  run.notes.push_back("the journal has measurements of this model in " + std::to_string(others) +
                      (others == 1 ? " other environment" : " other environments") +
                      ": they are kept and not used");
  return done();
}

// The baseline beside its own clone, before anything and after everything.
Result<std::optional<double>> measure_baseline(SearchRun& run, std::string purpose) {
  SessionRequest request;
  request.purpose = std::move(purpose);
  request.arms = {&run.baseline(), &run.baseline()};
  request.rounds = run.plan.confirm_rounds;
  HONE_TRY(const SessionOutcome outcome, run_session(run, request));
  if (outcome.end == SessionEnd::failed) {
    return fail(outcome.error->fault, "the baseline does not run: " + outcome.error->what,
                outcome.error->cause, outcome.error->hint);
  }
  std::vector<double> logs;
  for (const auto& round : outcome.session.rounds)
    for (const ArmBlock& block : round) logs.push_back(block.log_ns);
  if (logs.empty()) return std::optional<double>();
  return std::optional(std::exp(middle_of(std::move(logs))) / 1e6);
}

Status begin(SearchRun& run) {
  HONE_TRY_DO(note_other_environments(run));
  Contender& baseline = run.add(run.plan.hypotheses.front());
  const Recipe& recipe = baseline.arm.hypothesis.recipe;
  HONE_TRY(const Result<BuiltModel> built,
           once<BuiltModel>(run, build_subject(run, baseline.arm), "build",
                            [&] { return run.tools.build(recipe); }));
  if (!built) {
    return fail(built.error().fault, "the baseline does not build: " + built.error().what,
                built.error().cause, built.error().hint);
  }
  baseline.arm.built = *built;
  baseline.arm.reason = "everything is compared with it";
  HONE_TRY(run.first_baseline_ms, measure_baseline(run, "first"));
  return done();
}

// Builds and screens arms group by group, so that those of high priority are known before the time
// is over.
Status admit_and_screen(SearchRun& run, const std::vector<Contender*>& arms,
                        std::string_view purpose) {
  std::vector<Contender*> group;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (run.is_over()) break;
    HONE_TRY_DO(admit(run, *arms[i]));
    if (arms[i]->is_racing) group.push_back(arms[i]);
    if (group.size() < run.plan.group_size && i + 1 < arms.size()) continue;
    HONE_TRY_DO(screen(run, group, purpose));
    group.clear();
  }
  return screen(run, group, purpose);
}

// Arms by priority. A front of speed and accuracy is not found by throwing out the slower half.
Status run_pool(SearchRun& run, std::vector<Contender*> arms, std::string_view purpose) {
  const auto priority = [](const Contender* arm) { return arm->arm.hypothesis.priority; };
  std::ranges::stable_sort(arms, std::greater(), priority);
  HONE_TRY_DO(admit_and_screen(run, arms, purpose));
  if (run.plan.objective != SearchObjective::latency) return done();
  std::vector<Contender*> racing;
  for (const auto& contender : run.contenders)
    if (contender->is_racing) racing.push_back(contender.get());
  return race(run, std::move(racing), purpose);
}

// The fastest of each dimension, where it is faster by more than the margin. What changes precision
// has to be shown accurate enough by itself: together with others it will not get better.
Result<std::vector<MixPart>> find_winners(SearchRun& run) {
  constexpr std::size_t most = 4;
  std::vector<Contender*> fastest = by_score(run);
  std::ranges::stable_sort(fastest, std::less(), &Contender::score);
  std::vector<MixPart> winners;
  std::set<std::string> dimensions;
  for (Contender* contender : fastest) {
    const Hypothesis& hypothesis = contender->arm.hypothesis;
    if (contender->score() > -std::log1p(run.plan.margin) || winners.size() == most) break;
    if (dimensions.contains(hypothesis.dimension)) continue;
    if (hypothesis.recipe.quantize) {
      if (!run.is_over()) HONE_TRY_DO(gate(run, *contender));
      if (!passes_gate(contender->arm)) continue;
    }
    dimensions.insert(hypothesis.dimension);
    winners.push_back({&hypothesis, contender->score()});
  }
  return winners;
}

Result<std::vector<Contender*>> add_mixes(SearchRun& run) {
  std::set<std::string> known;
  for (const auto& contender : run.contenders) known.insert(contender->arm.recipe_hash);
  std::vector<Contender*> added;
  const Recipe& base = run.baseline().arm.hypothesis.recipe;
  HONE_TRY(const std::vector<MixPart> winners, find_winners(run));
  for (Hypothesis& made : mix(base, winners, run.plan.most_mixes)) {
    if (known.insert(hash_of(made.recipe)).second) added.push_back(&run.add(std::move(made)));
  }
  return added;
}

// The baseline at the end against the beginning. One session varies more than the mean of many,
// by the root of their number.
Status look_for_drift(SearchRun& run, SearchResult& result) {
  if (run.is_stopped() || !run.confirmation) return done();
  HONE_TRY(const std::optional<double> last_ms, measure_baseline(run, "last"));
  if (!last_ms || !run.first_baseline_ms) return done();
  result.drift = *last_ms / *run.first_baseline_ms - 1;
  const double sessions = static_cast<double>(run.confirmation->sessions);
  const double floor = run.confirmation->noise_floor.value_or(0) * std::sqrt(sessions);
  if (std::abs(*result.drift) > std::max(floor, run.plan.margin))
    run.notes.emplace_back(
        "the baseline's own time changed between beginning and end by more "
        "than its noise: something else happened on the machine");
  return done();
}

void settle(SearchRun& run, SearchResult& result) {
  conclude(run, result);
  result.stopped = run.is_stopped();
  for (const auto& contender : run.contenders) {
    SearchArm& arm = contender->arm;
    const bool is_baseline = contender.get() == &run.baseline();
    if (!is_baseline && arm.outcome == ArmOutcome::pending) {
      if (contender->has_score() && !run.is_stopped()) {
        contender->leave(ArmOutcome::raced_out, "it was not faster than the baseline in the race");
      } else {
        arm.reason = run.over_reason() + (arm.built ? "raced to the end" : "built");
      }
    }
    result.arms.push_back(std::move(arm));
  }
  result.skips = run.plan.skips;
  result.baseline_ms = run.first_baseline_ms;
  if (run.confirmation) {
    result.baseline_ms = run.confirmation->baseline_ms;
    result.noise_floor = run.confirmation->noise_floor;
  }
  result.confirmation = std::move(run.confirmation);
  result.hazard = std::move(run.hazard);
  result.evaluations = run.blocks;
  result.seconds = run.elapsed();
  result.notes = std::move(run.notes);
}

}  // namespace

Result<SearchResult> search(const SearchPlan& plan, const SearchTools& tools,
                            SearchJournal& journal) {
  HONE_TRY_DO(check(plan));
  SearchRun run(plan, tools, journal);
  SearchResult result;
  result.model = plan.model;
  result.model_sha256 = plan.model_sha256;
  result.target = plan.target;
  result.objective = name_of(plan.objective);
  result.latency_budget_ms = plan.latency_budget_ms;
  result.environment = plan.environment;

  HONE_TRY_DO(begin(run));
  std::vector<Contender*> arms;
  for (const Hypothesis& hypothesis : std::span(plan.hypotheses).subspan(1))
    arms.push_back(&run.add(hypothesis));
  HONE_TRY_DO(run_pool(run, std::move(arms), "alone"));
  if (!run.is_over()) {
    HONE_TRY(std::vector<Contender*> mixes, add_mixes(run));
    HONE_TRY_DO(run_pool(run, std::move(mixes), "mixed"));
  }

  run.is_confirming = true;
  if (!run.is_stopped()) {
    HONE_TRY(const std::vector<Contender*> finalists, nominate(run));
    HONE_TRY_DO(confirm(run, finalists));
    HONE_TRY_DO(confirm_hazard(run));
  }
  HONE_TRY_DO(look_for_drift(run, result));
  settle(run, result);
  return result;
}

}  // namespace hone
