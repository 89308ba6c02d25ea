// What ships, and the sentence that says why.

#include <cstdio>

#include "base/counted.h"
#include "record/search_front.h"
#include "search/run.h"

namespace hone {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", value);
  return text;
}

// Of the machine, where it was not the search's own.
std::string circumstances(const SearchRun& run) {
  const double load = mean_load(run).value_or(0);
  if (load <= busy_share) return {};
  return "; the machine was busy: others used " + std::to_string(std::lround(load * 100)) +
         " % of it";
}

// What the confirmation rests on.
std::string evidence_of(const SearchRun& run) {
  if (!run.confirmation) return {};
  const Comparison& final = *run.confirmation;
  const std::size_t rounds = final.sessions > 0 ? final.pairs / final.sessions : 0;
  std::string text = ", in " + counted(final.sessions, "fresh session");
  if (rounds > 0 && rounds < run.plan.confirm_rounds)
    text += " of " + counted(rounds, "round") + " for want of time";
  return text;
}

std::string speed_of(const ComparedArm& arm) {
  std::string text = number(arm.ratio) + " of the baseline's time";
  if (arm.interval.size() == 2)
    text += " (" + number(arm.interval[0]) + " to " + number(arm.interval[1]) + ")";
  return text;
}

bool is_kept(const SearchArm& arm) {
  return arm.confirmed && arm.confirmed->verdict == Verdict::faster &&
         arm.confirmed->is_worth_keeping;
}

std::vector<const SearchArm*> confirmed_arms(const SearchRun& run) {
  std::vector<const SearchArm*> arms;
  for (const auto& contender : run.contenders)
    if (contender->arm.confirmed) arms.push_back(&contender->arm);
  std::ranges::stable_sort(arms, std::less(),
                           [](const SearchArm* arm) { return arm->confirmed->ratio; });
  return arms;
}

const SearchArm* fastest_kept(const std::vector<const SearchArm*>& arms) {
  const auto found = std::ranges::find_if(
      arms, [](const SearchArm* arm) { return is_kept(*arm) && passes_gate(*arm); });
  return found != arms.end() ? *found : nullptr;
}

// The whole interval keeps the budget, and nothing that does is more accurate.
const SearchArm* most_accurate(const SearchRun& run, const std::vector<const SearchArm*>& arms) {
  const double baseline_ms = run.confirmation ? run.confirmation->baseline_ms.value_or(0) : 0;
  const double budget_ms = run.plan.latency_budget_ms.value_or(baseline_ms);
  const auto& reference = run.baseline().arm.accuracy;
  const bool is_baseline_good = baseline_ms <= budget_ms && reference && reference->value;
  double best = is_baseline_good ? *reference->value : -std::numeric_limits<double>::infinity();
  const SearchArm* found = nullptr;
  for (const SearchArm* arm : arms) {
    const bool keeps_budget = arm->confirmed->interval.size() == 2 &&
                              arm->confirmed->interval[1] * baseline_ms <= budget_ms;
    // Stopped before a look, an interval means nothing; that it holds 1 is no matter here.
    if (!keeps_budget || arm->confirmed->is_cut || !passes_gate(*arm) || !arm->accuracy->value)
      continue;
    if (*arm->accuracy->value <= best) continue;
    best = *arm->accuracy->value;
    found = arm;
  }
  return found;
}

std::vector<std::string> front_of(const SearchRun& run) {
  std::vector<const SearchArm*> arms;
  for (const auto& contender : run.contenders) arms.push_back(&contender->arm);
  std::vector<std::string> front;
  for (const FrontPoint& point : front_points(arms))
    if (point.is_best) front.push_back(point.arm->hypothesis.id);
  return front;
}

