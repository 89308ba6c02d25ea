#pragma once
// What the parts of a search share while it runs: the plan, the tools, the journal, the arms, and
// how much time there is. For the .cpp files of this module.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "record/fault.h"
#include "record/load.h"
#include "search/pace.h"
#include "search/search.h"

namespace hone {

// An arm while the search runs.
struct Contender {
  SearchArm arm;                    // what is reported
  std::vector<double> differences;  // from the baseline in ln t, one for each round of its races
  bool is_racing = false;           // built, checked, and nothing has ruled it out
  bool is_set_aside = false;        // so slow in a block that it has to show it once more
  bool is_gate_open = true;         // its accuracy was not checked, or the time ended that

  // What racing shows, in ln t: below 0, it is faster. REQUIRES: has_score().
  double score() const;
  bool has_score() const { return !differences.empty(); }
  void leave(ArmOutcome outcome, std::string reason) {
    is_racing = false;
    arm.outcome = outcome;
    arm.reason = std::move(reason);
  }
  void leave(ArmOutcome outcome, const Error& error) {
    leave(outcome, error.cause.empty() ? error.what : error.what + ": " + error.cause);
    arm.fault = name_of(error.fault);
  }
};

// What is left of the time for what comes after the thing that is being done.
enum class Reserve {
  nothing,
  cheapest_final,  // one finalist, one round a session, as few as can make a verdict
  first_look,      // of a whole final
  all_looks,
};

struct SearchRun {
  SearchRun(const SearchPlan& the_plan, const SearchTools& the_tools, SearchJournal& the_journal)
      : plan(the_plan),
        tools(the_tools),
        journal(the_journal),
        start(the_plan.began_s.value_or(the_tools.seconds())),
        finals(1 + the_plan.finals_before) {}

  const SearchPlan& plan;
  const SearchTools& tools;
  SearchJournal& journal;
  double start;
  std::vector<std::unique_ptr<Contender>> contenders;  // the baseline first
  std::uint64_t blocks = 0;                            // in all sessions, stored ones too
  double measured_s = 0;                               // in sessions of this run
  std::uint64_t measured_blocks = 0;                   // likewise
  Pace pace;                                           // of those sessions
  Reserve reserve = Reserve::nothing;
  double raced_from_s = 0;  // when the race began that is being held
  double screen_s = 0;      // kept besides, for screening what was built
  std::size_t finals;       // that may be held, or were by earlier runs: they share the level
  std::size_t finals_held = 0;
  double slowest_gate_s = 0;   // the longest an accuracy gate took
  std::vector<double> wobble;  // of the baseline from one round to the next, in ln t
  std::vector<double> loads;   // the share of the machine that others used, session by session
  std::optional<double> first_baseline_ms;  // before everything
  std::optional<Comparison> confirmation;
  std::optional<Comparison> hazard;
  std::vector<std::string> notes;

