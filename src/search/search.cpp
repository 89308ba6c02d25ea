#include "search/search.h"

#include <set>

#include "base/counted.h"
#include "search/mixes.h"
#include "search/places.h"
#include "search/run.h"

namespace hone {
namespace {

// Of a search whose first final left time for what was not reached before it.
constexpr std::size_t most_finals = 2;

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
  // Of a slow model one round says enough: the time is for the arms.
  constexpr double most = 0.1;
  const double began = run.elapsed();
  request.goes_on = [&](const std::vector<ArmBlock>&) {
    const bool has_budget = run.plan.time_budget_s > 0;
    return !has_budget || run.elapsed() - began < run.plan.time_budget_s * most;
  };
  HONE_TRY(const SessionOutcome outcome, run_session(run, request));
  if (outcome.end == RaceEnd::failed) {
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
                            [&](double limit_s) { return run.tools.build(recipe, limit_s); }));
  if (!built && run.was_late(built.error())) {
    baseline.leave(ArmOutcome::out_of_time, "the time was over while it was built");
    return done();
  }
  if (!built) {
    return fail(built.error().fault, "the baseline does not build: " + built.error().what,
                built.error().cause, built.error().hint);
  }
  baseline.arm.built = *built;
  baseline.arm.reason = "everything is compared with it";
  HONE_TRY(run.first_baseline_ms, measure_baseline(run, "first"));
  if (run.first_baseline_ms) {
    baseline.arm.outcome = ArmOutcome::baseline;
  } else if (!run.is_stopped()) {
    baseline.leave(ArmOutcome::out_of_time, "the time was over before its first round");
  }
  return done();
}

bool has_raced(const std::unique_ptr<Contender>& contender) { return contender->has_score(); }

Status screen_first(SearchRun& run, const std::vector<Contender*>& group,
                    std::string_view purpose) {
  const bool is_first = std::ranges::none_of(run.contenders, &has_raced);
  run.reserve = is_first ? Reserve::nothing : Reserve::first_look;
  run.screen_s = 0;
  HONE_TRY_DO(screen(run, group, purpose));
  run.reserve = Reserve::first_look;
  return done();
}

// Builds and screens arms group by group, so that those of high priority are known before the time
// is over.
Status admit_and_screen(SearchRun& run, const std::vector<Contender*>& arms,
                        std::string_view purpose) {
  std::vector<Contender*> group;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    // Before anything has raced there is nothing to confirm that time could be kept for.
    const bool is_first = std::ranges::none_of(run.contenders, &has_raced);
    run.reserve = is_first && group.empty() ? Reserve::nothing : Reserve::first_look;
    // What is built has to be screened too, or it was built for nothing.
    run.screen_s = run.pace.session_s(group.size() + 2, 1);
    if (run.is_over()) break;
    if (let_go_with_its_target(run, *arms[i])) continue;
    HONE_TRY_DO(admit(run, *arms[i]));
    if (arms[i]->is_racing) group.push_back(arms[i]);
    if (group.size() < run.plan.group_size && i + 1 < arms.size()) continue;
    HONE_TRY_DO(screen_first(run, group, purpose));
    group.clear();
  }
  return screen_first(run, group, purpose);
}

// Arms by priority. A front of speed and accuracy is not found by throwing out the slower half.
Status run_pool(SearchRun& run, std::vector<Contender*> arms, std::string_view purpose) {
  const auto priority = [](const Contender* arm) { return arm->arm.hypothesis.priority; };
  std::ranges::stable_sort(arms, std::greater(), priority);
  HONE_TRY_DO(admit_and_screen(run, arms, purpose));
  HONE_TRY_DO(screen_again(run, purpose));
  if (run.plan.objective != SearchObjective::latency) return done();
  run.reserve = Reserve::all_looks;
  std::vector<Contender*> racing;
  for (const auto& contender : run.contenders)
    if (contender->is_racing) racing.push_back(contender.get());
  return race(run, std::move(racing), purpose);
}

// What is not combined with itself: a dimension, of the EP's options each one.
std::string kind_of(const Hypothesis& hypothesis) {
  if (hypothesis.dimension != "provider") return hypothesis.dimension;
  return hypothesis.dimension + " " + hypothesis.id.substr(0, hypothesis.id.find('='));
}

// The fastest of each kind on the home's target, where it is faster than that by more than the
// margin. What changes precision has to be shown accurate enough by itself: together with others it
// will not get better.
Result<std::vector<MixPart>> find_winners(SearchRun& run, const Contender& home) {
  constexpr std::size_t most = 4;
  std::vector<MixPart> winners;
  const auto of_home = score_of_home(run, home);
  if (!of_home) return winners;
  const std::string place = place_of(home.arm.hypothesis);
  std::vector<Contender*> fastest = by_score(run);
  std::ranges::stable_sort(fastest, std::less(), &Contender::score);
  std::set<std::string> kinds;
  for (Contender* contender : fastest) {
    const Hypothesis& hypothesis = contender->arm.hypothesis;
    const double gained = contender->score() - *of_home;
    if (gained > -std::log1p(run.plan.margin) || winners.size() == most) break;
    if (place_of(hypothesis) != place || kinds.contains(kind_of(hypothesis))) continue;
    if (hypothesis.recipe.quantize) {
      if (!run.is_over()) HONE_TRY_DO(gate(run, *contender));
      if (!passes_gate(contender->arm)) continue;
    }
    kinds.insert(kind_of(hypothesis));
    winners.push_back({&hypothesis, gained});
  }
  return winners;
}

