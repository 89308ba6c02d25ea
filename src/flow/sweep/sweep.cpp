#include "flow/sweep/sweep.h"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "base/misuse.h"
#include "base/text.h"
#include "base/utc.h"
#include "catalog/package_version.h"
#include "flow/export/hub_model.h"
#include "flow/job.h"
#include "flow/search/noise_store.h"
#include "flow/sweep/cell_evidence.h"
#include "flow/sweep/plan.h"
#include "flow/where.h"
#include "measure/clock.h"
#include "report/sweep/sweep_html.h"
#include "report/sweep/sweep_text.h"

namespace hone {
namespace {

constexpr auto sweep_help = "hone help sweep";

std::string without_dashes(std::string text) {
  std::erase(text, '-');
  return text;
}

double now_seconds() { return std::chrono::duration<double>(steady_now()).count(); }

// The package of the address, else the one that was asked for, else ours: one name everywhere.
Result<std::string> package_of(const SweepOrder& order) {
  const std::string asked =
      order.package_name.empty() ? PublisherSettings{}.package_name : order.package_name;
  const auto found = find_publisher(order.upload);  // what is wrong with it is said later
  if (!found || found->publisher->package_of == nullptr) return asked;
  HONE_TRY(std::string package, found->publisher->package_of(found->place, asked));
  if (order.package_name.empty() || package == order.package_name) return package;
  return misuse("the address has the package '" + package + "', and --package-name is '" +
                    printable(order.package_name) + "'",
                "give one of them");
}

Result<std::vector<SweepTarget>> listed_targets(const SweepOrder& order) {
  HONE_TRY(std::vector<SweepTarget> targets, read_targets(order.targets));
  for (const SweepTarget& target : targets) {
    if (const Status can_be = check_target(target.target, order.where.host); !can_be) {
      Error error = can_be.error();
      error.what = "the target '" + target.label + "': " + error.what;
      return fail(std::move(error));
    }
  }
  return targets;
}

// Cells run here with the local runner, and a target that is elsewhere is built for only where that
// was said.
Status check_targets_here(const SweepOrder& order, const std::vector<SweepTarget>& targets) {
  const bool is_tried = order.mode != SweepMode::build;  // cells that are not here fail, each
  if (order.is_build_only || is_tried || order.runner != "local") return done();
  std::vector<std::string> absent;
  for (const SweepTarget& target : targets) {
    Where where = order.where;
    where.ep = target.target.ep;
    where.device = target.target.device;
    if (!target.is_build_only && !check_here(where)) absent.push_back(target.label);
  }
  if (absent.empty()) return done();
  return fail(Fault::not_found, Trouble::absent, "not here: " + join(absent, ", "), {},
              "--build-only makes the models for them without trying them; \"build_only\": true "
              "says so of one target in a file of --targets");
}

Result<std::vector<SweepTarget>> targets_of(const SweepOrder& order) {
  const bool is_pinned = !order.where.ep.empty() || !order.where.device.empty();
  if (is_pinned && !order.targets.empty())
    return misuse("--targets and --ep or --device exclude each other", sweep_help);
  if (!is_pinned && !order.where.ep_options.empty())
    return misuse("--ep-options needs --ep", "targets of a file have options of their own");
  if (!order.targets.empty()) return listed_targets(order);
  if (!is_pinned) return default_targets();
  RunPlan run;
  HONE_TRY_DO(fill_plan(order.where, run));
  return std::vector{pinned_target(run.target)};
}

// Versions carry the stamp: a sweep that goes on tomorrow is still the same run.
Result<std::string> choose_stamp(const SweepOrder& order, SweepJournal& journal) {
  constexpr auto key = "sweep";
  constexpr auto step = "run_stamp";
  HONE_TRY(const auto known, journal.find(key, step));
  std::string stamp = without_dashes(utc_today());
  if (!order.run_stamp.empty()) {
    stamp = slug(order.run_stamp);
  } else if (known && known->as_string() != nullptr) {
    stamp = slug(*known->as_string());
  }
  HONE_TRY_DO(journal.store(key, step, Json(stamp)));
  return stamp;
}

// How far the sweep is, and what it is doing: cells tell that from threads of their own.
class Telling {
 public:
  explicit Telling(const Watch& watch) : watch_(watch) {}

