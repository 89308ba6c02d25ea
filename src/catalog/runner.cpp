#include "catalog/runner.h"

#include <algorithm>

#include "base/misuse.h"
#include "base/no_such.h"
#include "base/text.h"
#include "catalog/store.h"

namespace hone {
namespace {

Result<CellOutcome> outcome_of(const RunnerSettings& settings, const CellOrder& job) {
  HONE_TRY(const std::string text, read_file(outcome_file(settings, job)));
  return settings.cells.read(text);
}

}  // namespace

std::span<const Runner> all_runners() {
  static const std::vector<Runner> all = {
#define HONE_RUNNER(name) runners::name(),
#include "catalog/runners.inc"
#undef HONE_RUNNER
  };
  return all;
}

Result<const Runner*> runner_named(std::string_view name) {
  const auto found = std::ranges::find(all_runners(), name, &Runner::name);
  if (found != all_runners().end()) return &*found;
  return no_such("runner", name, names_of(all_runners()));
}

Path job_file(const RunnerSettings& settings, const CellOrder& job) {
  return settings.folder / (job.version + ".job.json");
}

Path outcome_file(const RunnerSettings& settings, const CellOrder& job) {
  return settings.folder / (job.version + ".outcome.json");
}

Status write_job(const RunnerSettings& settings, const CellOrder& job) {
  std::error_code problem;
  std::filesystem::create_directories(settings.folder, problem);
  if (problem)
    return fail(Fault::io, "cannot make '" + settings.folder.string() + "'", problem.message());
  // An outcome of an earlier run is no answer to this one.
  std::filesystem::remove(outcome_file(settings, job), problem);
  return write_file(job_file(settings, job), settings.cells.request(job));
}

bool is_job_there(const RunnerSettings& settings, const CellOrder& job) {
  const auto text = read_file(job_file(settings, job));
  return text && *text == settings.cells.request(job);
}

std::optional<CellOutcome> outcome_at_hand(const RunnerSettings& settings, const CellOrder& job) {
  if (!is_job_there(settings, job)) return std::nullopt;
  auto outcome = outcome_of(settings, job);
  if (!outcome || outcome->status != CellStatus::done) return std::nullopt;
  const auto store = ContentStore::open_existing(job.store);
  const bool are_held = store && std::ranges::all_of(outcome->files, [&](const PackageEntry& file) {
                          return store->find(file.sha256).has_value();
                        });
  return are_held ? std::optional(*std::move(outcome)) : std::nullopt;
}

std::chrono::seconds worker_time_limit(const CellOrder& job) {
  constexpr std::chrono::seconds slack{120};
  constexpr int most_steps = 3;
  return std::chrono::seconds(job.time_limit_s) * most_steps + slack;
}

CellOutcome lost_outcome(const std::string& what, const std::string& log) {
  CellOutcome lost;
  lost.status = CellStatus::failed;
  lost.failure = CellFailure{.kind = FailureClass::infra,
                             .stage = "worker",
                             .what = printable(what),
                             .log_tail = printable(log)};
  return lost;
}

CellOutcome read_outcome(const RunnerSettings& settings, const CellOrder& job,
                         const std::string& how_it_ended, const std::string& log) {
  auto outcome = outcome_of(settings, job);
  if (outcome) return *std::move(outcome);
  return lost_outcome("the worker " + how_it_ended + " without an outcome", log);
}

}  // namespace hone
