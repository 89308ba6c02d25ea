#pragma once
// Where cells run. A runner is one file in runners/ that returns a Runner, and one line in
// runners.inc. Each runs a cell as the same job of `hone worker`, here or on another machine, and
// hands on what it answered.

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "record/sweep.h"

namespace hone {

// A cell as a job of `hone worker`: whoever knows jobs hands these to the runners.
struct CellJobs {
  // In a worker on this machine.
  std::function<Result<CellOutcome>(const CellOrder&)> run{};
  // For a worker on another one: what it reads from a file, and what it wrote into one.
  std::function<std::string(const CellOrder&)> request{};
  std::function<Result<CellOutcome>(const std::string& answer)> read{};
};

struct RunnerSettings {
  CellJobs cells;
  Path program;          // whose `worker` is run on other machines
  Path folder;           // for jobs and outcomes; on Slurm all nodes see it
  std::size_t jobs = 1;  // at a time
  const std::atomic<bool>* stop = nullptr;
  // A cell begins; not called where nobody can tell.
  std::function<void(const CellOrder&)> begins = [](const CellOrder&) {};
};

// One at a time, in no order. An error ends the run.
using CellSink = std::function<Status(const CellOrder& job, CellOutcome outcome)>;

struct Runner {
  std::string_view name;
  std::string_view summary;
  // Cells come in the order in which they should begin. Those of one model share their first
  // stages: the first of them is over before another one begins.
  Status (*run)(const std::vector<CellOrder>& jobs, const RunnerSettings& settings,
                const CellSink& sink);
};

std::span<const Runner> all_runners();
Result<const Runner*> runner_named(std::string_view name);

// What runners share.
Path job_file(const RunnerSettings& settings, const CellOrder& job);
Path outcome_file(const RunnerSettings& settings, const CellOrder& job);
Status write_job(const RunnerSettings& settings, const CellOrder& job);
// What a worker that outlived its sweep left: the outcome of this very job, done, with all its
// files in the store. Nothing else is worth a look.
std::optional<CellOutcome> outcome_at_hand(const RunnerSettings& settings, const CellOrder& job);
// The job file that is there is this very job.
bool is_job_there(const RunnerSettings& settings, const CellOrder& job);
// For a worker that hangs: it keeps the limits of its steps itself.
std::chrono::seconds worker_time_limit(const CellOrder& job);
// A worker that is gone without an outcome is an infra failure, with what it wrote last.
CellOutcome lost_outcome(const std::string& what, const std::string& log);
CellOutcome read_outcome(const RunnerSettings& settings, const CellOrder& job,
                         const std::string& how_it_ended, const std::string& log);

namespace runners {
#define HONE_RUNNER(name) Runner name();
#include "catalog/runners.inc"
#undef HONE_RUNNER
}  // namespace runners

}  // namespace hone
