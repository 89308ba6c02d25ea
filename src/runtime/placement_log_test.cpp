#include "runtime/placement_log.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(PlacementLog, CountsTheNodesOfEveryEp) {
  PlacementLog log;
  for (const char* line :
       {"Initializing session.", "Node placements",
        " Node(s) placed on [WebGpuExecutionProvider]. Number of nodes: 3", "  Conv (a/conv)",
        "  Conv (b (c))", "  Relu ()",
        " Node(s) placed on [CPUExecutionProvider]. Number of nodes: 1", "  Shape (s)",
        "SaveMLValueNameIndexMapping", "  Conv (is no part of it)"}) {
    log.hear(line);
  }
  const Placement placement = log.placement("webgpu");
  EXPECT_EQ(describe(placement), "placement: webgpu 3 nodes, cpu 1 (Shape)");
  EXPECT_EQ(placement.shares.front().op_counts.at("Conv"), 2u);
}

TEST(PlacementLog, KnowsWhenOneEpHasThemAll) {
  PlacementLog log;
  log.hear(" All nodes placed on [WebGpuExecutionProvider]. Number of nodes: 29");
  EXPECT_EQ(describe(log.placement("webgpu")), "placement: webgpu 29 nodes");
}

TEST(PlacementLog, ShowsAnEpThatGotNothing) {
  PlacementLog log;
  log.hear(" All nodes placed on [CPUExecutionProvider]. Number of nodes: 5");
  const Placement placement = log.placement("webgpu");
  EXPECT_EQ(placement.shares.front().ep, "webgpu");
  EXPECT_EQ(placement.shares.front().nodes, 0u);
}

TEST(PlacementLog, IsNotKnownWhenNothingWasSaid) {
  EXPECT_FALSE(PlacementLog().placement("webgpu").known);
}

}  // namespace
}  // namespace hone