Result<std::vector<Contender*>> add_mixes(SearchRun& run) {
  std::set<std::string> known;
  for (const auto& contender : run.contenders) known.insert(contender->arm.recipe_hash);
  std::vector<Contender*> added;
  for (const Contender* home : homes_of(run)) {
    const Recipe& base = home->arm.hypothesis.recipe;
    HONE_TRY(const std::vector<MixPart> winners, find_winners(run, *home));
    for (Hypothesis& made : mix(base, winners, run.plan.most_mixes)) {
      if (known.insert(hash_of(made.recipe)).second) added.push_back(&run.add(std::move(made)));
    }
  }
  return added;
}

// What is still to be built, because the time was short.
std::vector<Contender*> not_reached(const SearchRun& run) {
  std::vector<Contender*> arms;
  for (const auto& contender : run.contenders) {
    const bool is_baseline = contender.get() == &run.baseline();
    if (!is_baseline && !contender->arm.built && contender->arm.outcome == ArmOutcome::pending)
      arms.push_back(contender.get());
  }
  return arms;
}

// The baselines of other targets come before everything that is tried there.
Status screen_targets(SearchRun& run, std::vector<Contender*>& arms) {
  const auto is_home = [](const Contender* arm) {
    return arm->arm.hypothesis.dimension == "target";
  };
  const auto rest = std::ranges::stable_partition(arms, is_home);
  const std::vector<Contender*> homes(arms.begin(), rest.begin());
  arms.erase(arms.begin(), rest.begin());
  return homes.empty() ? done() : admit_and_screen(run, homes, "targets");
}

// Races the arms, and what is combined of them, and confirms the best.
Status find_and_confirm(SearchRun& run, std::vector<Contender*> arms, const std::string& leg) {
  HONE_TRY_DO(screen_targets(run, arms));
  HONE_TRY_DO(run_pool(run, std::move(arms), leg + "alone"));
  run.reserve = Reserve::first_look;
  if (!run.is_over()) {
    HONE_TRY(std::vector<Contender*> mixes, add_mixes(run));
    HONE_TRY_DO(run_pool(run, std::move(mixes), leg + "mixed"));
  }
  if (run.is_stopped()) return done();
  HONE_TRY(std::vector<Contender*> finalists, nominate(run));
  HONE_TRY(const std::vector<Contender*> others, best_of_others(run, finalists));
  finalists.insert(finalists.end(), others.begin(), others.end());
  // Time that is left over goes to what was not reached, and may lead to a second final.
  if (!not_reached(run).empty()) run.finals = most_finals + run.plan.finals_before;
  return confirm(run, std::move(finalists));
}

// Arms that a race left no time for are tried with what its final did not need. Each leg reaches
// some of them, or is the last.
Status search_in_legs(SearchRun& run) {
  std::vector<Contender*> arms = not_reached(run);
  for (std::size_t leg = 1; !arms.empty() && !run.is_stopped(); ++leg) {
    const std::size_t before = arms.size();
    run.raced_from_s = run.elapsed();
    const std::string name = leg == 1 ? "" : "leg " + std::to_string(leg) + "/";
    HONE_TRY_DO(find_and_confirm(run, std::move(arms), name));
    arms = not_reached(run);
    if (run.finals_held == most_finals || arms.size() == before) break;
  }
  return done();
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

// Says of an arm that nothing has ruled out why it is not among the confirmed.
void close(const SearchRun& run, Contender& contender) {
  SearchArm& arm = contender.arm;
  const std::size_t rounds = contender.differences.size();
  if (run.is_stopped() || !arm.built) {
    arm.reason = run.over_reason() + (arm.built ? "raced to the end" : "built");
  } else if (!contender.has_score()) {
    contender.leave(ArmOutcome::out_of_time, "the time was over before its first round");
  } else if (contender.is_set_aside) {
    contender.leave(is_busy(run) ? ArmOutcome::out_of_time : ArmOutcome::futile,
                    ratio_words(contender.score()) +
                        " the baseline's time in 1 round, and no time was left for another");
  } else if (contender.score() >= 0) {
    contender.leave(ArmOutcome::raced_out, "it was not faster than the baseline in " +
                                               counted(rounds, "round") + " of the race");
  } else if (contender.is_racing && run.plan.time_budget_s > 0) {
    contender.leave(ArmOutcome::out_of_time,
                    "it seemed faster in " + counted(rounds, "round") +
                        " of the race, and the time was over before that was confirmed");
  } else {
    contender.leave(ArmOutcome::raced_out, "others were faster in the race");
  }
}

void settle(SearchRun& run, SearchResult& result) {
  run.reserve = Reserve::nothing;
  conclude(run, result);
  result.targets = bests_of(run, result);
  result.stopped = run.is_stopped();
  result.load = mean_load(run);
  for (const auto& contender : run.contenders) {
    SearchArm& arm = contender->arm;
    const bool is_baseline = contender.get() == &run.baseline();
    if (!is_baseline && arm.outcome == ArmOutcome::pending) close(run, *contender);
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
  result.conditions = plan.conditions;
  result.gate = plan.gate;

  HONE_TRY_DO(begin(run));
  for (const Hypothesis& hypothesis : std::span(plan.hypotheses).subspan(1)) run.add(hypothesis);
  if (run.baseline().arm.built) HONE_TRY_DO(search_in_legs(run));
  run.reserve = Reserve::nothing;
  if (!run.is_stopped()) HONE_TRY_DO(confirm_hazard(run));
  HONE_TRY_DO(look_for_drift(run, result));
  settle(run, result);
  return result;
}

}  // namespace hone
