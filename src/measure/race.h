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
  Nanoseconds remaining{0};  // until the last look, at the pace so far
};

struct RacePlan {
  std::vector<RaceArm> arms;  // the first is the baseline
  VerdictRules rules;
  std::size_t rounds = 8;  // of a session
  // A block is as many runs as fit, five at the least.
  Nanoseconds block_time = std::chrono::milliseconds(100);
  std::uint64_t seed = 0;  // of the order of arms and the size of environments
  Nanoseconds budget{0};   // 0: none. What is known when it ends is what is told
  Path program;            // whose `worker` command is started
  WorkerLimits limits;
  const std::atomic<bool>* stop = nullptr;  // ends the race before its next round
  // Looks at an arm that a worker has opened; when it fails, the race ends with the error.
  std::function<Status(const std::string& name, const WorkerOpened&)> accept =
      [](const std::string&, const WorkerOpened&) { return done(); };
  std::function<void(const RaceProgress&)> progress = [](const RaceProgress&) {};
};

// The first failing worker ends the race with its error. A race that is stopped tells what its
// complete sessions show; with fewer than two, it fails.
Result<Comparison> race(const RacePlan& plan);

// One fresh session of the plan's arms as they are, without a clone. Each complete round is handed
// on before the next begins, so that it can be kept; when that fails, the session ends with the
// error.
using RoundKeeper = std::function<Status(const std::vector<ArmBlock>& round)>;
Result<RacedSession> race_session(const RacePlan& plan, std::uint64_t seed,
                                  const RoundKeeper& keep_round);

// What samples show, for arms by their number; arm `names.size()` is the baseline's clone. A pure
// function: a stored race is judged again by it.
Comparison judge_race(const std::vector<std::string>& names,
                      const std::vector<RacedSession>& samples, const VerdictRules& rules);

}  // namespace hone
