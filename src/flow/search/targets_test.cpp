#include "flow/search/targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SearchTargets, OfOneNameAreWhatWasSaid) {
  Where said;
  said.ep = "cuda";
  said.ep_options = {{"device_id", "1"}};
  const auto targets = find_targets(said, {});
  ASSERT_TRUE(targets) << targets.error().what;
  ASSERT_EQ(targets->all.size(), 1U);
  EXPECT_EQ(to_json(targets->all.front().where).dump(), to_json(said).dump());
  EXPECT_EQ(targets->all.front().label, "");
}

TEST(SearchTargets, OfSeveralNamesHaveLabelsButTheFirst) {
  Where said;
  said.ep = "cuda,sim/gpu,sim/npu,cpu";
  const auto targets = find_targets(said, {});
  ASSERT_TRUE(targets) << targets.error().what;
  std::vector<std::string> labels;
  for (const SearchTarget& target : targets->all) labels.push_back(target.label);
  EXPECT_THAT(labels, ElementsAre("", "sim/gpu", "sim/npu", "cpu"));
  EXPECT_EQ(targets->all[2].where.ep, "sim");
  EXPECT_EQ(targets->all[2].where.device, "npu");
  EXPECT_FALSE(targets->is_auto);
}

TEST(SearchTargets, AreRefusedWhereTheyCannotBeMeant) {
  Where said;
  const auto refusal = [&] {
    const auto found = find_targets(said, {});
    return found ? std::string() : found.error().what;
  };
  said.ep = "cuda,cuda";
  EXPECT_EQ(refusal(), "--ep names cuda twice");
  said.ep = "cuda,,cpu";
  EXPECT_THAT(refusal(), HasSubstr("has a name that is empty"));
  said.ep = "cuda,cpu";
  said.ep_options = {{"device_id", "1"}};
  EXPECT_EQ(refusal(), "--ep-options are those of one EP, and --ep names several");
}

}  // namespace
}  // namespace hone
