#pragma once
// A plan made real: the session is open, its samples are bound, and a run is one call.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "record/run_plan.h"
#include "runtime/samples.h"
#include "runtime/session.h"

namespace hone {

// Loads the runtime the plan names and registers its plugin libraries.
Result<std::shared_ptr<Runtime>> start_runtime(const RunPlan& plan);

// The plan as settings of a session.
SessionSettings settings_of(const RunPlan& plan);

class PreparedRun {
 public:
  // Opens the session and binds the samples. `runtime` is the one start_runtime gave for this plan.
  static Result<PreparedRun> open(std::shared_ptr<Runtime> runtime, const RunPlan& plan);

  const Session& session() const { return *session_; }
  Session& session() { return *session_; }
  std::size_t sample_count() const { return bindings_.size(); }
  const std::vector<Sample>& samples() const { return samples_; }
  std::int64_t batch() const { return batch_; }
  const std::vector<std::string>& assumptions() const { return assumptions_; }

  // Runs sample `index` modulo their number.
  Status run(std::size_t index) const { return bindings_[index % bindings_.size()].run(); }
  // Runs every sample once, where the first run of each captures a graph.
  Status capture_graphs() const;
  // Times each of up to `iterations` runs, samples in turn from `first` on; fewer when `limit` has
  // passed before, but at least one. Nothing but Run is between the two looks at the clock.
  Result<std::vector<std::uint64_t>> time_runs(std::size_t first, std::int64_t iterations,
                                               std::chrono::nanoseconds limit) const;
  // After a run of the first sample: a sentence for each output that is not of the shape which the
  // model declares.
  std::vector<std::string> wrong_outputs() const;
  // Runs that sample for its outputs, which come back to the host however it is bound.
  Result<NamedTensors> run_for_outputs(std::size_t index) const;

 private:
  PreparedRun() = default;
  std::unique_ptr<Session> session_;
  std::vector<Sample> samples_;
  std::vector<Binding> bindings_;  // after session_: they must go first
  std::int64_t batch_ = 1;
  std::vector<std::string> assumptions_;
};

}  // namespace hone