  void tell(const SweepResult& result, const std::string& doing) {
    const std::scoped_lock lock(mutex_);
    so_far_ = describe_sweep_progress(result, now_seconds() - begun_);
    watch_.step(so_far_ + "; " + doing);
  }
  void tell(const std::string& doing) {
    const std::scoped_lock lock(mutex_);
    watch_.step(so_far_ + "; " + doing);
  }

 private:
  const Watch& watch_;
  const double begun_ = now_seconds();
  std::mutex mutex_;
  std::string so_far_;
};

// Cells come to their end whatever happens to the sweep, unless it dies.
CellJobs make_cell_jobs(const Host& host, Telling& telling) {
  CellJobs jobs;
  jobs.run = [&host, &telling](const CellOrder& cell) {
    Watch watch;
    watch.tell = [&](const FlowProgress& progress) { telling.tell(progress.doing); };
    return run_apart(cell, host.program, {.time = worker_time_limit(cell)}, watch);
  };
  jobs.request = [](const CellOrder& cell) { return request_text(cell); };
  jobs.read = [](const std::string& answer) { return read_answer<CellOrder>(answer); };
  return jobs;
}

class SweepRun {
 public:
  SweepRun(const SweepOrder& order, const PublisherSettings& place, const Watch& watch)
      : order_(order), place_(place), watch_(watch) {}

  Result<SweepAnswer> run() {
    HONE_TRY(place_.package_name, package_of(order_));
    HONE_TRY(SweepListing listing, list_sweep(order_));
    HONE_TRY_DO(check());
    plan_.targets = std::move(listing.targets);
    HONE_TRY(const auto destination, open_place());
    if (destination) {
      if (const Status ready = destination->ready(Access::write); !ready)
        return SweepAnswer{.end = {}, .refusal = ready.error()};
    }
    HONE_TRY_DO(check_targets_here(order_, plan_.targets));
    HONE_TRY(SweepJournal journal, open_journal());
    HONE_TRY(plan_.run_stamp, choose_stamp(order_, journal));
    for (CatalogModel& model : listing.models) HONE_TRY_DO(fetch(model));
    HONE_TRY_DO(plan_cells(order_, listing.models, watch_, plan_));
    HONE_TRY(SweepEnd end, sweep_now(journal, destination.get()));
    return SweepAnswer{.end = std::move(end), .refusal = {}};
  }

 private:
  Path folder() const { return order_.output; }

  // What is no path beside the catalog may be the name of a model on a hub.
  Status fetch(CatalogModel& model) const {
    const Path beside = std::filesystem::absolute(order_.catalog).lexically_normal().parent_path();
    const std::string name = Path(model.model).lexically_relative(beside).generic_string();
    const auto id = hub_id_in(name, beside);
    if (!id) return done();
    if (order_.hub.cache.empty())
      return fail(Fault::not_found, "there is no place for '" + text_of(*id) + "' of a hub", {},
                  "set HF_HUB_CACHE to a folder");
    HubWatch watch;
    watch.progress = [&](std::uint64_t bytes, std::uint64_t total) {
      watch_.step("fetching " + text_of(*id), bytes, total);
    };
    watch.stop = watch_.stop;
    HONE_TRY(model.model, fetch_hub_model(name, *id, order_.hub, watch));
    return done();
  }

  Status check() {
    if (order_.output.empty()) return misuse("sweep needs a folder: -o FOLDER", sweep_help);
    HONE_TRY(runner_, runner_named(order_.runner));
    HONE_TRY_DO(check_gates());
    if (order_.continues && order_.overwrite)
      return misuse("--continue and --overwrite exclude each other", sweep_help);
    const bool has_journal = std::filesystem::exists(folder() / "journal.db");
    if (has_journal && !order_.continues && !order_.overwrite) {
      return fail(Fault::io, "'" + order_.output + "' holds a sweep already", {},
                  "--continue goes on with it, --overwrite begins anew");
    }
    if (!order_.run_stamp.empty() && slug(order_.run_stamp).empty())
      return misuse("--run-stamp has neither a letter nor a digit", "--run-stamp 20260609");
    plan_.mode = order_.mode;
    plan_.most_disk_bytes = order_.most_disk_bytes;
    plan_.uploads = !order_.upload.empty();
    plan_.continues = order_.continues;
    plan_.skips_existing = order_.skips_existing;
    plan_.keeps_local = order_.keeps_local;
    plan_.upload_timeout = std::chrono::seconds(order_.timeout_s);
    return done();
  }

