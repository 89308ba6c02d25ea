// The final: one or a few arms against the baseline and its clone on fresh sessions, judged at the
// looks of the plan. Only what is found here is reported as a speed.

#include "base/counted.h"
#include "base/text.h"
#include "search/places.h"
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

// Between looks the levels do not hold, and below the first no session more or less is shown.
void withdraw_verdicts(const SearchRun& run, Comparison& comparison, std::size_t look) {
  const std::string held = counted(comparison.sessions, "session");
  const std::string reason =
      run.is_stopped() ? "stopped after " + held + ", before the look at " + std::to_string(look)
                       : "the time sufficed for " + held + " of the " + std::to_string(look) +
                             " that a verdict needs";
  for (ComparedArm& arm : comparison.arms) {
    arm.verdict = Verdict::inconclusive;
    arm.is_worth_keeping = false;
    arm.is_cut = true;
    arm.reason = reason;
  }
  comparison.verdict = Verdict::inconclusive;
  comparison.notes.push_back(reason);
}

void report(const Finalists& finalists, const Comparison& comparison) {
  for (Contender* finalist : finalists) {
    const auto found =
        std::ranges::find(comparison.arms, finalist->arm.hypothesis.id, &ComparedArm::name);
    if (found == comparison.arms.end()) continue;
    finalist->arm.confirmed = *found;
    finalist->arm.outcome = ArmOutcome::confirmed;
    finalist->is_racing = false;
    finalist->arm.reason = found->reason;
  }
}

// The sessions of a final; one that fails ends it.
struct Final {
  std::vector<std::string> names;
  std::vector<RacedSession> sessions;
  std::optional<Comparison> comparison;
  std::optional<Error> error;
  bool is_cut = false;  // it was stopped before a look
};

Result<SessionOutcome> run_one(SearchRun& run, const Finalists& finalists, std::size_t rounds,
                               std::size_t number) {
  SessionRequest request;
  // A session belongs to its arms as well: the finals of different ones do not meet.
  request.purpose = "confirm/" + std::to_string(number);
  request.arms = {&run.baseline()};
  request.arms.insert(request.arms.end(), finalists.begin(), finalists.end());
  request.arms.push_back(&run.baseline());
  request.rounds = rounds;
  return run_session(run, request);
}

enum class Aim { any_verdict, champion };

// The final as far as it came. That the time is over is a look like any other, and in the place of
// the next: when it comes does not depend on what the sessions show, and no more of them are taken
// than the level is made for. A person's stop may depend on it.
void end_early(SearchRun& run, Final& held, std::size_t look) {
  if (held.sessions.size() < 2) return;
  held.comparison = run.tools.judge(held.names, held.sessions, run.finals);
  if (!run.is_stopped() && held.sessions.size() >= run.plan.least_sessions) return;
  withdraw_verdicts(run, *held.comparison, run.is_stopped() ? look : run.plan.least_sessions);
  held.is_cut = true;
}

// Sessions up to the look; false when that is the end of the final.
Result<bool> hold_to(SearchRun& run, const Finalists& finalists, std::size_t rounds,
                     std::size_t look, Final& held) {
  const std::string title = join(std::span(held.names).subspan(1), ", ");
  while (held.sessions.size() < look) {
    run.tell("confirm", title, held.sessions.size(), run.plan.looks.back());
    // Half a session is none: the time is better spent on what was not reached.
    if (run.left() < run.pace.session_s(finalists.size() + 2, rounds)) {
      end_early(run, held, look);
      return false;
    }
    HONE_TRY(SessionOutcome outcome, run_one(run, finalists, rounds, held.sessions.size()));
    if (outcome.end == RaceEnd::failed) {
      held.error = outcome.error;
      return false;
    }
    if (outcome.end == RaceEnd::interrupted) {
      end_early(run, held, look);
      return false;
    }
    held.sessions.push_back(std::move(outcome.session));
  }
  return true;
}

Result<Final> hold(SearchRun& run, const Finalists& finalists, std::size_t rounds, Aim aim) {
  Final held;
  held.names = {run.baseline().arm.hypothesis.id};
  for (const Contender* finalist : finalists) held.names.push_back(finalist->arm.hypothesis.id);
  for (const std::size_t look : run.plan.looks) {
    HONE_TRY(const bool goes_on, hold_to(run, finalists, rounds, look, held));
    if (!goes_on) break;
    held.comparison = run.tools.judge(held.names, held.sessions, run.finals);
    if (is_decided(*held.comparison)) break;
    if (aim == Aim::champion && is_hopeless(run, *held.comparison)) break;
  }
  return held;
}

