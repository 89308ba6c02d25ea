#include "record/load.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(LoadText, SaysWhatOthersUsed) {
  EXPECT_EQ(describe(Load{.others_share = 0.43, .steal_share = 0}),
            "other work used 43 % of the CPU while this ran");
  EXPECT_EQ(describe(Load{.others_share = 0.002, .steal_share = 0.03}),
            "other work used less than 1 % of the CPU while this ran, the hypervisor took 3 %");
}

TEST(LoadText, SaysNothingWhereNothingIsKnown) {
  EXPECT_EQ(describe(Load{}), "");
  EXPECT_FALSE(is_busy(Load{}));
  EXPECT_FALSE(to_record(std::nullopt).others_share);
}

TEST(LoadText, AMachineIsBusyFromATenthOn) {
  EXPECT_FALSE(is_busy(Load{.others_share = 0.09, .steal_share = 0.0}));
  EXPECT_TRUE(is_busy(Load{.others_share = 0.06, .steal_share = 0.05}));
}

}  // namespace
}  // namespace hone
