// A catalog over a matrix of targets, cell by cell.

#include "app/sweep.h"
#include "app/lines.h"
#include "base/no_such.h"
#include "catalog/matrix.h"
#include "catalog/publisher.h"
#include "catalog/runner.h"

namespace hone::app::commands {
namespace {

void declare_what(Options& options, SweepArguments& arguments) {
  options.text("--catalog FILE", arguments.catalog, "the models (docs/sweep.md)", Need::required);
  options.texts("--model ID", arguments.filter.ids, "only this model");
  options.texts("--task NAME", arguments.filter.tasks, "only models of this task");
  options.texts("--group NAME", arguments.filter.groups, "only models of this group");
  options.texts("--priority P", arguments.filter.priorities, "only models of this priority");
  options.text("--targets FILE", arguments.targets, "the targets, in the place of the eight");
  options.flag("--list", arguments.lists, "show the models and targets, and do nothing");
}

void declare_running(Options& options, SweepArguments& arguments) {
  options.choice("--mode NAME", arguments.mode, {"build", "perf", "eval", "autoconfig"},
                 "what is done with a cell (build)");
  options.flag("--build-only", arguments.is_build_only, "the same as --mode build");
  options.text("--runner NAME", arguments.runner,
               "where cells run: " + join(names_of(all_runners()), ", ") + " (local)");
  options.integer("-j,--jobs N", arguments.jobs, "cells at a time (1)", Need::optional,
                  {.least = 1, .most = 1024});
  options.integer("--timeout SECONDS", arguments.timeout_s, "of each step of a cell (600)",
                  Need::optional, {.least = 1, .most = 604'800});
  options.text("--memory-limit SIZE", arguments.memory_limit, "of each process of a cell, e.g. 8G");
  options.number("--max-drop SHARE", arguments.max_drop,
                 "eval, autoconfig: of the metric that is allowed (0.01)");
  options.text("--store FOLDER", arguments.store, "the content store (FOLDER/store of -o)");
  options.text("--max-disk SIZE", arguments.max_disk,
               "of store and cache, e.g. 20G; what is published goes first");
}

void declare_upload(Options& options, SweepArguments& arguments) {
  options.text("--upload ADDRESS", arguments.upload, "publish cells: " + publisher_forms());
  options.text("--run-stamp TEXT", arguments.run_stamp, "a part of every version (today)");
  options.flag("--continue", arguments.continues,
               "go on: what is done here or published is not done again");
  options.flag("--upload-skip-existing", arguments.skips_existing,
               "a version that is there already is no failure");
  options.flag("--keep-local", arguments.keeps_local, "keep what is published here as well");
  arguments.package_name.clear();  // until somebody says one
  options.text("--package-name NAME", arguments.package_name,
               "in an az:// feed whose address has none (hone-models)");
}

// The package of the address, else the one that was asked for, else ours: one name everywhere.
Status settle_package(SweepArguments& arguments) {
  const std::string asked = arguments.package_name;
  arguments.package_name = asked.empty() ? SweepArguments{}.package_name : asked;
  const auto found = find_publisher(arguments.upload);  // what is wrong with it is said later
  if (!found || found->publisher->package_of == nullptr) return done();
  HONE_TRY(const std::string package,
           found->publisher->package_of(found->place, arguments.package_name));
  if (!asked.empty() && package != asked) {
    return fail(Fault::bad_input,
                "the address has the package '" + package + "', and --package-name is '" +
                    printable(asked) + "'",
                {}, "give one of them");
  }
  arguments.package_name = package;
  return done();
}

Run declare(Options& options) {
  auto arguments = std::make_shared<SweepArguments>();
  options.text("-o,--output FOLDER", arguments->output, "where the sweep is kept");
  options.flag("--overwrite", arguments->overwrite, "begin anew where a sweep was");
  declare_what(options, *arguments);
  declare_running(options, *arguments);
  declare_upload(options, *arguments);
  declare_where(options, arguments->where);
  return [arguments](const Call& call) -> Result<ExitCode> {
    HONE_TRY_DO(settle_package(*arguments));
    return run_sweep(*arguments, call);
  };
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
