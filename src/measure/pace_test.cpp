#include "measure/pace.h"

#include <gtest/gtest.h>

#include <vector>

namespace hone {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Two arms and the clone.
std::vector<ArmCost> arms_of(Nanoseconds opening, Nanoseconds run) {
  return std::vector<ArmCost>(3, {.opening = opening, .run = run});
}

TEST(Pace, AFastModelRunsAHundredMillisecondsInABlock) {
  const BlockShape block = block_of({}, microseconds(800));
  EXPECT_EQ(block.runs, 125);
  EXPECT_EQ(block.dropped, 3);
}

TEST(Pace, ABlockHasFiveRunsWhereTheyFitIntoASecond) {
  EXPECT_EQ(block_of({}, milliseconds(150)).runs, 5);
  EXPECT_EQ(block_of({}, milliseconds(150)).dropped, 1);
}

TEST(Pace, ABlockOfASlowModelIsASecondOrOneRunAndNothingIsDropped) {
  EXPECT_EQ(block_of({}, milliseconds(400)).runs, 2);
  EXPECT_EQ(block_of({}, milliseconds(400)).dropped, 0);
  EXPECT_EQ(block_of({}, seconds(10)).runs, 1);
}

TEST(Pace, ASessionOfASlowModelHasTwoRounds) {
  EXPECT_EQ(shape_without_limit({}, arms_of(seconds(20), seconds(10))).rounds, 2U);
  EXPECT_EQ(shape_without_limit({}, arms_of(seconds(1), milliseconds(20))), SessionShape{});
}

TEST(Pace, SessionsAreFullWhereThereIsTimeForThem) {
  EXPECT_EQ(shape_within({}, arms_of(milliseconds(300), milliseconds(5)), seconds(600), 6),
            SessionShape{});
}

TEST(Pace, SessionsBecomeShorterSoThatThereAreAsMany) {
  const auto arms = arms_of(milliseconds(500), milliseconds(100));
  // Eight rounds of three blocks of 0.6 s are 14.4 s, and six such sessions 94 s.
  for (const int left : {80, 50, 30, 20}) {
    const SessionShape shape = shape_within({}, arms, seconds(left), 6);
    EXPECT_NE(shape, SessionShape{}) << left;
    EXPECT_LE(session_time(shape, arms) * 6 - milliseconds(1500), seconds(left)) << left;
  }
}

TEST(Pace, WhereNothingFitsTheLeastIsTaken) {
  const auto arms = arms_of(seconds(10), seconds(10));
  const SessionShape shape = shape_within({}, arms, seconds(20), 6);
  EXPECT_EQ(shape, least_shape({}));
  EXPECT_EQ(shape.rounds, 1U);
  EXPECT_EQ(session_time(shape, arms), seconds(60));
}

TEST(Pace, TheLastSessionThatFitsTakesTheTimeThatIsLeft) {
  // A session with its opening takes 60 s at the least: there will be no other.
  const auto arms = arms_of(seconds(10), seconds(10));
  EXPECT_EQ(shape_within({}, arms, seconds(75), 6).rounds, 2U);
  EXPECT_EQ(shape_within({}, arms, seconds(100), 6).rounds, 1U) << "two sessions are more";
}

TEST(Pace, AnArmThatTakesNoTimeIsNoEndlessBlock) {
  EXPECT_EQ(block_of({}, Nanoseconds{0}).runs, 100'000);
}

}  // namespace
}  // namespace hone
