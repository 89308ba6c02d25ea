#pragma once
// One session of a race: a fresh worker for each arm, and turns. Only one of them runs at a time.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "measure/pace.h"
#include "measure/race.h"

namespace hone {

// How long a session is, once it is known what its arms cost.
using Shaper = std::function<SessionShape(std::span<const ArmCost>)>;

class RaceSession {
 public:
  RaceSession(const RacePlan& plan, const std::vector<const RunPlan*>& arms, Random& random,
              Shaper shaper);

  // Ends early, with at least one round, where the next would not end before the deadline; what is
  // not over then, and when the race is stopped, is an error.
  Result<RacedSession> run(const RoundKeeper& keep_round);

  // What its arms cost, as far as they were opened.
  const std::vector<ArmCost>& costs() const { return costs_; }
  const SessionShape& shape() const { return shape_; }

 private:
  struct Runner {
    Worker worker;
    BlockShape block{};
  };

  Status start();
  Status start_arm(std::size_t arm);
  Status check_goes_on() const;
  Result<Nanoseconds> settle(Worker& worker) const;
  Result<std::vector<ArmBlock>> run_round(bool is_backwards);
  void take_shape();

  const RacePlan& plan_;
  const std::vector<const RunPlan*>& arms_;
  Random& random_;
  Shaper shaper_;
  WorkerLimits limits_;
  SessionShape shape_;
  std::vector<std::size_t> order_;
  std::vector<std::optional<Runner>> runners_;
  std::vector<ArmCost> costs_;
};

// The shape a plan asks for.
SessionShape full_shape(const RacePlan& plan);

bool is_stopped(const RacePlan& plan);
// Until the deadline; the longest time there is where the plan has none.
Nanoseconds time_left(const RacePlan& plan);

}  // namespace hone
