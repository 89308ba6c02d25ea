#pragma once
// The search for the best recipe of a model on a target. It knows no runtime and no file of a
// model: it is handed functions that build, check, run and judge, so that it replays from a record
// as it runs on a machine. Whatever was done is in the journal: the same plan with the same journal
// goes on where it was.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/comparison.h"
#include "record/recipe_hash.h"
#include "record/search.h"
#include "search/journal.h"

namespace hone {

enum class SearchObjective {
  latency,   // the fastest that is accurate
  accuracy,  // the most accurate within the latency budget
  pareto,    // all that no other arm beats in both
};
constexpr auto enum_names(SearchObjective) {
  return std::to_array<EnumName<SearchObjective>>({{SearchObjective::latency, "latency"},
                                                   {SearchObjective::accuracy, "accuracy"},
                                                   {SearchObjective::pareto, "pareto"}});
}

struct SearchPlan {
  std::string model;
  std::string model_sha256;
  std::string environment;  // the key of machine, ONNX Runtime, EP and tool
  // What stored outcomes hold for besides: what was built, checked or measured under other
  // conditions or judged by another gate is done again.
  std::string conditions;  // the key of inputs, shapes, calibration data and what is asked of runs
  std::string gate;        // the key of task, data and what may be lost
  double step_limit_s =
      0;  // of one build or check; 0: none. What a shorter one ended is tried again
  Target target;
  SearchObjective objective = SearchObjective::latency;
  std::optional<double> latency_budget_ms;  // for the objective accuracy; null: the baseline's time
  double max_drop = 0.01;                   // of the task's metric; what the gate was made with
  double time_budget_s = 0;                 // of this run; 0: none
  std::optional<double> began_s;  // by the tools' clock, with what came before; null: when called
  // The first is the baseline. Those of the dimension "target" are the baselines of other targets.
  std::vector<Hypothesis> hypotheses;
  std::vector<SkippedHypothesis> skips;
  std::size_t finals_before = 0;  // that earlier runs held of other arms: the level is theirs, too
  std::uint64_t seed = 0;

  std::vector<std::size_t> looks = {6, 9, 12, 16, 20};  // sessions after which finalists are judged
  std::size_t least_sessions = 3;  // for a verdict where the time is over before the first look
  std::size_t confirm_rounds = 4;  // of a session that confirms
  std::size_t screen_rounds = 2;   // of the first session of an arm
  std::size_t group_size = 4;      // arms that race against one baseline
  std::size_t most_mixes = 8;      // combinations of what screened faster that are tried
  double margin = 0.01;            // a share; what screens faster by less is not combined
  // Times the baseline. On an idle machine one block of so many says enough; else, and where others
  // use the machine however many they are, a second one in another session has to show the same.
  double futile_at_once = 20;
  double futile_in_block = 5;
  double futile_in_session = 1.5;  // in every round of a whole session
  double most_hazard_s = 60;       // for confirming that the slowest arm is slow
};

// What a session of an arm needs.
struct SearchArmRun {
  BuiltModel built;
  Recipe recipe;
};

struct SearchProgress {
  std::string phase;  // build, check, race, accuracy, confirm
  std::string arm;    // the id, or the ids of a group
  std::size_t done = 0;
  std::size_t total = 0;
  double seconds = 0;                 // of this run so far
  std::optional<double> remaining_s;  // at the pace so far, if every look is taken; null: not known
};

using RoundSink = std::function<Status(const std::vector<ArmBlock>& round)>;

// How long a step may take, in seconds, by the tools' clock.
inline constexpr double unlimited_s = std::numeric_limits<double>::infinity();

// One fresh session: the arms take turns in `rounds` rounds. The first is the baseline.
struct SessionOrder {
  std::span<const SearchArmRun> arms;
  std::size_t rounds = 0;
  std::uint64_t seed = 0;
  double limit_s = unlimited_s;
};

// Each function may fail: the fault becomes the class of the arm's failure. An `unsupported` run is
// a placement that failed. An `io` fault says something of the machine and not of the arm, so a
// resumed search tries again. What is not done within its limit is ended, with a `timeout`.
struct SearchTools {
  std::function<Result<BuiltModel>(const Recipe&, double limit_s)> build;
  // Whether a build of an earlier run still exists; else it is built again.
  std::function<bool(const BuiltModel&)> still_there = [](const BuiltModel&) { return true; };
  // Against the model as it came.
  std::function<Result<AccuracyCheck>(const BuiltModel&, const Recipe&, double limit_s)>
      check_numerics;
  // block.arm is the place in `order.arms`. `on_round` is called after each complete round; when it
  // fails, the session ends with its error.
  std::function<Result<RacedSession>(const SessionOrder& order, const RoundSink& on_round)>
      run_session;
  // Arm `names.size()` is the baseline's clone. The level must hold for the names.size() - 1
  // finalists of `finals` finals together: divide it by their number (Bonferroni, which Holm is
  // never worse than).
  std::function<Comparison(const std::vector<std::string>& names,
                           const std::vector<RacedSession>& sessions, std::size_t finals)>
      judge;
  // The gate of the task, on the bytes that would ship; blocked where there is none.
  std::function<Result<AccuracyCheck>(const BuiltModel&, const Recipe&, double limit_s)>
      check_accuracy;
  // The share of the machine that others have used since this was asked last; null: not known.
  std::function<std::optional<double>()> load = [] { return std::optional<double>(); };
  std::function<double()> seconds;  // a clock that only goes forward
  std::function<void(const SearchProgress&)> progress = [](const SearchProgress&) {};
  const std::atomic<bool>* stop = nullptr;
};

// Fails when the baseline does not build or run, or the journal cannot be written. Everything else
// is an outcome of an arm.
Result<SearchResult> search(const SearchPlan& plan, const SearchTools& tools,
                            SearchJournal& journal);

}  // namespace hone
