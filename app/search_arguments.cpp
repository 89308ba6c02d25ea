#include "app/search_arguments.h"

#include "app/where.h"
#include "base/file.h"
#include "base/misuse.h"

namespace hone::app {
namespace {

void declare_ways(Options& options, SearchArguments& arguments) {
  SearchOrder& order = arguments.order;
  options.word("--objective NAME", order.objective,
               "the fastest that is accurate, the most accurate in time, or both");
  options.text("--task NAME", order.task, "what `hone eval` judges accuracy by");
  options.text("--data DIR", order.data, "labelled samples for it");
  options.number("--max-drop SHARE", order.max_drop, "of the metric that is allowed (0.01)");
  options.number("--latency-budget MS", order.latency_budget_ms,
                 "with --objective accuracy: as slow as it may be");
  options.integer("--time-budget SECONDS", order.time_budget_s,
                  "of everything, from the start; what is not reached stays pending",
                  Need::optional, {.least = 10, .most = 7 * 86'400});
  options.percent("--margin PERCENT", order.margin, "what is worth keeping (1)");
  options.texts("--only-hypotheses ID", order.only, "try these alone; --dry-run lists them");
  options.texts("--recipe FILE", order.recipes, "try this recipe too");
  options.text("--overrides FILE", order.overrides,
               "of `debug --fix`: quantize without these nodes too");
  options.flag("--resume", order.resumes, "go on with the search in the folder");
  options.flag("--reuse-baseline", order.resumes, "the same: what was measured is kept");
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

Status check(const SearchArguments& arguments) {
  constexpr auto help = "hone help autoconfig";
  if (!arguments.findings.empty()) {
    return misuse("--findings drafts from records: it needs --replay FILE",
                  "a search leaves its drafts in FOLDER/findings.json");
  }
  if (arguments.order.model.empty())
    return misuse("autoconfig needs a model, or --replay FILE", help);
  if (arguments.order.folder.empty())
    return misuse("autoconfig needs a folder for the search: -o FOLDER", help);
  if (const Status meant = check(arguments.order); !meant) return misuse(meant.error().what, help);
  return arguments.record.empty() ? done()
                                  : refuse_existing(arguments.record, arguments.order.overwrite);
}

void declare_search(Options& options, SearchArguments& arguments) {
  SearchOrder& order = arguments.order;
  options.model(order.model, "MODEL", model_help, Need::optional);
  options.text("-o,--output FOLDER", order.folder, "where the search is kept");
  options.flag("--overwrite", order.overwrite, "begin anew where a search was");
  declare_ways(options, arguments);
  options.text("--input-data FILE", order.input_data,
               "inputs of races and numerics, as .npz; else some of --data");
  options.text("--calibration-data FILE", order.calibration_data,
               "what quantizing is calibrated with; else those inputs");
  options.shape_config(order.shape_config);
  options.text("--kb FOLDER", order.knowledge, "findings besides those that come with hone");
  options.no_flag("--no-trace", order.traces, "do not trace before and after");
  options.integer("--timeout SECONDS", order.timeout_s, "for one build or check (600)",
                  Need::optional, {.least = 1, .most = 86'400});
  options.seed(order.seed, "of inputs and of the order of arms");
  declare_where(options, order.where);
  declare_replay(options, arguments);
}

}  // namespace hone::app
