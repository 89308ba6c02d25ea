#include "catalog/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/hash.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What cells come to, and how often each was run, in the place of processes.
struct Script {
  std::map<std::string, std::vector<CellOutcome>> outcomes;  // by version, one for each attempt
  std::map<std::string, int> runs;
};
Script* script = nullptr;

CellOutcome made_of(ContentStore& store, const std::string& version, const std::string& bytes) {
  CellOutcome outcome;
  outcome.status = CellStatus::done;
  const StoredBlob blob = store.take_bytes(bytes).value();
  EXPECT_TRUE(store.hold(version, {{"model.onnx", blob.sha256, blob.bytes}}));
  outcome.files = {{"model.onnx", blob.sha256, blob.bytes}};
  return outcome;
}

CellOutcome failed(FailureClass kind) {
  CellOutcome outcome;
  outcome.status = CellStatus::failed;
  outcome.failure = CellFailure{.kind = kind, .stage = "build", .what = "it broke", .log_tail = {}};
  return outcome;
}

Status run_script(const std::vector<CellJob>& jobs, const RunnerSettings& settings,
                  const CellSink& sink) {
  for (const CellJob& job : jobs) {
    if (settings.stop != nullptr && settings.stop->load()) return done();
    const int run = script->runs[job.version]++;
    const auto& outcomes = script->outcomes.at(job.version);
    HONE_TRY_DO(sink(
        job, outcomes[std::min<std::size_t>(static_cast<std::size_t>(run), outcomes.size() - 1)]));
  }
  return done();
}
const Runner scripted = {.name = "script", .summary = "", .run = run_script};

// A place in memory.
class Shelf : public Destination {
 public:
  Status ready(Access) override {
    if (is_away) return fail(Fault::io, "nobody is there");
    return done();
  }
  Published publish(const Package& package, const PublishOptions&) override {
    Published published;
    ++asked;
    published.outcome = answer;
    published.confirmed = answer == PublishOutcome::uploaded;
    published.digest = "sha256:" + sha256(package.version).hex();
    if (published.confirmed) {
      for (const PackageFile& file : package.files)
        EXPECT_EQ(sha256(read_file(file.local).value()).hex(), file.sha256);
      versions_there.insert(package.version);
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
  bool can_be_asked = true;
  bool is_away = false;
  int asked = 0;
  std::set<std::string> versions_there;
};

class Sweeps : public testing::Test {
 protected:
  Sweeps() { script = &script_; }

  void add(const std::string& version, std::vector<CellOutcome> outcomes) {
    CellJob job;
    job.version = version;
    job.key = "key of " + version;
    job.model.id = "model";
    job.target.label = version;
    job.folder = (folder_.path() / version).string();
    std::filesystem::create_directories(job.folder);
    plan_.jobs.push_back(job);
    script_.outcomes[version] = std::move(outcomes);
  }
  SweepEnd run() {
    SweepJournal journal = SweepJournal::open(folder_.path() / "journal.db").value();
    SweepTools tools{.store = store_,
                     .journal = journal,
                     .runner = scripted,
                     .running = {},
                     .destination = &shelf_,
                     .evidence = [](const CellJob&, const CellOutcome&) { return Json::object(); },
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

TEST_F(Sweeps, RunEveryCellOnceAndNotAgain) {
  add("a", {made_of(store_, "a", "one")});
  add("b", {made_of(store_, "b", "one")});
  SweepEnd end = run();
  EXPECT_EQ(end.result.cells[0].status, CellStatus::done);
  EXPECT_EQ(end.result.cell_bytes, 6U);
  EXPECT_EQ(end.result.disk_bytes, 3U);
  end = run();
  EXPECT_TRUE(end.result.cells[1].is_resumed);
  EXPECT_EQ(script_.runs["a"], 1);
}

TEST_F(Sweeps, TryAgainWhatTheMachineSpoiltAndRecordTheRest) {
  add("a", {failed(FailureClass::infra), failed(FailureClass::infra), made_of(store_, "a", "x")});
  add("b", {failed(FailureClass::unsupported_op)});
  add("c", {failed(FailureClass::infra)});
  const SweepEnd end = run();
  EXPECT_EQ(end.result.cells[0].status, CellStatus::done);
  EXPECT_EQ(end.result.cells[0].attempts, 3U);
  EXPECT_EQ(end.result.cells[1].failure->kind, FailureClass::unsupported_op);
  EXPECT_EQ(script_.runs["b"], 1);
  EXPECT_EQ(script_.runs["c"], 3);
  EXPECT_EQ(end.result.cells[2].status, CellStatus::failed);
}

TEST_F(Sweeps, RunAgainWhatFailedAndWhatDependsOnSomethingElseNow) {
  add("a", {failed(FailureClass::build_crash), made_of(store_, "a", "x")});
  add("b", {made_of(store_, "b", "y")});
  run();
  plan_.jobs[1].key = "another runtime";
  const SweepEnd end = run();
  EXPECT_EQ(end.result.cells[0].status, CellStatus::done);
  EXPECT_EQ(script_.runs["b"], 2);
}

TEST_F(Sweeps, RunAgainWhatTheStoreHasLost) {
  add("a", {made_of(store_, "a", "x")});
  run();
  const auto lost = store_.find(script_.outcomes["a"].front().files.front().sha256);
  std::filesystem::remove(*lost);
  const SweepEnd end = run();
  EXPECT_EQ(script_.runs["a"], 2);
  EXPECT_FALSE(end.result.cells[0].is_resumed);
}

TEST_F(Sweeps, DeleteNothingBeforeThePlaceHasConfirmedIt) {
  plan_.uploads = true;
  add("a", {made_of(store_, "a", "x")});
  shelf_.answer = PublishOutcome::timeout;
  SweepEnd end = run();
  EXPECT_EQ(end.result.cells[0].upload, "timeout");
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "a"));
  EXPECT_EQ(store_.held_by("a")->size(), 1U);
  shelf_.answer = PublishOutcome::uploaded;
  end = run();
  EXPECT_EQ(end.result.cells[0].upload, "uploaded");
  EXPECT_EQ(script_.runs["a"], 1) << "what is built is published without building it again";
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "a"));
  EXPECT_TRUE(store_.held_by("a")->empty());
}

TEST_F(Sweeps, KeepWhatIsPublishedWhenAskedTo) {
  plan_.uploads = true;
  plan_.keeps_local = true;
  add("a", {made_of(store_, "a", "x")});
  run();
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "a"));
  EXPECT_EQ(store_.held_by("a")->size(), 1U);
}

