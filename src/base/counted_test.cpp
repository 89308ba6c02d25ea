#include "base/counted.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Counted, HasAnSUnlessThereIsOne) {
  EXPECT_EQ(counted(0, "node"), "0 nodes");
  EXPECT_EQ(counted(1, "node"), "1 node");
  EXPECT_EQ(counted(1234, "more session"), "1,234 more sessions");
}

TEST(Counted, TakesWordsThatChangeOtherwise) {
  EXPECT_EQ(counted(1, "hypothesis", "hypotheses"), "1 hypothesis");
  EXPECT_EQ(counted(2, "hypothesis", "hypotheses"), "2 hypotheses");
}

}  // namespace
}  // namespace hone
