// What a sweep publishes, what it lets go, and when.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "catalog/sweep_for_tests.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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
  shelf_.keys["a"] = plan_.jobs[0].key;
  const SweepEnd end = run();
  EXPECT_TRUE(end.result.cells[0].is_resumed);
  EXPECT_EQ(script_.runs.count("a"), 0U);
  EXPECT_EQ(script_.runs["b"], 1);
}

TEST_F(Sweeps, DoNotTakeAnotherBuildOfTheSameVersionForTheirs) {
  plan_.uploads = true;
  plan_.continues = true;
  add("a", {made_of(store_, "a", "x")});
  shelf_.versions_there = {"a"};
  shelf_.keys["a"] = "of another model";
  shelf_.answer = PublishOutcome::exists_skipped;
  shelf_.confirms = false;
  SweepEnd end = run();
  EXPECT_EQ(script_.runs["a"], 1);
  EXPECT_EQ(end.result.cells[0].upload, "failed");
  EXPECT_THAT(end.result.cells[0].upload_error, HasSubstr("another --run-stamp"));
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "a"));
  plan_.skips_existing = true;
  end = run();
  EXPECT_EQ(end.result.cells[0].upload, "exists-skipped") << "it was asked to leave that alone";
  EXPECT_EQ(store_.held_by("a")->size(), 1U) << "its own bytes are nowhere else";
}

TEST_F(Sweeps, AskAgainForWhatNobodyCouldConfirm) {
  plan_.uploads = true;
  add("a", {made_of(store_, "a", "x")});
  shelf_.confirms = false;
  SweepEnd end = run();
  EXPECT_EQ(end.result.cells[0].upload, "uploaded");
  EXPECT_FALSE(end.result.cells[0].is_confirmed);
  EXPECT_EQ(store_.held_by("a")->size(), 1U);
  shelf_.confirms = true;
  end = run();
  EXPECT_EQ(shelf_.asked, 2);
  EXPECT_TRUE(end.result.cells[0].is_confirmed);
  EXPECT_EQ(script_.runs["a"], 1);
}

TEST_F(Sweeps, BuildAgainWhatWasDamagedBeforeItWasPublished) {
  add_of("a", 100);
  run();
  const Path blob = *store_.find(sha256(std::string(100, 'a')).hex());
  std::filesystem::permissions(blob, std::filesystem::perms::owner_all);
  ASSERT_TRUE(write_file(blob, std::string(100, 'b')));
  plan_.uploads = true;
  EXPECT_EQ(run().result.cells[0].upload, "uploaded");
  EXPECT_EQ(script_.runs["a"], 2);
}

TEST_F(Sweeps, KeepToTheDiskBudgetByLettingGoWhatIsPublished) {
  plan_.uploads = true;
  plan_.most_disk_bytes = 1500;
  for (const char* version : {"a", "b", "c"}) add_of(version, 1000);
  const SweepEnd end = run();
  EXPECT_EQ(end.over_budget, "");
  EXPECT_THAT(shelf_.versions_there, ElementsAre("a", "b", "c"));
  EXPECT_LE(store_.du()->bytes, 1500U);
}

TEST_F(Sweeps, EndWhereTheBudgetHasNoRoomForWhatIsNotPublished) {
  plan_.most_disk_bytes = 1500;
  for (const char* version : {"a", "b", "c"}) add_of(version, 1000);
  SweepEnd end = run();
  EXPECT_THAT(end.over_budget, HasSubstr("cannot bring the store"));
  EXPECT_EQ(end.result.cells[1].status, CellStatus::done);
  EXPECT_EQ(end.result.cells[2].failure->kind, FailureClass::disk_full);
  EXPECT_EQ(store_.held_by("a")->size(), 1U);
  plan_.most_disk_bytes = 0;
  end = run();
  EXPECT_EQ(end.result.cells[2].status, CellStatus::done) << "with more room it goes on";
  EXPECT_EQ(script_.runs["a"], 1);
}

TEST_F(Sweeps, NeverEvictWhatThePlaceDidNotConfirm) {
  plan_.uploads = true;
  plan_.most_disk_bytes = 1500;
  shelf_.confirms = false;
  for (const char* version : {"a", "b"}) add_of(version, 1000);
  EXPECT_THAT(run().over_budget, HasSubstr("cannot bring the store"));
  EXPECT_EQ(store_.held_by("a")->size(), 1U);
  EXPECT_TRUE(store_.find(sha256(std::string(1000, 'a')).hex()));
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
                         .cache = StageCache(folder_.path() / "cache"),
                         .journal = journal,
                         .runner = scripted,
                         .running = {},
                         .destination = &shelf_,
                         .evidence = [](const CellOrder&, const CellOutcome&) { return Json(); },
                         .seconds = [] { return 0.0; }};
  EXPECT_THAT(sweep(plan_, tools).error().what, HasSubstr("does not answer"));
}

}  // namespace
}  // namespace hone
