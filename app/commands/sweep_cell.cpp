// One cell of a sweep: what runners start, here and on other machines.

#include "app/cell.h"
#include "app/command.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  std::string job;
  std::string outcome;
};

Result<ExitCode> run(const Arguments& arguments) {
  HONE_TRY(const std::string text, read_file(arguments.job));
  HONE_TRY(const Json document, Json::parse(text));
  HONE_TRY(const CellJob job, from_document<CellJob>(document, sweep_schema_version));
  const CellOutcome outcome = run_cell(job);
  HONE_TRY_DO(write_file(arguments.outcome, to_document(outcome, sweep_schema_version).dump()));
  return ExitCode::done;
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.positional("JOB", arguments->job, "what to do, as the sweep wrote it");
  options.positional("OUTCOME", arguments->outcome, "where what came of it goes");
  return [arguments](const Call&) { return run(*arguments); };
}

}  // namespace

Command sweep_cell() {
  return {.name = "sweep-cell",
          .group = "",  // not listed: runners start it
          .summary = "Build one cell of a sweep and keep it in the store",
          .help =
              "Reads a job that `hone sweep` wrote, and writes what came of it. Started by the\n"
              "runners of a sweep, on this machine or on another one that sees its folder.",
          .examples = "",
          .declare = declare};
}

}  // namespace hone::app::commands
