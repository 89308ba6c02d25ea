#include "ep/sim/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace hone::ep::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Nodes = std::vector<GroupingNode>;
using Groups = std::vector<std::vector<std::size_t>>;

constexpr bool yes = true;
constexpr bool no = false;

TEST(Groups, ADiamondWithOneUnsupportedArmNeedsTwo) {
  //     0
  //    / \.
  //  1(no) 2
  //    \ /
  //     3
  EXPECT_THAT(group_supported({{{}, yes}, {{0}, no}, {{0}, yes}, {{1, 2}, yes}}),
              ElementsAre(ElementsAre(0, 2), ElementsAre(3)));
}

TEST(Groups, ASupportedDiamondIsOneEvenBesideUnsupportedNodes) {
  // The unsupported nodes stand between the others in the order, but on no path between them.
  EXPECT_THAT(
      group_supported({{{}, yes}, {{}, no}, {{0}, yes}, {{1}, no}, {{0}, yes}, {{2, 4}, yes}}),
      ElementsAre(ElementsAre(0, 2, 4, 5)));
}

TEST(Groups, TwoChainsThatWouldWaitForEachOtherAreNotPairedThatWay) {
  // 0 -> 1(no) -> 2 and 3 -> 4(no) -> 5: {0, 5} and {2, 3} would each wait for the other.
  EXPECT_THAT(group_supported({{{}, yes}, {{0}, no}, {{1}, yes}, {{}, yes}, {{3}, no}, {{4}, yes}}),
              ElementsAre(ElementsAre(0, 3), ElementsAre(2, 5)));
}

TEST(Groups, UnsupportedNodesAloneMakeNone) {
  EXPECT_THAT(group_supported({{{}, no}, {{0}, no}}), IsEmpty());
  EXPECT_THAT(group_supported({}), IsEmpty());
}

// --- any graph

Nodes random_graph(Random& random) {
  Nodes nodes(1 + random.below(14));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].is_supported = random.below(3) > 0;
    for (std::size_t j = 0; j < i; ++j) {
      if (random.below(4) == 0) nodes[i].predecessors.push_back(j);
    }
  }
  return nodes;
}

// Fusing every group into one node leaves a graph without cycles. That includes that each group is
// convex: a path out of it and back would be a cycle.
bool is_acyclic_when_fused(const Nodes& nodes, const Groups& groups) {
  std::vector<std::size_t> part(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) part[i] = groups.size() + i;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const std::size_t node : groups[g]) part[node] = g;
  }
  const std::size_t parts = groups.size() + nodes.size();
  std::vector<std::vector<bool>> reaches(parts, std::vector<bool>(parts));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const std::size_t before : nodes[i].predecessors) {
      if (part[before] != part[i]) reaches[part[before]][part[i]] = true;
    }
  }
  for (std::size_t k = 0; k < parts; ++k) {
    for (std::size_t i = 0; i < parts; ++i) {
      for (std::size_t j = 0; j < parts; ++j) {
        if (reaches[i][k] && reaches[k][j]) reaches[i][j] = true;
      }
    }
  }
  for (std::size_t i = 0; i < parts; ++i) {
    if (reaches[i][i]) return false;
  }
  return true;
}

Groups merged(const Groups& groups, std::size_t a, std::size_t b) {
  Groups result = groups;
  result[a].insert(result[a].end(), result[b].begin(), result[b].end());
  result.erase(result.begin() + static_cast<std::ptrdiff_t>(b));
  return result;
}

TEST(Groups, OfAnyGraphHoldEverySupportedNodeOnceAndWaitInNoCircle) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const Nodes nodes = random_graph(random);
    const Groups groups = group_supported(nodes);
    std::vector<std::size_t> taken;
    for (const auto& group : groups) taken.insert(taken.end(), group.begin(), group.end());
    std::sort(taken.begin(), taken.end());
    std::vector<std::size_t> supported;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].is_supported) supported.push_back(i);
    }
    ASSERT_EQ(taken, supported);
    ASSERT_TRUE(is_acyclic_when_fused(nodes, groups)) << "round " << round;
  }
}

TEST(Groups, OfAnyGraphAreMaximal) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    const Nodes nodes = random_graph(random);
    const Groups groups = group_supported(nodes);
    for (std::size_t a = 0; a < groups.size(); ++a) {
      for (std::size_t b = a + 1; b < groups.size(); ++b) {
        ASSERT_FALSE(is_acyclic_when_fused(nodes, merged(groups, a, b))) << "round " << round;
      }
    }
  }
}

}  // namespace
}  // namespace hone::ep::sim
