#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inspect/eval/encoder.h"

namespace hone {
namespace {

TEST(ClassesOfData, AreTheModelsInAnyCaseOfLettersOrNumbers) {
  const ClassNames names({"NEGATIVE", "POSITIVE"}, {});
  EXPECT_EQ(names.number_of(Json("POSITIVE")).value(), 1u);
  EXPECT_EQ(names.number_of(Json("positive")).value(), 1u);
  EXPECT_EQ(names.number_of(Json("0")).value(), 0u);
  EXPECT_EQ(names.number_of(Json(1)).value(), 1u);
  EXPECT_EQ(names.name_of(1), "POSITIVE");
  EXPECT_EQ(names.name_of(7), "7");
}

TEST(ClassesOfData, AreWhatTheDataMeansByThem) {
  const ClassNames names({"NEGATIVE", "POSITIVE"}, {{"bad", "negative"}, {"5", "1"}});
  EXPECT_EQ(names.number_of(Json("bad")).value(), 0u);
  EXPECT_EQ(names.number_of(Json(5)).value(), 1u);
}

TEST(ClassesOfData, ThatNobodyKnowsAreRefusedWithThoseThereAre) {
  const ClassNames names({"NEGATIVE", "POSITIVE"}, {});
  const auto refused = names.number_of(Json("good"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "no class is called 'good'");
  EXPECT_THAT(refused.error().cause, testing::HasSubstr("the model has NEGATIVE, POSITIVE"));
  EXPECT_FALSE(names.number_of(Json()));
  EXPECT_FALSE(names.number_of(Json::array()));
}

}  // namespace
}  // namespace hone