  Contender& baseline() const { return *contenders.front(); }
  Contender& add(Hypothesis hypothesis);
  double elapsed() const { return tools.seconds() - start; }
  bool is_stopped() const { return tools.stop != nullptr && tools.stop->load(); }
  // Seconds for what is being done; unlimited_s without a budget.
  double left() const;
  // What ended at its limit leaves a rounding error.
  bool is_late() const { return left() < 0.01; }
  bool is_over() const { return is_stopped() || is_late(); }
  // Of one build or check.
  double step_limit() const;
  // What a final of so many finalists takes to its first look.
  double final_s(std::size_t finalists, std::size_t rounds, std::size_t sessions) const;
  std::optional<double> remaining() const;
  // Whether the end of the time is why a step failed.
  bool was_late(const Error& error) const { return error.fault == Fault::timeout && is_late(); }
  std::string over_reason() const {
    return is_stopped() ? "the search was stopped before it was "
                        : "the time was over before it was ";
  }
  void tell(std::string phase, std::string arm, std::size_t done, std::size_t total) const {
    tools.progress({std::move(phase), std::move(arm), done, total, elapsed(), remaining()});
  }
  JournalKey key(std::string subject) const {
    return {plan.model_sha256, plan.environment, std::move(subject)};
  }
};

// What is done with a recipe under the conditions of the plan.
inline std::string build_subject(const SearchRun& run, const SearchArm& arm) {
  return arm.recipe_hash + "/" + run.plan.conditions;
}
// A check is of the bytes that were built, too.
inline std::string check_subject(const SearchRun& run, const SearchArm& arm) {
  return build_subject(run, arm) + "/" + arm.built->sha256;
}
inline std::string gate_subject(const SearchRun& run, const SearchArm& arm) {
  return check_subject(run, arm) + "/" + run.plan.gate;
}

// The outcome of a step that a time limit ended, where there is more time now: it says nothing.
bool was_cut_short(const SearchRun& run, const Json& outcome);

// Does a step unless the journal has its outcome. The outer result is the journal's, the inner one
// the step's.
template <Record T>
Result<Result<T>> once(SearchRun& run, const std::string& subject, std::string_view step,
                       const std::function<Result<T>(double limit_s)>& work) {
  const JournalKey key = run.key(subject);
  HONE_TRY(const std::optional<Json> stored, run.journal.find_step(key, step));
  if (stored && !was_cut_short(run, *stored)) {
    if (const Json* error = stored->find("error")) {
      HONE_TRY(Error known, from_json<Error>(*error));
      return Result<T>(fail(std::move(known)));
    }
    const Json* value = stored->find("value");
    HONE_TRY(T known, from_json<T>(value != nullptr ? *value : Json()));
    return Result<T>(std::move(known));
  }
  Result<T> made = work(run.step_limit());
  // A full disk, a person's interruption and the end of the time say nothing of the arm: the next
  // run tries again.
  if (!made && (made.error().fault == Fault::io || run.is_stopped() || run.was_late(made.error())))
    return made;
  Json outcome = Json::object();
  if (made) {
    outcome.set("value", to_json(*made));
  } else {
    outcome.set("error", to_json(made.error())).set("limit_s", run.plan.step_limit_s);
  }
  HONE_TRY_DO(run.journal.store_step(key, step, outcome));
  return made;
}

// Builds and checks: whatever is cheap and can rule an arm out before it is measured.
Status admit(SearchRun& run, Contender& contender);

// The identity of a run of an arm: its bytes, and what the session does with them.
std::string run_identity(const SearchArm& arm);

struct SessionRequest {
  std::string purpose;                 // sets sessions of the same arms apart
  std::vector<const Contender*> arms;  // the baseline first; its clone is the baseline again
  std::size_t rounds = 0;
  // False ends the session after this round.
  std::function<bool(const std::vector<ArmBlock>& round)> goes_on =
      [](const std::vector<ArmBlock>&) { return true; };
};

enum class RaceEnd { complete, cut, interrupted, failed };

struct SessionOutcome {
  RacedSession session;
  RaceEnd end = RaceEnd::complete;
  std::optional<Error> error;  // of a failed one
};

// A session, or what the journal has of it and the rest.
Result<SessionOutcome> run_session(SearchRun& run, const SessionRequest& request);

// Runs the arms' first session. Those that are hopeless or fail leave.
Status screen(SearchRun& run, const std::vector<Contender*>& arms, std::string_view purpose);
// Those that were let go on a machine that was in use, once more: they may have paid for others.
Status screen_again(SearchRun& run, std::string_view purpose);
// Halves the arms and doubles their rounds until two remain; the others leave.
Status race(SearchRun& run, std::vector<Contender*> arms, std::string_view purpose);

// The one or two that are worth confirming, accuracy checked.
Result<std::vector<Contender*>> nominate(SearchRun& run);
// The accuracy gate, once for an arm; what fails leaves.
Status gate(SearchRun& run, Contender& contender);
// Whether it may ship: one whose accuracy nobody could check does not pass.
bool passes_gate(const SearchArm& arm);

// Finalists against the baseline and its clone, on fresh sessions.
Status confirm(SearchRun& run, std::vector<Contender*> finalists);
// The slowest of the arms that raced, where it is clearly slower, compared as finalists are: what
// is known to be slow, and by how much, need not be tried again on the next model.
Status confirm_hazard(SearchRun& run);

// What six sessions of it take, at five runs a block.
double seconds_to_confirm(const SearchRun& run, const Contender& slow);

// What ships and why: fills champion, front, verdict.
void conclude(const SearchRun& run, SearchResult& result);

// The arms that raced and were not ruled out: those still in the race first, the fastest first.
std::vector<Contender*> by_score(const SearchRun& run);

// "3.1 times", of a difference in ln t.
std::string ratio_words(double difference);
// By how much, in ln t, what blocks show may be off for the noise that is above the usual: the
// baseline's own blocks tell.
double excess_noise(const SearchRun& run, std::size_t blocks);
// The share of the machine that others used while sessions ran; null: not known.
std::optional<double> mean_load(const SearchRun& run);
// Whether others use the machine, by what the system says or by what the baseline's blocks do.
bool is_busy(const SearchRun& run);

inline double middle_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace hone
