#pragma once
// The sweep: cells that are not done yet are run, kept in the store, written into the journal and
// published, one after the other. Killed at any moment, the same sweep goes on where it was.

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "catalog/publisher.h"
#include "catalog/runner.h"
#include "catalog/stage_cache.h"
#include "catalog/store.h"
#include "catalog/sweep_journal.h"
#include "record/sweep.h"

namespace hone {

struct SweepPlan {
  std::string run_stamp;
  SweepMode mode = SweepMode::build;
  std::string environment;
  std::vector<SweepTarget> targets;
  std::vector<CellOrder> jobs;                            // by model, then by target
  std::map<std::string, std::vector<std::string>> notes;  // by version
  std::map<std::string, std::string> models;              // version -> id
  bool uploads = false;
  bool continues = false;  // what the place has of this run is not built again
  bool skips_existing = false;
  bool keeps_local = false;  // what is published stays here too
  std::chrono::milliseconds upload_timeout{600'000};
  std::uint64_t most_disk_bytes = 0;  // of the store and the cache; 0: no limit
};

struct SweepTools {
  ContentStore& store;
  StageCache cache;
  SweepJournal& journal;
  const Runner& runner;
  RunnerSettings running;
  Destination* destination = nullptr;  // where packages go; null: nowhere
  // What a package's claims rest on, as a document.
  std::function<Result<Json>(const CellOrder& job, const CellOutcome& outcome)> evidence;
  // After each cell: what is known so far.
  std::function<Status(const SweepResult&)> keep = [](const SweepResult&) { return done(); };
  std::function<void(const SweepResult&, const std::string& doing)> progress =
      [](const SweepResult&, const std::string&) {};
  std::function<double()> seconds;
  const std::atomic<bool>* stop = nullptr;
};

// Fails when the journal, the store or the place cannot be used; whatever happens to a cell is its
// outcome. `was_refused` says that the place let us in no longer, `went_away` that it stopped to
// answer, `over_budget` why the disk holds more than it may, which ends a sweep: nothing that is
// not published is ever removed.
struct SweepEnd {
  SweepResult result;
  bool was_refused = false;
  bool went_away = false;
  std::string over_budget;
};
Result<SweepEnd> sweep(const SweepPlan& plan, const SweepTools& tools);

// Longest first: quantizing takes several times what optimizing takes, and both grow with the
// model. The first cell of each model comes before its others.
std::vector<CellOrder> in_order(std::vector<CellOrder> jobs,
                                const std::function<std::uint64_t(const CellOrder&)>& bytes_of);

}  // namespace hone
