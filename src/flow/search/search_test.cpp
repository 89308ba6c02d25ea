#include "flow/search/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flow/search/tools.h"

namespace hone {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr double tiny = 1e-7;  // what "%f" writes as 0.000000

SearchOrder an_order() {
  SearchOrder order;
  order.model = "model.onnx";
  order.folder = "search";
  return order;
}

std::string refusal_of(const SearchOrder& order) {
  const Status checked = check(order);
  return checked ? "" : checked.error().what;
}

// A program in the place of ours, which keeps what it is told and says no more.
class AGate : public testing::Test {
 protected:
  AGate() {
    EXPECT_TRUE(write_file(program(), "#!/bin/sh\nhead -n 1 >'" + told().string() + "'\n"));
    fs::permissions(program(), fs::perms::owner_all);
  }
  Path program() const { return folder_.path() / "program"; }
  Path told() const { return folder_.path() / "told.json"; }

  // What the gate of such a search is asked, as it arrives in the process that judges.
  TaskOrder asked(const SearchOrder& order) const {
    GivenModel model;
    model.file = order.model;
    model.where.host.program = program().string();
    const SearchSite site = site_of(order, model);
    const SearchTools tools = make_search_tools(site);
    EXPECT_FALSE(tools.check_accuracy({}, {}, unlimited_s));
    auto line = read_file(told());
    EXPECT_TRUE(line) << line.error().what;
    const auto request = Json::parse(std::move(line).value_or("{}"));
    const Json* order_told = request ? request->find("order") : nullptr;
    auto read = from_json<TaskOrder>(order_told != nullptr ? *order_told : Json::object());
    EXPECT_TRUE(read) << read.error().what;
    return std::move(read).value_or(TaskOrder());
  }

 private:
  TemporaryFolder folder_ = TemporaryFolder::create("gate").value();
};

TEST_F(AGate, IsAskedForTheVeryDropThatWasSaid) {
  SearchOrder order = an_order();
  order.task = "image-classification";
  order.data = "pictures";
  order.max_drop = tiny;
  const auto sent = Json::parse(to_json(order).dump(-1));
  ASSERT_TRUE(sent) << sent.error().what;
  const auto arrived = from_json<SearchOrder>(*sent);
  ASSERT_TRUE(arrived) << arrived.error().what;
  EXPECT_EQ(arrived->max_drop, tiny);
  const TaskOrder gate = asked(*arrived);
  EXPECT_EQ(gate.max_drop, tiny);
  EXPECT_EQ(gate.task, "image-classification");
  EXPECT_EQ(gate.data, "pictures");
  EXPECT_EQ(gate.reference.model, "model.onnx");
}

TEST(SearchOrder, ArrivesInAnotherProcessAsItWas) {
  SearchOrder order = an_order();
  order.objective = SearchObjective::accuracy;
  order.latency_budget_ms = 0.1 + 0.2;
  order.margin = tiny;
  order.only = {"threads-1"};
  order.traces = false;
  order.seed = ~std::uint64_t{0};
  order.where.ep_options = {{"key", "a=b"}};
  order.where.least_placement = 0.95;
  const auto text = Json::parse(to_json(order).dump(-1));
  ASSERT_TRUE(text) << text.error().what;
  const auto arrived = from_json<SearchOrder>(*text);
  ASSERT_TRUE(arrived) << arrived.error().what;
  EXPECT_EQ(to_json(*arrived).dump(), to_json(order).dump());
  EXPECT_EQ(arrived->latency_budget_ms, 0.1 + 0.2);
  EXPECT_EQ(arrived->seed, ~std::uint64_t{0});
}

TEST(SearchOrder, IsRefusedWhereItCannotBeMeant) {
  EXPECT_EQ(refusal_of(an_order()), "");
  SearchOrder order = an_order();
  order.model.clear();
  EXPECT_EQ(refusal_of(order), "a search needs a model");
  order = an_order();
  order.folder.clear();
  EXPECT_EQ(refusal_of(order), "a search needs a folder");
  order = an_order();
  order.task = "image-classification";
  EXPECT_EQ(refusal_of(order), "a task and its data go together");
  order = an_order();
  order.resumes = order.overwrite = true;
  EXPECT_THAT(refusal_of(order), HasSubstr("one of the two"));
}

TEST(SearchOrder, TakesSharesAndMillisecondsThatAreSome) {
  for (const double share : {0.0, 1.0, -0.01, std::numeric_limits<double>::quiet_NaN()}) {
    SearchOrder order = an_order();
    order.margin = share;
    EXPECT_THAT(refusal_of(order), HasSubstr("the margin is a share")) << share;
    order = an_order();
    order.max_drop = share;
    EXPECT_THAT(refusal_of(order), HasSubstr("what may be lost is a share")) << share;
  }
  SearchOrder order = an_order();
  order.latency_budget_ms = 5;
  EXPECT_EQ(refusal_of(order), "a latency budget needs the objective accuracy");
  order.objective = SearchObjective::accuracy;
  EXPECT_EQ(refusal_of(order), "");
  order.latency_budget_ms = 0;
  EXPECT_EQ(refusal_of(order), "a latency budget is in milliseconds, above 0");
}

TEST(Search, OfWhatIsNoModelLeavesItsFolderAlone) {
  const TemporaryFolder folder = TemporaryFolder::create("search").value();
  SearchOrder order = an_order();
  order.model = (folder.path() / "missing.onnx").string();
  order.folder = (folder.path() / "search").string();
  const auto found = search_model(order, Watch{});
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().what, HasSubstr("missing.onnx"));
  EXPECT_FALSE(fs::exists(order.folder));
}

TEST(Search, IsNotBegunOnAnOrderThatCannotBeMeant) {
  const auto found = plan_search({}, {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, "a search needs a model");
}

}  // namespace
}  // namespace hone
