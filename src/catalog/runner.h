#pragma once
// Where cells run. A runner is one file in runners/ that returns a Runner, and one line in
// runners.inc. Each runs the same command for a cell, `hone sweep-cell JOB OUTCOME`, and hands on
// what it wrote.

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

struct RunnerSettings {
  Path program;          // whose `sweep-cell` is run
  Path folder;           // for jobs and outcomes; on Slurm all nodes see it
  std::size_t jobs = 1;  // at a time
  const std::atomic<bool>* stop = nullptr;
  // A cell begins; not called where nobody can tell.
  std::function<void(const CellJob&)> begins = [](const CellJob&) {};
};

// One at a time, in no order. An error ends the run.
using CellSink = std::function<Status(const CellJob& job, CellOutcome outcome)>;

struct Runner {
  std::string_view name;
  std::string_view summary;
  // Cells come in the order in which they should begin. Those of one model share their first
  // stages: the first of them is over before another one begins.
  Status (*run)(const std::vector<CellJob>& jobs, const RunnerSettings& settings,
                const CellSink& sink);
};

std::span<const Runner> all_runners();
Result<const Runner*> runner_named(std::string_view name);

// What runners share.
Path job_file(const RunnerSettings& settings, const CellJob& job);
Path outcome_file(const RunnerSettings& settings, const CellJob& job);
Status write_job(const RunnerSettings& settings, const CellJob& job);
// What a worker that outlived its sweep left: the outcome of this very job, done, with all its
// files in the store. Nothing else is worth a look.
std::optional<CellOutcome> outcome_at_hand(const RunnerSettings& settings, const CellJob& job);
// The job file that is there is this very job.
bool is_job_there(const RunnerSettings& settings, const CellJob& job);
// For a worker that hangs: it keeps the limits of its steps itself.
std::chrono::seconds worker_time_limit(const CellJob& job);
// A worker that is gone without an outcome is an infra failure, with what it wrote last.
CellOutcome read_outcome(const RunnerSettings& settings, const CellJob& job,
                         const std::string& how_it_ended, const std::string& log);

namespace runners {
#define HONE_RUNNER(name) Runner name();
#include "catalog/runners.inc"
#undef HONE_RUNNER
}  // namespace runners

}  // namespace hone
