// The final: one or a few arms against the baseline and its clone on fresh sessions, judged at the
// looks of the plan. Only what is found here is reported as a speed.

#include "base/text.h"
#include "search/run.h"

namespace hone {
namespace {

using Finalists = std::vector<Contender*>;

// Nothing is left to find out of an arm. One that is faster and not yet by the margin goes on,
// unless its whole interval lies below the margin.
bool is_decided(const ComparedArm& arm, const Comparison& comparison) {
  if (arm.verdict == Verdict::inconclusive) return false;
  if (arm.verdict != Verdict::faster || arm.is_worth_keeping) return true;
  const double margin = std::max(comparison.margin, comparison.noise_floor.value_or(0));
  return !arm.interval.empty() && arm.interval.front() > 1 / (1 + margin);
}

// Every arm is decided, or slower than one that is kept anyway.
bool is_decided(const Comparison& comparison) {
  double best = std::numeric_limits<double>::infinity();
  for (const ComparedArm& arm : comparison.arms)
    if (arm.is_worth_keeping) best = std::min(best, arm.ratio);
  return std::ranges::all_of(comparison.arms, [&](const ComparedArm& arm) {
    return is_decided(arm, comparison) || arm.ratio > best;
  });
}

// After the second look, an arm that is not even by its estimate faster than the margin will hardly
// be kept: the sessions that are left are better spent on another model. To stop without a finding
// makes no false one.
bool is_hopeless(const SearchRun& run, const Comparison& comparison) {
  if (run.plan.looks.size() < 2 || comparison.sessions < run.plan.looks[1]) return false;
  return std::ranges::all_of(comparison.arms, [&](const ComparedArm& arm) {
    return arm.ratio > 1 / (1 + comparison.margin);
  });
}

// Between looks the levels do not hold.
void withdraw_verdicts(Comparison& comparison, std::size_t look) {
  for (ComparedArm& arm : comparison.arms) {
    arm.verdict = Verdict::inconclusive;
    arm.is_worth_keeping = false;
    arm.is_cut = true;
    arm.reason = "it was stopped before a look";
  }
  comparison.verdict = Verdict::inconclusive;
  comparison.notes.push_back("stopped after " + std::to_string(comparison.sessions) +
                             " sessions, before the look at " + std::to_string(look));
}

void report(const Finalists& finalists, const Comparison& comparison) {
  for (Contender* finalist : finalists) {
    const auto found =
        std::ranges::find(comparison.arms, finalist->arm.hypothesis.id, &ComparedArm::name);
    if (found == comparison.arms.end()) continue;
    finalist->arm.confirmed = *found;
    finalist->arm.outcome = ArmOutcome::confirmed;
    finalist->arm.reason = found->reason;
  }
}

// The sessions of a final; one that fails ends it.
struct Final {
  std::vector<RacedSession> sessions;
  std::optional<Comparison> comparison;
  std::optional<Error> error;
  bool is_cut = false;  // it was stopped before a look
};

Result<SessionOutcome> run_one(SearchRun& run, const Finalists& finalists, std::size_t number) {
  SessionRequest request;
  // A session belongs to its arms as well: the finals of different ones do not meet.
  request.purpose = "confirm/" + std::to_string(number);
  request.arms = {&run.baseline()};
  request.arms.insert(request.arms.end(), finalists.begin(), finalists.end());
  request.arms.push_back(&run.baseline());
  request.rounds = run.plan.confirm_rounds;
  return run_session(run, request);
}

enum class Aim { any_verdict, champion };

Result<Final> hold(SearchRun& run, const Finalists& finalists, Aim aim) {
  std::vector<std::string> names = {run.baseline().arm.hypothesis.id};
  for (const Contender* finalist : finalists) names.push_back(finalist->arm.hypothesis.id);
  const std::string title = join(std::span(names).subspan(1), ", ");
  Final held;
  for (const std::size_t look : run.plan.looks) {
    while (held.sessions.size() < look) {
      run.tell("confirm", title, held.sessions.size(), run.plan.looks.back());
      HONE_TRY(SessionOutcome outcome, run_one(run, finalists, held.sessions.size()));
      if (outcome.end == SessionEnd::failed) {
        held.error = outcome.error;
        return held;
      }
      if (outcome.end == SessionEnd::interrupted) {
        if (held.sessions.size() < 2) return held;
        held.comparison = run.tools.judge(names, held.sessions);
        withdraw_verdicts(*held.comparison, look);
        held.is_cut = true;
        return held;
      }
      held.sessions.push_back(std::move(outcome.session));
      run.sessions_held = held.sessions.size();
    }
    held.comparison = run.tools.judge(names, held.sessions);
    if (is_decided(*held.comparison)) break;
    if (aim == Aim::champion && is_hopeless(run, *held.comparison)) break;
  }
  return held;
}

// What six sessions of it take, at five runs a block.
double seconds_to_confirm(const SearchRun& run, const Contender& slow) {
  constexpr double least_runs = 5;
  const double run_s = run.first_baseline_ms.value_or(0) / 1000 * std::exp(slow.score());
  return run_s * least_runs * static_cast<double>(run.plan.confirm_rounds * run.plan.looks.front());
}

}  // namespace

Status confirm_hazard(SearchRun& run) {
  Contender* slowest = nullptr;
  for (const auto& contender : run.contenders) {
    constexpr double clearly_slower = 0.1;  // in ln t
    // One block says all there is to say of an arm that is many times as slow.
    const bool is_hazard = contender->has_score() && !contender->arm.confirmed &&
                           contender->score() > clearly_slower &&
                           contender->score() < std::log(run.plan.futile_in_block);
    if (!is_hazard || seconds_to_confirm(run, *contender) > run.plan.most_hazard_s) continue;
    if (slowest == nullptr || contender->score() > slowest->score()) slowest = contender.get();
  }
  if (slowest == nullptr || run.is_over()) return done();
  HONE_TRY(Final held, hold(run, {slowest}, Aim::any_verdict));
  // A hazard that was not held to its look says nothing that the race did not say.
  if (!held.comparison || held.is_cut) return done();
  report({slowest}, *held.comparison);
  run.hazard = std::move(*held.comparison);
  return done();
}

Status confirm(SearchRun& run, const std::vector<Contender*>& finalists) {
  if (finalists.empty()) return done();
  const bool is_for_speed = run.plan.objective == SearchObjective::latency;
  run.is_in_final = true;
  run.sessions_held = 0;
  HONE_TRY(Final held, hold(run, finalists, is_for_speed ? Aim::champion : Aim::any_verdict));
  run.is_in_final = false;
  if (held.comparison) {
    report(finalists, *held.comparison);
    run.confirmation = std::move(*held.comparison);
  } else if (held.error && finalists.size() == 1) {
    const bool is_misplaced = held.error->fault == Fault::unsupported;
    finalists.front()->leave(is_misplaced ? ArmOutcome::placement_failed : ArmOutcome::run_failed,
                             *held.error);
  } else if (held.error) {
    // One of them fails: the best whose final can be held alone is the finalist. A second test is
    // never made, so that the level holds.
    for (Contender* finalist : finalists) {
      HONE_TRY_DO(confirm(run, {finalist}));
      if (run.confirmation || run.is_stopped()) break;
    }
  }
  return done();
}

}  // namespace hone
