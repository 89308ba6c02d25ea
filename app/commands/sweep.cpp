// A catalog over a matrix of targets, cell by cell.

#include "flow/sweep/sweep.h"

#include "app/checkpoints.h"
#include "app/command.h"
#include "app/errors.h"
#include "app/interrupt.h"
#include "app/lines.h"
#include "app/publishing.h"
#include "app/step_progress.h"
#include "app/where.h"
#include "base/misuse.h"
#include "base/no_such.h"
#include "base/system_files.h"
#include "base/text.h"
#include "report/sweep/sweep_text.h"

namespace hone::app::commands {
namespace {

struct Arguments {
  SweepOrder order;
  bool lists = false;
  std::string memory_limit;
  std::string max_disk;
};

// "20G", "512M", "1000": bytes.
Result<std::uint64_t> read_size(const std::string& text, const char* option) {
  if (text.empty()) return std::uint64_t{0};
  struct Unit {
    char letter;
    int shift;
  };
  constexpr Unit units[] = {{'K', 10}, {'M', 20}, {'G', 30}, {'T', 40}};
  int shift = 0;
  std::string number = text;
  for (const Unit& unit : units) {
    if (number.back() == unit.letter || number.back() == unit.letter + ('a' - 'A'))
      shift = unit.shift;
  }
  if (shift > 0) number.pop_back();
  const auto value = parse_number<double>(number);
  constexpr double most = 1e18;
  if (!value || !(*value > 0) || *value * static_cast<double>(1ull << shift) > most)
    return misuse("'" + printable(text) + "' is no size for " + option, "20G, 512M or bytes");
  return static_cast<std::uint64_t>(*value * static_cast<double>(1ull << shift));
}

Result<SweepOrder> order_of(const Arguments& arguments) {
  SweepOrder order = arguments.order;
  if (order.is_build_only && order.mode != SweepMode::build)
    return misuse(
        "--build-only and --mode " + std::string(name_of(order.mode)) + " exclude each other",
        "hone help sweep");
  HONE_TRY(order.most_disk_bytes, read_size(arguments.max_disk, "--max-disk"));
  HONE_TRY(order.memory_limit_bytes, read_size(arguments.memory_limit, "--memory-limit"));
  // A user without a home has no findings of his own.
  if (const auto knowledge = knowledge_folder()) order.knowledge = knowledge->string();
  return order;
}

Result<ExitCode> list(const SweepOrder& order, const Call& call) {
  HONE_TRY(const SweepListing listing, list_sweep(order));
  HONE_TRY_DO(call.answer(to_document(listing, sweep_schema_version), describe_listing(listing)));
  return ExitCode::done;
}

Result<ExitCode> answer(const SweepOrder& order, const SweepAnswer& swept, const Call& call) {
  const SweepEnd& end = swept.end;
  HONE_TRY_DO(
      call.answer(to_document(end.result, sweep_schema_version), describe_sweep(end.result)));
  if (end.was_refused) {
    call.note("the place refuses us: log in, then go on with --continue");
    return ExitCode::refused;
  }
  if (end.went_away) {
    call.note("the place does not answer any more: go on with --continue when it is back");
    return ExitCode::refused;
  }
  if (!end.over_budget.empty()) {
    call.note(end.over_budget);
    return ExitCode::not_held;
  }
  return swept.holds(order) ? ExitCode::done : ExitCode::not_held;
}

Result<ExitCode> run(const Arguments& arguments, const Call& call) {
  HONE_TRY(SweepOrder order, order_of(arguments));
  if (arguments.lists) return list(order, call);
  // Without a place for what a hub has, catalogs of files are swept all the same.
  if (auto hub = hub_settings()) order.hub = *std::move(hub);
  StepProgress progress(call);
  HONE_TRY(const SweepAnswer swept,
           run_sweep(order, publisher_settings(), progress.watch(&stop_when_interrupted())));
  progress.end();
  if (swept.refusal) {
    report(*swept.refusal, call.settings());
    return ExitCode::refused;
  }
  HONE_TRY(const ExitCode code, answer(order, swept, call));
  end_if_interrupted();
  return code;
}

void declare_what(Options& options, Arguments& arguments) {
  options.text("--catalog FILE", arguments.order.catalog, "the models (docs/sweep.md)",
               Need::required);
  options.texts("--model ID", arguments.order.filter.ids, "only this model");
  options.texts("--task NAME", arguments.order.filter.tasks, "only models of this task");
  options.texts("--group NAME", arguments.order.filter.groups, "only models of this group");
  options.texts("--priority P", arguments.order.filter.priorities, "only models of this priority");
  options.text("--targets FILE", arguments.order.targets, "the targets, in the place of the eight");
  options.flag("--list", arguments.lists, "show the models and targets, and do nothing");
}

void declare_running(Options& options, Arguments& arguments) {
  options.word("--mode NAME", arguments.order.mode, "what is done with a cell (build)");
  options.flag("--build-only", arguments.order.is_build_only,
               "--mode build, for targets that need not be here");
  options.flag("--allow-unsupported", arguments.order.allows_unsupported,
               "build what an EP is known not to take all the same");
  options.text("--runner NAME", arguments.order.runner,
               "where cells run: " + join(names_of(all_runners()), ", ") + " (local)");
  options.integer("-j,--jobs N", arguments.order.jobs, "cells at a time (1)", Need::optional,
                  {.least = 1, .most = 1024});
  options.integer("--timeout SECONDS", arguments.order.timeout_s, "of each step of a cell (600)",
                  Need::optional, {.least = 1, .most = 604'800});
  options.text("--memory-limit SIZE", arguments.memory_limit, "of each process of a cell, e.g. 8G");
  options.number("--max-drop SHARE", arguments.order.max_drop,
                 "eval, autoconfig: of the metric that is allowed (0.01)");
  options.text("--store FOLDER", arguments.order.store, "the content store (FOLDER/store of -o)");
  options.text("--max-disk SIZE", arguments.max_disk,
               "of store and cache, e.g. 20G; what is published goes first");
}

void declare_upload(Options& options, Arguments& arguments) {
  options.text("--upload ADDRESS", arguments.order.upload, "publish cells: " + publisher_forms());
  options.text("--run-stamp TEXT", arguments.order.run_stamp, "a part of every version (today)");
  options.flag("--continue", arguments.order.continues,
               "go on: what is done here or published is not done again");
  options.flag("--upload-skip-existing", arguments.order.skips_existing,
               "a version that is there already is no failure");
  options.flag("--keep-local", arguments.order.keeps_local, "keep what is published here as well");
  options.text("--package-name NAME", arguments.order.package_name,
               "in an az:// feed whose address has none (hone-models)");
}

Run declare(Options& options) {
  auto arguments = std::make_shared<Arguments>();
  options.text("-o,--output FOLDER", arguments->order.output, "where the sweep is kept");
  options.flag("--overwrite", arguments->order.overwrite, "begin anew where a sweep was");
  declare_what(options, *arguments);
  declare_running(options, *arguments);
  declare_upload(options, *arguments);
  declare_where(options, arguments->order.where);
  return [arguments](const Call& call) { return run(*arguments, call); };
}

std::vector<std::string> labels() {
  std::vector<std::string> names;
  for (const SweepTarget& target : default_targets()) names.push_back(target.label);
  return names;
}

}  // namespace

Command sweep() {
  static const std::string help =
      "Every model of the catalog for every target: a cell. Cells are built (and\n"
      "measured with --mode) in processes with limits, kept in a content store where\n"
      "equal files exist once, and published with --upload. Each step is in a journal:\n"
      "a sweep that was killed goes on with --continue, and asks the registry what it\n"
      "has. A cell that fails has a class and its log; exit 3 when any did. Without\n" +
      join(in_lines("--ep or --targets the matrix is: " + join(labels(), " ") + ".", 80), "\n");
  return {.name = "sweep",
          .group = "publish",
          .summary = "Build a catalog for a matrix of targets, and publish it",
          .help = help,
          .examples =
              "hone sweep --catalog models.json -o sweep --build-only\n"
              "hone sweep --catalog models.json -o sweep --list --priority P0\n"
              "hone sweep --catalog models.json -o sweep --upload oci://localhost:5000/models\n"
              "hone sweep --catalog models.json -o sweep --mode perf --ep cpu -j 1",
          .declare = declare};
}

}  // namespace hone::app::commands
