#include "checkpoint/distinct_opsets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/net.h"

namespace hone {
namespace {

using testing::ElementsAre;

// A Gelu is one operator from 20 on; nothing else of it is written otherwise.
TEST(DistinctOpsets, AreThoseThatBringACheckpointOtherOperators) {
  const auto distinct =
      distinct_opsets("tests/fixtures/hf/bert", {}, GraphForm::standard, {17, 23});
  ASSERT_TRUE(distinct) << distinct.error().what;
  EXPECT_THAT(*distinct, ElementsAre(17, 20));
}

TEST(DistinctOpsets, AreNotToldOfWhatIsNoCheckpoint) {
  EXPECT_FALSE(distinct_opsets("tests/fixtures/zoo", {}, GraphForm::standard, {17, 23}));
}

}  // namespace
}  // namespace hone