// The arm that looked best, where the time was over before anything could be said of it.
const Contender* best_unconfirmed(const SearchRun& run) {
  const Contender* best = nullptr;
  for (const auto& contender : run.contenders) {
    if (!contender->is_racing || contender->arm.confirmed || !contender->has_score()) continue;
    const bool is_better = contender->score() < (best != nullptr ? best->score() : 0);
    if (is_better) best = contender.get();
  }
  return best;
}

bool was_nothing_raced(const SearchRun& run) {
  bool is_any_pending = false;
  for (const auto& contender : run.contenders) {
    if (contender->has_score()) return false;
    const bool is_baseline = contender.get() == &run.baseline();
    is_any_pending |= !is_baseline && contender->arm.outcome == ArmOutcome::pending;
  }
  return is_any_pending;
}

// The baseline's time where it is above the budget; else nothing.
std::optional<double> missed_by_baseline(const SearchRun& run) {
  const bool has_budget =
      run.plan.objective == SearchObjective::accuracy && run.plan.latency_budget_ms;
  const auto ms = run.confirmation ? run.confirmation->baseline_ms : run.first_baseline_ms;
  return has_budget && ms && *ms > *run.plan.latency_budget_ms ? ms : std::nullopt;
}

std::string no_champion(const SearchRun& run, const std::vector<const SearchArm*>& arms) {
  if (run.is_stopped()) return "stopped: the same search with the same journal goes on from here";
  const std::string goes_on = "; --resume with more time goes on from here";
  if (was_nothing_raced(run))
    return "the baseline ships: the time was over before anything was raced";
  if (const auto baseline_ms = missed_by_baseline(run)) {
    return "nothing that may ship keeps the latency budget of " +
           number(*run.plan.latency_budget_ms) + " ms, not even the baseline, which takes " +
           number(*baseline_ms) + " ms";
  }
  const auto kept = std::ranges::find_if(arms, [](const SearchArm* arm) { return is_kept(*arm); });
  if (kept != arms.end() && run.plan.objective != SearchObjective::accuracy) {
    return "the baseline ships: " + (*kept)->hypothesis.id + " takes " +
           speed_of(*(*kept)->confirmed) + ", but nothing shows that its answers are good enough";
  }
  if (!arms.empty() && arms.front()->confirmed->is_cut) {
    return "the baseline ships: " + arms.front()->hypothesis.id + " seems to take " +
           speed_of(*arms.front()->confirmed) + ", but " + arms.front()->confirmed->reason +
           goes_on;
  }
  if (const Contender* best = best_unconfirmed(run);
      best != nullptr && run.plan.time_budget_s > 0) {
    return "the baseline ships: " + best->arm.hypothesis.id +
           " seemed faster in the race, but no time was left to confirm it" + goes_on;
  }
  if (!arms.empty() && arms.front()->confirmed->verdict != Verdict::slower) {
    const ComparedArm& best = *arms.front()->confirmed;
    const bool is_open = best.verdict == Verdict::inconclusive && !best.reason.empty();
    return "the baseline ships: " + arms.front()->hypothesis.id + " takes " + speed_of(best) +
           (is_open ? ", which shows nothing: " + best.reason : ", which is not enough");
  }
  return "the baseline ships: nothing that may ship came out faster in the race";
}

}  // namespace

void conclude(const SearchRun& run, SearchResult& result) {
  const std::vector<const SearchArm*> arms = confirmed_arms(run);
  const bool is_for_accuracy = run.plan.objective == SearchObjective::accuracy;
  const SearchArm* champion = is_for_accuracy ? most_accurate(run, arms) : fastest_kept(arms);
  result.front = front_of(run);
  if (champion == nullptr) {
    result.verdict = no_champion(run, arms);
    if (!run.is_stopped()) result.verdict += circumstances(run);
    return;
  }
  result.champion = champion->hypothesis.id;
  result.verdict = champion->hypothesis.id + " ships: " + speed_of(*champion->confirmed) +
                   evidence_of(run) + ", and its accuracy holds" + circumstances(run);
}

}  // namespace hone
