#include "flow/sweep/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::HasSubstr;

class APlan : public testing::Test {
 protected:
  APlan() {
    EXPECT_TRUE(write_file(file("program"), "a program"));
    EXPECT_TRUE(write_file(file("samples.npz"), "samples"));
    order_.output = file("out");
    order_.where.host.program = file("program");
    order_.where.host.cache = "/users/cache";
    order_.where.host.ep_libraries = {};
    CatalogModel model;
    model.id = "org/net";
    model.model = file("net.onnx");
    models_ = {model};
  }

  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }

  Result<SweepPlan> plan() const {
    SweepPlan plan;
    plan.run_stamp = "one";
    plan.mode = order_.mode;
    plan.targets = {pinned_target({.ep = "cpu", .device = "cpu", .options = {}})};
    HONE_TRY_DO(plan_cells(order_, models_, {}, plan));
    return plan;
  }
  CellOrder cell() const {
    auto made = plan();
    EXPECT_TRUE(made) << made.error().what;
    return made.value().jobs.front();
  }

  SweepOrder order_;
  std::vector<CatalogModel> models_;

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("plan").value();
};

TEST_F(APlan, HasACellForEachModelThatSeesTheSweepsOwnCache) {
  order_.where.least_placement = 0.95;
  order_.timeout_s = 7;
  const CellOrder planned = cell();
  EXPECT_EQ(planned.version, "0.0.0-one-cpu-cpu-org-net");
  EXPECT_EQ(planned.folder, file("out") + "/cells/org-net/cpu_cpu");
  EXPECT_EQ(planned.store, file("out") + "/store");
  EXPECT_EQ(planned.where.host.program, file("program"));
  EXPECT_EQ(planned.where.host.cache, file("out") + "/cache");
  EXPECT_EQ(planned.where.least_placement, 0.95);
  EXPECT_EQ(planned.time_limit_s, 7);
}

TEST_F(APlan, PutsWhatWasSaidOfSessionsOverEveryRecipe) {
  order_.where.threads = 5;
  EXPECT_EQ(cell().recipe.session.threads, 5);
}

TEST_F(APlan, HasKeysOfContentsAndNotOfPlaces) {
  models_.front().input_data = file("samples.npz");
  const std::string key = cell().key;
  EXPECT_TRUE(write_file(file("moved.npz"), "samples"));
  models_.front().input_data = file("moved.npz");
  order_.output = file("elsewhere");
  EXPECT_EQ(cell().key, key);
  EXPECT_TRUE(write_file(file("moved.npz"), "others"));
  EXPECT_NE(cell().key, key);
}

TEST_F(APlan, HasOtherKeysForOtherGates) {
  const std::string key = cell().key;
  order_.where.least_placement = 0.95;
  const std::string placed = cell().key;
  order_.max_drop = 1e-7;
  EXPECT_NE(placed, key);
  EXPECT_NE(cell().key, placed);
}

TEST_F(APlan, RefusesTwoModelsThatWouldShareAName) {
  models_.push_back(models_.front());
  models_.back().id = "org-net";
  const auto made = plan();
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().what, HasSubstr("would be published under one name"));
}

TEST_F(APlan, NamesTheModelThatCannotBePlanned) {
  models_.front().precision = "w3a3";
  const auto made = plan();
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().what, HasSubstr("'org/net' of the catalog: "));
}

}  // namespace
}  // namespace hone