// Fewer finalists and rounds where the time is short, so that the sessions of the first look fit:
// they are the sample, rounds only sharpen it.
std::size_t fit(const SearchRun& run, Finalists& finalists) {
  const std::size_t sessions = run.plan.looks.front();
  for (std::size_t count = finalists.size();; --count) {
    for (std::size_t rounds = run.plan.confirm_rounds; rounds > 0; rounds /= 2) {
      const bool is_last = count == 1 && rounds == 1;
      if (!is_last && run.final_s(count, rounds, sessions) > run.left()) continue;
      finalists.resize(count);
      return rounds;
    }
  }
}

// The confirmation that is told is that of the best.
void keep(SearchRun& run, Comparison&& comparison) {
  const auto best_of = [](const Comparison& one) {
    double best = std::numeric_limits<double>::infinity();
    for (const ComparedArm& arm : one.arms)
      if (arm.is_worth_keeping) best = std::min(best, arm.ratio);
    return best;
  };
  const bool is_first = !run.confirmation;
  if (is_first || best_of(comparison) < best_of(*run.confirmation))
    run.confirmation = std::move(comparison);
}

}  // namespace

double seconds_to_confirm(const SearchRun& run, const Contender& slow) {
  constexpr double least_runs = 5;
  const double run_s = run.first_baseline_ms.value_or(0) / 1000 * std::exp(slow.score());
  return run_s * least_runs * static_cast<double>(run.plan.confirm_rounds * run.plan.looks.front());
}

Status confirm_hazard(SearchRun& run) {
  Contender* slowest = nullptr;
  for (const auto& contender : run.contenders) {
    constexpr double clearly_slower = 0.1;  // in ln t
    // One block says all there is to say of an arm that is many times as slow.
    // What another target costs says nothing of a try.
    const bool is_there =
        place_of(contender->arm.hypothesis) == place_of(run.baseline().arm.hypothesis);
    const bool is_hazard = is_there && contender->has_score() && !contender->arm.confirmed &&
                           contender->score() > clearly_slower &&
                           contender->score() < std::log(run.plan.futile_in_block);
    if (!is_hazard || seconds_to_confirm(run, *contender) > run.plan.most_hazard_s) continue;
    if (slowest == nullptr || contender->score() > slowest->score()) slowest = contender.get();
  }
  const std::size_t rounds = run.plan.confirm_rounds;
  const bool fits = run.final_s(1, rounds, run.plan.looks.front()) <= run.left();
  if (slowest == nullptr || !fits || run.is_over()) return done();
  HONE_TRY(Final held, hold(run, {slowest}, rounds, Aim::any_verdict));
  // A hazard that was not held to its look says nothing that the race did not say.
  if (!held.comparison || held.is_cut) return done();
  report({slowest}, *held.comparison);
  run.hazard = std::move(*held.comparison);
  return done();
}

Status confirm(SearchRun& run, std::vector<Contender*> finalists) {
  if (finalists.empty()) return done();
  run.reserve = Reserve::nothing;
  const std::size_t rounds = fit(run, finalists);
  const bool is_for_speed = run.plan.objective == SearchObjective::latency;
  HONE_TRY(Final held,
           hold(run, finalists, rounds, is_for_speed ? Aim::champion : Aim::any_verdict));
  if (held.comparison) {
    ++run.finals_held;
    report(finalists, *held.comparison);
    keep(run, std::move(*held.comparison));
  } else if (held.error && finalists.size() == 1) {
    const bool is_misplaced = held.error->fault == Fault::unsupported;
    finalists.front()->leave(is_misplaced ? ArmOutcome::placement_failed : ArmOutcome::run_failed,
                             *held.error);
  } else if (held.error) {
    // One of them fails: the best whose final can be held alone is the finalist. A second test is
    // never made, so that the level holds.
    for (Contender* finalist : finalists) {
      HONE_TRY_DO(confirm(run, {finalist}));
      if (finalist->arm.confirmed || run.is_stopped()) break;
    }
  }
  return done();
}

}  // namespace hone
