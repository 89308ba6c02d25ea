#include "kinds/ep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace hone {
namespace {

using testing::Contains;
using testing::IsSupersetOf;

TEST(Eps, AreFoundByTheirNameAnAliasOrThatOfOnnxRuntime) {
  ASSERT_NE(find_ep("openvino"), nullptr);
  EXPECT_EQ(find_ep("OpenVINO"), find_ep("openvino"));
  EXPECT_EQ(find_ep("ov"), find_ep("openvino"));
  EXPECT_EQ(find_ep("OpenVINOExecutionProvider"), find_ep("openvino"));
  EXPECT_EQ(find_ep("SomebodysExecutionProvider"), nullptr);
  EXPECT_EQ(find_ep("noise"), nullptr);
}

TEST(Eps, HaveNamesThatNoOtherHas) {
  std::set<std::string_view> names;
  for (const Ep& ep : all_eps()) {
    EXPECT_TRUE(names.insert(ep.name).second) << ep.name;
    EXPECT_TRUE(names.insert(ep.own_name).second) << ep.own_name;
    for (const std::string_view alias : ep.aliases)
      EXPECT_TRUE(names.insert(alias).second) << alias;
  }
  EXPECT_EQ(ep_names().front(), "cpu");
}

TEST(Eps, SayWhatTheyAreAndWhereTheyComeFrom) {
  for (const Ep& ep : all_eps()) {
    EXPECT_FALSE(ep.title.empty()) << ep.name;
    EXPECT_FALSE(ep.origin.empty()) << ep.name;
    EXPECT_FALSE(ep.summary.empty() || ep.summary.ends_with('.')) << ep.name;
    EXPECT_LE(ep.summary.size(), 72u) << ep.name;
    ASSERT_FALSE(ep.devices.empty()) << ep.name;
    EXPECT_THAT((std::vector<std::string_view>{"cpu", "gpu", "npu"}), IsSupersetOf(ep.devices));
  }
}

TEST(Eps, SayOfWhatTheyNeedWhatToLookForAndWhatToDo) {
  for (const Ep& ep : all_eps()) {
    for (const EpNeed& need : ep.needs) {
      EXPECT_FALSE(need.what.empty()) << ep.name;
      EXPECT_FALSE(need.names.empty()) << ep.name << " " << need.what;
      EXPECT_FALSE(need.hint.empty()) << ep.name << " " << need.what;
    }
  }
}

TEST(Eps, OfferOptionsAndSweptTargetsOnDevicesTheyHave) {
  std::set<std::string_view> labels;
  std::set<int> places;
  for (const Ep& ep : all_eps()) {
    for (const EpOption& option : ep.options) {
      EXPECT_THAT(ep.devices, Contains(option.device)) << ep.name << " " << option.name;
      EXPECT_FALSE(option.reason.empty()) << option.name;
    }
    for (const EpSweepTarget& target : ep.sweep) {
      EXPECT_THAT(ep.devices, Contains(target.device)) << target.label;
      EXPECT_TRUE(labels.insert(target.label).second) << target.label;
      EXPECT_TRUE(places.insert(target.place).second) << target.label;
    }
  }
}

}  // namespace
}  // namespace hone
