#pragma once
// A race: arms take turns, each in a fresh worker, session after session, until there is a verdict.
// The baseline's clone runs along, so that the race knows what identical arms come to.

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "measure/clock.h"
#include "measure/verdict.h"
#include "record/comparison.h"
#include "runtime/worker.h"

namespace hone {

struct RaceArm {
  std::string name;
  RunPlan plan;
};

struct RaceProgress {
  std::size_t sessions = 0;
  std::size_t most_sessions = 0;
  Nanoseconds remaining{0};  // until the last look, or the deadline, at the pace so far
};

struct RacePlan {
  std::vector<RaceArm> arms;  // the first is the baseline
  VerdictRules rules;
  std::size_t rounds = 8;  // of a session; fewer for slow models, and to end in time
  // A block is as many runs as fit, five at the least; fewer likewise (measure/pace.h).
  Nanoseconds block_time = std::chrono::milliseconds(100);
  std::uint64_t seed = 0;  // of the order of arms and the size of environments
  // By steady_now(): nothing goes on after it, and what is known by then is told. 0: none.
  Nanoseconds deadline{0};
  Path program;  // whose `worker` command is started
  WorkerLimits limits;
  const std::atomic<bool>* stop = nullptr;  // ends the race at once; whole rounds count
  // Looks at an arm that a worker has opened; when it fails, the race ends with the error.
  std::function<Status(const std::string& name, const WorkerOpened&)> accept =
      [](const std::string&, const WorkerOpened&) { return done(); };
  std::function<void(const RaceProgress&)> progress = [](const RaceProgress&) {};
};

// The first failing worker ends the race with its error. A race that is stopped, or out of time,
// tells what its rounds show; without one, it fails.
Result<Comparison> race(const RacePlan& plan);

// One fresh session of the plan's arms as they are, without a clone and with as many rounds as it
// says. Each complete round is handed on before the next begins, so that it can be kept; when that
// fails, the session ends with the error.
using RoundKeeper = std::function<Status(const std::vector<ArmBlock>& round)>;
Result<RacedSession> race_session(const RacePlan& plan, std::uint64_t seed,
                                  const RoundKeeper& keep_round);

// What samples show at one look, for arms by their number; arm `names.size()` is the baseline's
// clone. A pure function.
Comparison judge_race(const std::vector<std::string>& names,
                      const std::vector<RacedSession>& samples, const VerdictRules& rules);

// What a race shows that has taken these samples, look by look: an arm's verdict is the one of the
// look that reached it, whatever comes later. Where the samples end between two looks, their end is
// a look in the place of the next one: there are not more of them, and it lies nearer to the one
// before, so that all together are still wrong in 5 % at the most. A stored race is judged again
// by it.
Comparison judge_looks(const std::vector<std::string>& names,
                       const std::vector<RacedSession>& samples, const VerdictRules& rules);

}  // namespace hone
