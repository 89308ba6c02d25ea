#include "app/search_arguments.h"

#include <cmath>

#include "base/file.h"
#include "base/system_files.h"

namespace hone::app {
namespace {

Failure misuse(std::string what, std::string hint = "hone help autoconfig") {
  return fail(Fault::bad_input, std::move(what), {}, std::move(hint));
}

void declare_ways(Options& options, SearchArguments& arguments) {
  options.choice("--objective NAME", arguments.objective, {"latency", "accuracy", "pareto"},
                 "the fastest that is accurate, the most accurate in time, or both");
  options.text("--task NAME", arguments.task, "what `hone eval` judges accuracy by");
  options.text("--data DIR", arguments.data, "labelled samples for it");
  options.number("--max-drop SHARE", arguments.max_drop, "of the metric that is allowed (0.01)");
  options.text("--latency-budget MS", arguments.latency_budget,
               "with --objective accuracy: as slow as it may be");
  options.integer("--time-budget SECONDS", arguments.time_budget_s,
                  "of everything, from the start; what is not reached stays pending",
                  Need::optional, {.least = 10, .most = 7 * 86'400});
  options.number("--margin PERCENT", arguments.margin, "what is worth keeping (1)");
  options.texts("--only-hypotheses ID", arguments.only, "try these alone; --dry-run lists them");
  options.texts("--recipe FILE", arguments.recipes, "try this recipe too");
  options.text("--overrides FILE", arguments.overrides,
               "of `debug --fix`: quantize without these nodes too");
  options.flag("--resume", arguments.resumes, "go on with the search in the folder");
  options.flag("--reuse-baseline", arguments.resumes, "the same: what was measured is kept");
  options.flag("--dry-run", arguments.is_dry, "show what would be tried and what not, and why");
}

void declare_replay(Options& options, SearchArguments& arguments) {
  options.text("--record FILE", arguments.record,
               "measure every arm in full instead, for --replay");
  options.integer("--record-sessions N", arguments.record_sessions, "of every arm (10)",
                  Need::optional, {.least = 2, .most = 1000});
  options.texts("--replay FILE", arguments.replays,
                "search in records instead: how good is the searcher?");
  options.integer("--searches N", arguments.searches, "in each record (50)", Need::optional,
                  {.least = 1, .most = 1'000'000});
  options.text("--findings FILE", arguments.findings,
               "with --replay: drafts of what the records show");
}

}  // namespace

Result<std::optional<double>> latency_budget_of(const SearchArguments& arguments) {
  if (arguments.latency_budget.empty()) return std::optional<double>();
  const auto budget = parse_number<double>(arguments.latency_budget);
  if (!budget || !std::isfinite(*budget) || *budget <= 0)
    return misuse("--latency-budget takes milliseconds, above 0");
  if (arguments.objective != "accuracy")
    return misuse("--latency-budget needs --objective accuracy");
  return budget;
}

Status check(const SearchArguments& arguments) {
  if (!arguments.findings.empty()) {
    return misuse("--findings drafts from records: it needs --replay FILE",
                  "a search leaves its drafts in FOLDER/findings.json");
  }
  if (arguments.model.empty()) return misuse("autoconfig needs a model, or --replay FILE");
  if (arguments.output.empty())
    return misuse("autoconfig needs a folder for the search: -o FOLDER");
  if (arguments.task.empty() != arguments.data.empty())
    return misuse("--task and --data go together");
  if (!(arguments.margin > 0 && arguments.margin < 100))
    return misuse("--margin takes percent, above 0 and below 100");
  if (!(arguments.max_drop > 0 && arguments.max_drop < 1))
    return misuse("--max-drop takes a share, above 0 and below 1");
  if (arguments.resumes && arguments.overwrite)
    return misuse("--resume goes on with a search and --overwrite begins anew: one of the two");
  HONE_TRY_DO(latency_budget_of(arguments));
  return arguments.record.empty() ? done() : refuse_existing(arguments.record, arguments.overwrite);
}

void declare_search(Options& options, SearchArguments& arguments) {
  options.model(arguments.model, "MODEL", model_help, Need::optional);
  options.text("-o,--output FOLDER", arguments.output, "where the search is kept");
  options.flag("--overwrite", arguments.overwrite, "begin anew where a search was");
  declare_ways(options, arguments);
  options.text("--input-data FILE", arguments.input_data,
               "inputs of races and numerics, as .npz; else some of --data");
  options.text("--calibration-data FILE", arguments.calibration_data,
               "what quantizing is calibrated with; else those inputs");
  options.shape_config(arguments.shape_config);
  options.text("--kb FOLDER", arguments.knowledge, "findings besides those that come with hone");
  options.flag("--no-trace", arguments.skips_trace, "do not trace before and after");
  options.integer("--timeout SECONDS", arguments.timeout, "for one build or check (600)",
                  Need::optional, {.least = 1, .most = 86'400});
  options.seed(arguments.seed, "of inputs and of the order of arms");
  declare_where(options, arguments.where);
  declare_replay(options, arguments);
}

}  // namespace hone::app
