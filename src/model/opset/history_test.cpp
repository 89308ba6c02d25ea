#include "model/opset/history.h"

#include <gtest/gtest.h>

#include <set>

namespace hone::opset {
namespace {

TEST(OpHistory, NamesEveryOperatorOnceInOrder) {
  std::string_view before;
  for (const OpHistory& history : all_histories()) {
    EXPECT_LT(before, history.op);
    before = history.op;
  }
  EXPECT_EQ(all_histories().size(),
            198U);  // of opset 25, and Scatter and Upsample, which ended before
}

TEST(OpHistory, HasItsStepsInOrderAndInsideTheOpsetsWeKnow) {
  for (const OpHistory& history : all_histories()) {
    int before = std::max(history.since, oldest_source);
    EXPECT_LE(history.since, newest_opset) << history.op;
    for (const Step& step : history.steps) {
      EXPECT_GT(step.version, before) << history.op;
      EXPECT_LE(step.version, newest_opset) << history.op;
      before = step.version;
    }
  }
}

TEST(OpHistory, CanUndoEveryAttributeThatBecameAnInput) {
  for (const OpHistory& history : all_histories()) {
    for (const Step& step : history.steps) {
      std::set<std::size_t> inputs;
      for (const MovedAttribute& moved : step.moved) {
        EXPECT_GT(moved.input, 0U) << history.op;
        EXPECT_TRUE(inputs.insert(moved.input).second) << history.op;
      }
    }
  }
}

TEST(OpHistory, DoesNotKnowWhatIsNotThere) {
  EXPECT_EQ(find_history("Gelou"), nullptr);
  EXPECT_EQ(find_history("Gelu")->since, 20);
  EXPECT_EQ(find_history("Upsample")->until, 10);
}

TEST(OpHistory, TakesATypeNumberItDoesNotKnowForNoType) {
  EXPECT_EQ(type_of({}, static_cast<ElementType>(99)), 0U);
  EXPECT_EQ(type_of({}, static_cast<ElementType>(-3)), 0U);
  EXPECT_EQ(type_of({}, ElementType::bfloat16), one(ElementType::bfloat16));
}

}  // namespace
}  // namespace hone::opset
