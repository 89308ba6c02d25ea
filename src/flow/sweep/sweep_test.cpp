#include "flow/sweep/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::HasSubstr;

class ASweep : public testing::Test {
 protected:
  ASweep() {
    order_.catalog = file("catalog.json");
    order_.output = file("out");
    EXPECT_TRUE(write_file(order_.catalog, R"({"schema_version": 1, "models": [
        {"id": "a", "model": "a.onnx", "priority": "P0"}, {"id": "b", "model": "b.onnx"}]})"));
  }

  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  // Why nothing was begun.
  Error refused() const {
    const auto answer = run_sweep(order_, {}, {});
    EXPECT_FALSE(answer);
    EXPECT_FALSE(std::filesystem::exists(order_.output));
    return answer ? Error() : answer.error();
  }

  SweepOrder order_;

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("sweep").value();
};

TEST_F(ASweep, IsListedWithItsModelsAndTargets) {
  order_.filter.priorities = {"P0"};
  const auto listing = list_sweep(order_);
  ASSERT_TRUE(listing);
  ASSERT_EQ(listing->models.size(), 1u);
  EXPECT_EQ(listing->models.front().id, "a");
  EXPECT_EQ(listing->targets.size(), default_targets().size());
}

TEST_F(ASweep, IsForTheOneTargetThatWasSaid) {
  order_.where.ep = "CPUExecutionProvider";
  const auto listing = list_sweep(order_);
  ASSERT_TRUE(listing);
  ASSERT_EQ(listing->targets.size(), 1u);
  EXPECT_EQ(listing->targets.front().target.ep, "cpu");
}

TEST_F(ASweep, IsNotBegunWhereTargetsAreSaidTwice) {
  order_.where.ep = "cpu";
  order_.targets = "targets.json";
  EXPECT_EQ(refused().what, "--targets and --ep or --device exclude each other");
}

TEST_F(ASweep, IsNotBegunForADeviceThatIsNotHere) {
  order_.where.device = "npu";
  EXPECT_EQ(refused().trouble, Trouble::absent);
}

TEST_F(ASweep, IsNotBegunWhereOptionsAreOfNoEp) {
  order_.where.ep_options = {{"a", "b"}};
  EXPECT_EQ(refused().what, "--ep-options needs --ep");
}

TEST_F(ASweep, IsNotBegunWithAGateThatItsModeDoesNotHave) {
  order_.where.ep = "cpu";
  order_.where.least_placement = 0.5;
  EXPECT_EQ(refused().what, "--require-placement needs --mode perf");
  order_.mode = SweepMode::perf;
  order_.max_drop = 1;
  EXPECT_EQ(refused().what, "--max-drop is a share between 0 and 1");
}

TEST_F(ASweep, IsNotBegunForAPackageWithTwoNames) {
  order_.upload = "az://organization/project/feed/one";
  order_.package_name = "other";
  EXPECT_EQ(refused().what, "the address has the package 'one', and --package-name is 'other'");
}

TEST_F(ASweep, IsNotBegunWhereThePlaceDoesNotLetUsIn) {
  order_.where.ep = "cpu";
  order_.upload = "file:///dev/null/nowhere";
  const auto answer = run_sweep(order_, {}, {});
  ASSERT_TRUE(answer) << answer.error().what;
  ASSERT_TRUE(answer->refusal);
  EXPECT_FALSE(std::filesystem::exists(order_.output));
}

TEST_F(ASweep, HoldsWhereAllCellsAreDoneAndPublishedWhereThatWasAsked) {
  SweepAnswer answer;
  SweepCell cell;
  cell.status = CellStatus::done;
  answer.end.result.cells = {cell};
  EXPECT_TRUE(answer.holds(order_));
  order_.upload = "file:///shelf";
  EXPECT_FALSE(answer.holds(order_));
  answer.end.result.cells.front().upload = "uploaded";
  EXPECT_FALSE(answer.holds(order_)) << "nobody confirmed it";
  answer.end.result.cells.front().is_confirmed = true;
  EXPECT_TRUE(answer.holds(order_));
  answer.end.result.cells.front().status = CellStatus::failed;
  EXPECT_FALSE(answer.holds(order_));
}

}  // namespace
}  // namespace hone
