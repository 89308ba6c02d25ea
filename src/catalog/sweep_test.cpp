#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/sweep_for_tests.h"

namespace hone {
namespace {

using testing::ElementsAre;

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

TEST_F(Sweeps, PutBackTheFolderOfACellThatWasRemoved) {
  add("a", {made_of(store_, "a", "weights")});
  run();
  std::filesystem::remove_all(folder_.path() / "a");
  EXPECT_TRUE(run().result.cells[0].is_resumed);
  EXPECT_EQ(*read_file(folder_.path() / "a" / "model.onnx"), "weights");
}

TEST_F(Sweeps, LeaveTheRestPendingWhenStopped) {
  add("a", {made_of(store_, "a", "x")});
  stop_ = true;
  EXPECT_EQ(run().result.cells[0].status, CellStatus::pending);
}

TEST(Order, BeginsWithTheFirstCellOfEachModelAndTheLongest) {
  std::vector<CellOrder> jobs;
  for (const auto& [model, label, quantizes] :
       {std::tuple("small", "a", false), std::tuple("small", "b", true),
        std::tuple("large", "a", false), std::tuple("large", "b", true)}) {
    CellOrder job;
    job.model.model = model;
    job.version = std::string(model) + "-" + label;
    if (quantizes) job.recipe.quantize.emplace();
    jobs.push_back(job);
  }
  std::vector<std::string> order;
  for (const CellOrder& job : in_order(
           jobs, [](const CellOrder& one) { return one.model.model == "large" ? 1000U : 10U; }))
    order.push_back(job.version);
  EXPECT_THAT(order, ElementsAre("large-a", "small-a", "large-b", "small-b"));
}

}  // namespace
}  // namespace hone
