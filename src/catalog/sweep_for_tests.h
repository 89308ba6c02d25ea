#pragma once
// A sweep whose cells and place are scripted.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/hash.h"
#include "catalog/sweep.h"

namespace hone {

// What cells come to, and how often each was run, in the place of processes.
struct Script {
  std::map<std::string, std::vector<CellOutcome>> outcomes;  // by version, one for each attempt
  std::map<std::string, std::string> bytes;  // by version: of cells that are made when they are run
  std::map<std::string, int> runs;
  ContentStore* store = nullptr;
};
inline Script* script = nullptr;

inline CellOutcome made_of(ContentStore& store, const std::string& version,
                           const std::string& bytes) {
  CellOutcome outcome;
  outcome.status = CellStatus::done;
  const StoredBlob blob = store.take_bytes(bytes).value();
  EXPECT_TRUE(store.hold(version, {{"model.onnx", blob.sha256, blob.bytes}}));
  outcome.files = {{"model.onnx", blob.sha256, blob.bytes}};
  return outcome;
}

inline CellOutcome failed(FailureClass kind) {
  CellOutcome outcome;
  outcome.status = CellStatus::failed;
  outcome.failure = CellFailure{.kind = kind, .stage = "build", .what = "it broke", .log_tail = {}};
  return outcome;
}

inline Status run_script(const std::vector<CellOrder>& jobs, const RunnerSettings& settings,
                         const CellSink& sink) {
  for (const CellOrder& job : jobs) {
    if (settings.stop != nullptr && settings.stop->load()) return done();
    settings.begins(job);
    const int run = script->runs[job.version]++;
    if (const auto found = script->bytes.find(job.version); found != script->bytes.end()) {
      HONE_TRY_DO(sink(job, made_of(*script->store, job.version, found->second)));
      continue;
    }
    const auto& outcomes = script->outcomes.at(job.version);
    HONE_TRY_DO(sink(
        job, outcomes[std::min<std::size_t>(static_cast<std::size_t>(run), outcomes.size() - 1)]));
  }
  return done();
}
inline const Runner scripted = {.name = "script", .summary = "", .run = run_script};

// A place in memory.
class Shelf : public Destination {
 public:
  Status ready(Access) override {
    if (is_away) return fail(Fault::io, "nobody is there");
    return done();
  }
  Result<std::map<std::string, std::string>> annotations(const std::string& version) override {
    return std::map<std::string, std::string>{{"dev.hone.cell", keys[version]}};
  }
  Published publish(const Package& package, const PublishOptions&) override {
    Published published;
    ++asked;
    published.outcome = answer;
    published.confirmed = confirms && answer == PublishOutcome::uploaded;
    published.digest = "sha256:" + sha256(package.version).hex();
    if (published.confirmed) {
      for (const PackageFile& file : package.files)
        EXPECT_EQ(sha256(read_file(file.local).value()).hex(), file.sha256);
      versions_there.insert(package.version);
      keys[package.version] = package.annotations.at("dev.hone.cell");
    }
    return published;
  }
  Result<std::vector<std::string>> versions(std::string_view) override {
    if (!can_be_asked) return fail(Fault::io, "the registry does not answer");
    return std::vector<std::string>(versions_there.begin(), versions_there.end());
  }
  Result<Fetched> fetch(const std::string&, const Path&, const FetchOptions&) override {
    return fail(Fault::not_found, "nothing is fetched here");
  }
  Result<std::vector<std::string>> evidence(const std::string&, const std::string&) override {
    return fail(Fault::not_found, "nothing is fetched here");
  }

  PublishOutcome answer = PublishOutcome::uploaded;
  bool confirms = true;
  bool can_be_asked = true;
  bool is_away = false;
  int asked = 0;
  std::set<std::string> versions_there;
  std::map<std::string, std::string> keys;  // of what was built, by version
};

class Sweeps : public testing::Test {
 protected:
  Sweeps() { script = &script_; }

  void add(const std::string& version, std::vector<CellOutcome> outcomes) {
    CellOrder job;
    job.version = version;
    job.owner = version;
    job.key = "key of " + version;
    job.model.id = "model";
    job.target.label = version;
    job.folder = (folder_.path() / version).string();
    std::filesystem::create_directories(job.folder);
    plan_.jobs.push_back(job);
    script_.outcomes[version] = std::move(outcomes);
  }
  // Its bytes come into the store when it is run.
  void add_of(const std::string& version, std::size_t bytes) {
    add(version, {});
    script_.store = &store_;
    script_.bytes[version] = std::string(bytes, version.front());
  }
  SweepEnd run() {
    SweepJournal journal = SweepJournal::open(folder_.path() / "journal.db").value();
    SweepTools tools{
        .store = store_,
        .cache = StageCache(folder_.path() / "cache"),
        .journal = journal,
        .runner = scripted,
        .running = {},
        .destination = &shelf_,
        .evidence = [](const CellOrder&, const CellOutcome&) { return Json::object(); },
        .seconds = [] { return 0.0; },
        .stop = &stop_};
    tools.running.stop = &stop_;
    return sweep(plan_, tools).value();
  }

  Script script_;
  TemporaryFolder folder_ = TemporaryFolder::create("sweep").value();
  ContentStore store_ = ContentStore::open(folder_.path() / "store").value();
  Shelf shelf_;
  SweepPlan plan_;
  std::atomic<bool> stop_ = false;
};

}  // namespace hone
