// Who is worth confirming: the objective decides, and the accuracy of the bytes that would ship.
// The gate stands before the final, because what may not ship need not be measured twenty times,
// and because whom it lets through does not depend on any time that is measured afterwards.

#include "search/run.h"

namespace hone {
namespace {

// What a finalist has to beat, in ln t: the baseline, or what an earlier final has confirmed.
double best_so_far(const SearchRun& run) {
  double best = 0;
  for (const auto& contender : run.contenders) {
    const auto& confirmed = contender->arm.confirmed;
    if (confirmed && confirmed->is_worth_keeping && passes_gate(contender->arm))
      best = std::min(best, std::log(confirmed->ratio));
  }
  return best;
}

bool has_failed_gate(const Contender* contender) {
  return contender->arm.outcome == ArmOutcome::accuracy_failed;
}

// What cannot ship takes no place from what can: its speed is worth knowing where one is left.
void fill_places(std::vector<Contender*>& finalists, const std::vector<Contender*>& unproven,
                 std::size_t most) {
  for (Contender* contender : unproven)
    if (finalists.size() < most) finalists.push_back(contender);
}

// The fastest that pass; who fails or is blocked makes room for the next.
Result<std::vector<Contender*>> nominate_fastest(SearchRun& run) {
  constexpr std::size_t most = 2;
  std::vector<Contender*> finalists;
  std::vector<Contender*> unproven;
  const double best = best_so_far(run);
  for (Contender* contender : by_score(run)) {
    if (finalists.size() == most || run.is_stopped()) break;
    if (contender->arm.confirmed || contender->score() >= best) continue;
    if (contender->is_gate_open) {
      if (run.is_late()) break;
      HONE_TRY_DO(gate(run, *contender));
    }
    if (has_failed_gate(contender)) continue;
    (passes_gate(contender->arm) ? finalists : unproven).push_back(contender);
  }
  fill_places(finalists, unproven, most);
  return finalists;
}

// All that raced, gated; those whose accuracy is a number and not too low remain.
Result<std::vector<Contender*>> gate_all(SearchRun& run) {
  std::vector<Contender*> measured;
  if (run.is_over()) return measured;
  HONE_TRY_DO(gate(run, run.baseline()));
  for (Contender* contender : by_score(run)) {
    if (run.is_over()) break;
    if (contender->arm.confirmed) continue;
    HONE_TRY_DO(gate(run, *contender));
    if (!has_failed_gate(contender) && contender->arm.accuracy->value)
      measured.push_back(contender);
  }
  return measured;
}

// Those that may ship first, each kind in the order it was in.
void put_proven_first(std::vector<Contender*>& arms) {
  std::ranges::stable_partition(arms, [](const Contender* arm) { return passes_gate(arm->arm); });
}

double accuracy_of(const Contender* contender) { return *contender->arm.accuracy->value; }

// The most accurate of those that seem to keep the latency budget.
Result<std::vector<Contender*>> nominate_most_accurate(SearchRun& run) {
  constexpr std::size_t most = 2;
  HONE_TRY(std::vector<Contender*> arms, gate_all(run));
  const double baseline_ms = run.first_baseline_ms.value_or(0);
  const double budget_ms = run.plan.latency_budget_ms.value_or(baseline_ms);
  // The race is rough: what misses the budget by a little gets its chance in the final.
  constexpr double slack = 1.05;
  std::erase_if(arms, [&](const Contender* arm) {
    return baseline_ms * std::exp(arm->score()) > budget_ms * slack;
  });
  std::ranges::stable_sort(arms, std::greater(), accuracy_of);
  put_proven_first(arms);
  if (arms.size() > most) arms.resize(most);
  return arms;
}

// Those that no other beats in both; with the fastest first.
Result<std::vector<Contender*>> nominate_front(SearchRun& run) {
  HONE_TRY(std::vector<Contender*> arms, gate_all(run));
  std::ranges::stable_sort(arms, std::less(), &Contender::score);
  put_proven_first(arms);
  std::vector<Contender*> front;
  for (Contender* arm : arms) {
    if (front.size() + 1 >= run.plan.group_size) break;
    const bool is_beaten = std::ranges::any_of(front, [&](const Contender* other) {
      return other->score() <= arm->score() && accuracy_of(other) >= accuracy_of(arm);
    });
    if (!is_beaten) front.push_back(arm);
  }
  return front;
}

}  // namespace

Status gate(SearchRun& run, Contender& contender) {
  SearchArm& arm = contender.arm;
  run.tell("accuracy", arm.hypothesis.id, 0, 0);
  const double began = run.elapsed();
  HONE_TRY(const Result<AccuracyCheck> checked,
           once<AccuracyCheck>(run, gate_subject(run, arm), "accuracy", [&](double limit_s) {
             return run.tools.check_accuracy(*arm.built, arm.hypothesis.recipe, limit_s);
           }));
  run.slowest_gate_s = std::max(run.slowest_gate_s, run.elapsed() - began);
  // What the share of the time ended that is not for finals says nothing: a final may have more.
  const bool was_late = !checked && run.was_late(checked.error());
  contender.is_gate_open = was_late;
  if (checked) {
    arm.accuracy = *checked;
  } else {
    arm.accuracy = AccuracyCheck();
    arm.accuracy->reason =
        was_late ? "the time was over before its accuracy was checked" : checked.error().what;
    arm.fault = name_of(checked.error().fault);
  }
  const CheckVerdict verdict = arm.accuracy->verdict;
  if (verdict == CheckVerdict::fail || verdict == CheckVerdict::timeout)
    contender.leave(ArmOutcome::accuracy_failed, arm.accuracy->reason);
  return done();
}

bool passes_gate(const SearchArm& arm) {
  return arm.accuracy && arm.accuracy->verdict == CheckVerdict::pass;
}

Result<std::vector<Contender*>> nominate(SearchRun& run) {
  // What a gate takes, the final cannot have.
  run.reserve = Reserve::cheapest_final;
  switch (run.plan.objective) {
    case SearchObjective::accuracy:
      return nominate_most_accurate(run);
    case SearchObjective::pareto:
      return nominate_front(run);
    case SearchObjective::latency:
      break;
  }
  return nominate_fastest(run);
}

}  // namespace hone
