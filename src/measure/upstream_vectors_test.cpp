// Session medians that another tuner published (ms, three sessions of each arm, one arm after the
// other), with what it claimed. Data that supports no claim must not be called faster by ours.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "measure/race.h"

namespace hone {
namespace {

struct PublishedPair {
  const char* name;
  std::vector<double> baseline;
  std::vector<double> candidate;
  const char* claim;
};

const std::vector<PublishedPair>& published() {
  static const std::vector<PublishedPair> all = {
      {"dinov2-small, opset 21", {7.176, 6.392, 9.436}, {4.977, 4.876, 6.884}, "+30.6 %"},
      {"dinov2-small, another run", {6.561, 6.353, 12.408}, {4.977, 4.876, 6.884}, "+24.1 %"},
      {"dinov2-base, opset 21", {34.556, 34.668, 33.148}, {33.001, 26.224, 26.227}, "+24.1 %"},
      {"dino-vitb16", {19.924, 19.975, 19.897}, {20.197, 20.071, 19.988}, "neutral"},
      {"mobilevit", {10.557, 11.721, 27.436}, {10.814, 8.625, 8.449}, "+26.5 %"},
      {"mobilevit again", {4.976, 5.510, 5.716}, {5.355, 5.256, 5.895}, "neutral"},
      {"resnet-18", {0.990, 4.003, 2.716}, {1.054, 2.175, 4.107}, "+20 %"},
      {"yolos", {50.715, 49.324, 49.598}, {48.741, 48.599, 48.605}, "neutral"},
      {"roberta", {14.941, 14.711, 14.970}, {14.645, 14.873, 14.716}, "+1.5 %"},
      {"bge", {10.516, 10.323, 11.010}, {10.253, 9.331, 9.937}, "+7.3 %"},
      {"gender-vit", {14.151, 14.942, 13.889}, {13.698, 13.921, 13.868}, "neutral"},
      {"rad-dino", {274.727, 274.621, 274.949}, {275.298, 275.355, 275.564}, "neutral"},
      {"dinov2-small on a GPU", {23.282, 26.705, 26.372}, {22.323, 21.709, 21.977}, "+16.7 %"},
      {"segformer on a GPU", {90.227, 118.287, 130.918}, {93.456, 120.541, 124.324}, "-1.9 %"},
      {"resnet-18 on a CPU", {237.472, 230.213, 238.440}, {24.223, 11.524, 17.797}, "+92.5 %"},
      {"resnet-18, no Gelu to fuse",
       {237.472, 230.213, 238.440},
       {219.217, 26.395, 20.936},
       "+88.9 %"},
  };
  return all;
}

// What they called a regression, and was one.
const std::vector<PublishedPair>& regressions() {
  static const std::vector<PublishedPair> all = {
      {"resnet-18, fused", {1.311, 0.952, 0.964}, {132.3, 134.97, 130.669}, "catastrophic"},
      {"koelectra", {35.54, 36.586, 33.253}, {114.859, 102.127, 131.624}, "-223 %"},
      {"swinv2", {57.517, 58.460, 57.224}, {72.706, 75.855, 70.818}, "-26 %"},
  };
  return all;
}

// One configuration measured twice: the baseline, and what it came to the second time.
const std::vector<PublishedPair>& repeated() {
  static const std::vector<PublishedPair> all = {
      {"dinov2-base", {38.991, 38.680, 36.256}, {34.556, 34.668, 33.148}, "same"},
      {"yolos", {50.715, 49.324, 49.598}, {67.96, 65.68, 65.888}, "same"},
      {"dinov2 on a CPU", {142.033, 105.561, 112.599}, {150.633, 1123.338, 762.812}, "same"},
  };
  return all;
}

double log_ns(double milliseconds) { return std::log(milliseconds * 1e6); }

// As if the arms had taken turns, which is more than they did.
std::vector<RacedSession> as_sessions(const std::vector<std::vector<double>>& arms) {
  std::vector<RacedSession> sessions;
  for (std::size_t i = 0; i < arms.front().size(); ++i) {
    std::vector<ArmBlock> round;
    for (std::size_t arm = 0; arm < arms.size(); ++arm)
      round.push_back({.arm = arm, .log_ns = log_ns(arms[arm][i])});
    sessions.push_back({.rounds = {round}});
  }
  return sessions;
}

ComparedArm judged(const PublishedPair& pair) {
  const auto sessions = as_sessions({pair.baseline, pair.candidate});
  return judge_race({"baseline", "candidate"}, sessions, {}).arms.front();
}

TEST(UpstreamVectors, SupportNoneOfTheClaims) {
  for (const PublishedPair& pair : published()) {
    const ComparedArm arm = judged(pair);
    EXPECT_NE(arm.verdict, Verdict::faster) << pair.name << ", claimed " << pair.claim;
    EXPECT_FALSE(arm.is_worth_keeping) << pair.name;
  }
}

TEST(UpstreamVectors, OfRegressionsAreNeitherFasterNorEquivalent) {
  for (const PublishedPair& pair : regressions()) {
    const ComparedArm arm = judged(pair);
    EXPECT_NE(arm.verdict, Verdict::faster) << pair.name;
    EXPECT_NE(arm.verdict, Verdict::equivalent) << pair.name;
    EXPECT_GT(arm.ratio, 1.2) << pair.name;
  }
}

TEST(UpstreamVectors, ThatAgreeWithinAPercentAreEquivalent) {
  const auto found = std::ranges::find(published(), std::string("rad-dino"), &PublishedPair::name);
  ASSERT_NE(found, published().end());
  EXPECT_EQ(judged(*found).verdict, Verdict::equivalent);
}

// The same configuration twice is the clone of a race: it shows the noise that any claim is below.
TEST(UpstreamVectors, OfOneConfigurationTwiceGiveANoiseFloorThatTheClaimsAreBelow) {
  for (const PublishedPair& pair : repeated()) {
    std::vector<double> a_tenth_faster;
    for (const double milliseconds : pair.baseline) a_tenth_faster.push_back(milliseconds * 0.9);
    const auto sessions = as_sessions({pair.baseline, a_tenth_faster, pair.candidate});
    const Comparison comparison = judge_race({"baseline", "candidate"}, sessions, {});
    EXPECT_GT(*comparison.noise_floor, 0.1) << pair.name;
    EXPECT_NE(comparison.arms.front().verdict, Verdict::faster) << pair.name;
  }
}

}  // namespace
}  // namespace hone
