#include "kinds/ep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kinds/precision.h"

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

TEST(Eps, OfferTriesAndSweptTargetsOnDevicesTheyHave) {
  std::set<std::string_view> labels;
  std::set<int> places;
  for (const Ep& ep : all_eps()) {
    for (const EpTry& attempt : ep.tries)
      EXPECT_THAT(ep.devices, Contains(attempt.device)) << ep.name << " " << attempt.reason;
    for (const EpSweepTarget& target : ep.sweep) {
      EXPECT_THAT(ep.devices, Contains(target.device)) << target.label;
      EXPECT_TRUE(labels.insert(target.label).second) << target.label;
      EXPECT_TRUE(places.insert(target.place).second) << target.label;
    }
  }
}

TEST(Eps, HaveOnePlaceInTheOrderOfEachDeviceClass) {
  std::set<std::pair<std::string_view, int>> taken;
  for (const Ep& ep : all_eps()) {
    for (const EpPlace& place : ep.places) {
      EXPECT_TRUE(runs_on(ep, place.device)) << ep.name;
      EXPECT_TRUE(taken.insert({place.device, place.place}).second) << ep.name;
    }
  }
  EXPECT_EQ(eps_for("npu").front()->name, "qnn");
  EXPECT_EQ(eps_for("gpu").front()->name, "cuda");
  EXPECT_EQ(eps_for("cpu").front()->name, "cpu");
}

TEST(Eps, ThatAreNoHardwareAreChosenForNoDevice) {
  for (const char* device : {"npu", "gpu", "cpu"})
    for (const Ep* ep : eps_for(device)) EXPECT_FALSE(ep->comes_with_hone) << ep->name;
}

TEST(Eps, SayOfEachTryWhyAndTheMostPromisingFirst) {
  for (const Ep& ep : all_eps()) {
    EXPECT_TRUE(std::ranges::is_sorted(ep.tries, std::greater(), &EpTry::promise)) << ep.name;
    for (const EpTry& attempt : ep.tries) {
      EXPECT_FALSE(attempt.reason.empty()) << ep.name;
      EXPECT_FALSE(attempt.options.empty() && attempt.precision.empty()) << attempt.reason;
      const bool is_made =
          attempt.precision.empty() || find_made_precision(attempt.precision) != nullptr;
      EXPECT_TRUE(is_made) << attempt.precision;
    }
  }
}

// What was measured on an H200: alone fp16 is slower, in a CUDA graph it is the fastest of all.
TEST(Eps, TryHalfPrecisionOnCudaTogetherWithWhatItNeeds) {
  const std::vector<EpTry> tries = find_ep("cuda")->tries;
  const auto place = [&](std::string_view precision, std::size_t options) {
    const auto found = std::ranges::find_if(tries, [&](const EpTry& attempt) {
      return attempt.precision == precision && attempt.options.size() == options;
    });
    return found - tries.begin();
  };
  EXPECT_LT(place("fp16", 1), place("fp16", 0));
  EXPECT_LT(place("fp16", 2), place("fp16", 0));
  EXPECT_EQ(place("int4", 0), std::ssize(tries) - 1);
}

}  // namespace
}  // namespace hone