TEST_F(Sweeps, StopWhenThePlaceRefusesUsAndGoOnLater) {
  plan_.uploads = true;
  add("a", {made_of(store_, "a", "x")});
  add("b", {made_of(store_, "b", "y")});
  shelf_.answer = PublishOutcome::auth_abort;
  SweepEnd end = run();
  EXPECT_TRUE(end.was_refused);
  EXPECT_EQ(end.result.cells[0].upload, "failed");
  EXPECT_EQ(script_.runs.count("b"), 0U);
  shelf_.answer = PublishOutcome::uploaded;
  plan_.continues = true;
  end = run();
  EXPECT_FALSE(end.was_refused);
  EXPECT_EQ(script_.runs["a"], 1);
  EXPECT_THAT(shelf_.versions_there, ElementsAre("a", "b"));
}

TEST_F(Sweeps, BuildOnWithoutAskingAPlaceThatIsGone) {
  plan_.uploads = true;
  for (const char* version : {"a", "b", "c"}) add(version, {made_of(store_, version, version)});
  shelf_.answer = PublishOutcome::failed;
  shelf_.is_away = true;
  const SweepEnd end = run();
  EXPECT_EQ(shelf_.asked, 1);
  for (const SweepCell& cell : end.result.cells) {
    EXPECT_EQ(cell.status, CellStatus::done);
    EXPECT_EQ(cell.upload, "failed");
  }
  EXPECT_EQ(end.result.cells.back().upload_error, "nobody is there");
  EXPECT_TRUE(end.went_away);
}

TEST_F(Sweeps, AskAgainWhereOneUploadFailedAndThePlaceIsThere) {
  plan_.uploads = true;
  for (const char* version : {"a", "b"}) add(version, {made_of(store_, version, version)});
  shelf_.answer = PublishOutcome::failed;
  run();
  EXPECT_EQ(shelf_.asked, 2);
}

TEST_F(Sweeps, GoOnFromAnEmptyFolderWithWhatThePlaceHas) {
  plan_.uploads = true;
  plan_.continues = true;
  add("a", {made_of(store_, "a", "x")});
  add("b", {made_of(store_, "b", "y")});
  shelf_.versions_there = {"a"};
  const SweepEnd end = run();
  EXPECT_TRUE(end.result.cells[0].is_resumed);
  EXPECT_EQ(script_.runs.count("a"), 0U);
  EXPECT_EQ(script_.runs["b"], 1);
}

TEST_F(Sweeps, PublishAgainWhatThePlaceHasLost) {
  plan_.uploads = true;
  plan_.keeps_local = true;
  add("a", {made_of(store_, "a", "x")});
  run();
  shelf_.versions_there.clear();
  plan_.continues = true;
  run();
  EXPECT_EQ(script_.runs["a"], 1);
  EXPECT_THAT(shelf_.versions_there, ElementsAre("a"));
}

TEST_F(Sweeps, DoNotTakeSilenceForAnEmptyPlace) {
  plan_.uploads = true;
  plan_.continues = true;
  add("a", {made_of(store_, "a", "x")});
  shelf_.can_be_asked = false;
  SweepJournal journal = SweepJournal::open(folder_.path() / "journal.db").value();
  const SweepTools tools{.store = store_,
                         .journal = journal,
                         .runner = scripted,
                         .running = {},
                         .destination = &shelf_,
                         .evidence = [](const CellJob&, const CellOutcome&) { return Json(); },
                         .seconds = [] { return 0.0; }};
  EXPECT_THAT(sweep(plan_, tools).error().what, HasSubstr("does not answer"));
}

TEST_F(Sweeps, LeaveTheRestPendingWhenStopped) {
  add("a", {made_of(store_, "a", "x")});
  stop_ = true;
  EXPECT_EQ(run().result.cells[0].status, CellStatus::pending);
}

TEST(Order, BeginsWithTheFirstCellOfEachModelAndTheLongest) {
  std::vector<CellJob> jobs;
  for (const auto& [model, label, quantizes] :
       {std::tuple("small", "a", false), std::tuple("small", "b", true),
        std::tuple("large", "a", false), std::tuple("large", "b", true)}) {
    CellJob job;
    job.model.model = model;
    job.version = std::string(model) + "-" + label;
    if (quantizes) job.recipe.quantize.emplace();
    jobs.push_back(job);
  }
  std::vector<std::string> order;
  for (const CellJob& job :
       in_order(jobs, [](const CellJob& one) { return one.model.model == "large" ? 1000U : 10U; }))
    order.push_back(job.version);
  EXPECT_THAT(order, ElementsAre("large-a", "small-a", "large-b", "small-b"));
}

}  // namespace
}  // namespace hone