  Status check_gates() const {
    if (order_.where.least_placement && order_.mode != SweepMode::perf)
      return misuse("--require-placement needs --mode perf", "only that runs on the EP to see it");
    if (!(order_.max_drop > 0 && order_.max_drop < 1))
      return misuse("--max-drop is a share between 0 and 1", "--max-drop 0.01");
    return done();
  }

  // Asked before anything is built; null where nothing is published.
  Result<std::unique_ptr<Destination>> open_place() {
    if (!plan_.uploads) return std::unique_ptr<Destination>();
    place_.scratch = folder() / "outbox";
    return open_destination(order_.upload, place_);
  }

  // Who has the journal has the folder: nothing in it is touched before.
  Result<SweepJournal> open_journal() {
    std::error_code problem;
    std::filesystem::create_directories(folder() / "cells", problem);
    if (problem) return fail(Fault::io, "cannot make '" + order_.output + "'", problem.message());
    HONE_TRY(SweepJournal journal, SweepJournal::open(folder() / "journal.db"));
    if (!order_.overwrite) return journal;
    HONE_TRY_DO(journal.clear());
    std::filesystem::remove_all(folder() / "jobs", problem);
    return journal;
  }

  Result<SweepEnd> sweep_now(SweepJournal& journal, Destination* destination) {
    HONE_TRY(ContentStore store, ContentStore::open(store_of(order_)));
    HONE_TRY(const EvidenceMachine machine, find_machine());
    Telling telling(watch_);
    SweepTools tools{.store = store,
                     .cache = StageCache(folder() / "cache" / "builds"),
                     .journal = journal,
                     .runner = *runner_,
                     .running = {},
                     .destination = destination,
                     .evidence = {},
                     .seconds = now_seconds,
                     .stop = watch_.stop};
    tools.running.cells = make_cell_jobs(order_.where.host, telling);
    tools.running.program = order_.where.host.program;
    tools.running.folder = std::filesystem::absolute(folder() / "jobs");
    tools.running.jobs = static_cast<std::size_t>(order_.jobs);
    tools.running.stop = tools.stop;
    tools.evidence = [&](const CellOrder& cell, const CellOutcome& outcome) -> Result<Json> {
      HONE_TRY(const CellEvidence evidence, evidence_of(cell, outcome, machine));
      return to_document(evidence, evidence_schema_version);
    };
    tools.keep = [&](const SweepResult& result) { return keep(result); };
    tools.progress = [&](const SweepResult& result, const std::string& doing) {
      telling.tell(result, doing);
    };
    return sweep(plan_, tools);
  }

  // The machine, and its noise certificate where there is one.
  Result<EvidenceMachine> find_machine() const {
    Where here;  // the machine, not a target
    here.host = order_.where.host;
    HONE_TRY(const SearchEnvironment environment, find_environment(here, {}));
    return EvidenceMachine{environment.facts, load_certificate(order_.where.host, environment, {})};
  }

  Status keep(const SweepResult& result) const {
    HONE_TRY_DO(write_file(folder() / "sweep.json",
                           to_document(result, sweep_schema_version).dump() + "\n"));
    HONE_TRY_DO(write_file(folder() / "report.html", sweep_page(result)));
    const Json upstream = build_only_results(result, place_.package_name, utc_now());
    return write_file(folder() / "build_only_results.json", upstream.dump() + "\n");
  }

  const SweepOrder& order_;
  PublisherSettings place_;
  const Watch& watch_;
  SweepPlan plan_;
  const Runner* runner_ = nullptr;
};

}  // namespace

bool SweepAnswer::holds(const SweepOrder& order) const {
  const auto is_right = [&](const SweepCell& cell) {
    const bool is_published =
        (cell.upload == "uploaded" && cell.is_confirmed) || cell.upload == "exists-skipped";
    return cell.status == CellStatus::done && (order.upload.empty() || is_published);
  };
  return std::ranges::all_of(end.result.cells, is_right);
}

Result<SweepListing> list_sweep(const SweepOrder& order) {
  HONE_TRY(const Catalog catalog, read_catalog(order.catalog));
  SweepListing listing;
  listing.models = models_that_match(catalog, order.filter);
  if (listing.models.empty())
    return misuse("no model of the catalog is asked for", "--list shows them");
  HONE_TRY(listing.targets, targets_of(order));
  return listing;
}

Result<SweepAnswer> run_sweep(const SweepOrder& order, const PublisherSettings& place,
                              const Watch& watch) {
  return SweepRun(order, place, watch).run();
}

}  // namespace hone
