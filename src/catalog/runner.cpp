#include "catalog/runner.h"

#include "base/text.h"

namespace hone {

std::span<const Runner> all_runners() {
  static const std::vector<Runner> all = {
#define HONE_RUNNER(name) runners::name(),
#include "catalog/runners.inc"
#undef HONE_RUNNER
  };
  return all;
}

Result<const Runner*> runner_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Runner& runner : all_runners()) {
    if (runner.name == name) return &runner;
    names.emplace_back(runner.name);
  }
  return fail(Fault::bad_input, "there is no runner '" + printable(name) + "'", {},
              "one of " + join(names, ", "));
}

Path job_file(const RunnerSettings& settings, const CellJob& job) {
  return settings.folder / (job.version + ".job.json");
}

Path outcome_file(const RunnerSettings& settings, const CellJob& job) {
  return settings.folder / (job.version + ".outcome.json");
}

Status write_job(const RunnerSettings& settings, const CellJob& job) {
  std::error_code problem;
  std::filesystem::create_directories(settings.folder, problem);
  if (problem)
    return fail(Fault::io, "cannot make '" + settings.folder.string() + "'", problem.message());
  // An outcome of an earlier run is no answer to this one.
  std::filesystem::remove(outcome_file(settings, job), problem);
  return write_file(job_file(settings, job), to_document(job, sweep_schema_version).dump());
}

CellOutcome read_outcome(const RunnerSettings& settings, const CellJob& job,
                         const std::string& how_it_ended, const std::string& log) {
  const auto read = [&]() -> Result<CellOutcome> {
    HONE_TRY(const std::string text, read_file(outcome_file(settings, job)));
    HONE_TRY(const Json document, Json::parse(text));
    return from_document<CellOutcome>(document, sweep_schema_version);
  };
  auto outcome = read();
  if (outcome) return *std::move(outcome);
  CellOutcome lost;
  lost.status = CellStatus::failed;
  lost.failure = CellFailure{.kind = FailureClass::infra,
                             .stage = "worker",
                             .what = "the worker " + how_it_ended + " without an outcome",
                             .log_tail = printable(log)};
  return lost;
}

}  // namespace hone
