#include "generate/logits.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <map>

namespace hone {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

constexpr float never = -std::numeric_limits<float>::infinity();

TEST(Logits, ForbiddenTokensCannotComeAndThoseOfNoVocabularyAreLeftAlone) {
  std::vector<float> logits = {1, 2, 3};
  forbid(logits, std::vector<std::int64_t>{1, 7, -1});
  EXPECT_THAT(logits, ElementsAre(1, never, 3));
}

TEST(Logits, AForcedTokenIsTheOnlyOneLeft) {
  std::vector<float> logits = {1, 2, 3};
  force(logits, 0);
  EXPECT_THAT(logits, ElementsAre(0, never, never));
}

TEST(Logits, WhatWasSaidGetsLessLikelyOnBothSidesOfZero) {
  std::vector<float> logits = {2, -2, 1};
  penalize_repetition(logits, std::vector<std::int64_t>{0, 1, 0}, 2);
  EXPECT_THAT(logits, ElementsAre(1, -4, 1));
}

TEST(Logits, ATokenThatWouldRepeatAnNgramCannotCome) {
  std::vector<float> logits = {0, 0, 0, 0};
  forbid_repeated_ngrams(logits, std::vector<std::int64_t>{1, 2, 3, 1, 2}, 3);
  EXPECT_THAT(logits, ElementsAre(0, 0, 0, never));
}

TEST(Logits, NgramsOfOneForbidAllThatWasSaid) {
  std::vector<float> logits = {0, 0, 0};
  forbid_repeated_ngrams(logits, std::vector<std::int64_t>{2, 0}, 1);
  EXPECT_THAT(logits, ElementsAre(never, 0, never));
}

TEST(Logits, TopKKeepsTiesWithTheLast) {
  std::vector<float> logits = {1, 3, 2, 2};
  keep_top_k(logits, 2);
  EXPECT_THAT(logits, ElementsAre(never, 3, 2, 2));
}

TEST(Logits, TopPKeepsTheFewestThatComeToTheShareAndAtLeastOne) {
  std::vector<float> logits = {std::log(0.1F), std::log(0.6F), std::log(0.3F)};
  std::vector<float> most = logits;
  keep_top_p(most, 0.7);
  EXPECT_EQ(most[0], never);
  EXPECT_GT(most[2], never);
  keep_top_p(logits, 0.01);
  EXPECT_EQ(logits[2], never);
  EXPECT_GT(logits[1], never);
}

TEST(Logits, TemperatureDivides) {
  std::vector<float> logits = {1, -2};
  apply_temperature(logits, 0.5);
  EXPECT_THAT(logits, ElementsAre(2, -4));
}

TEST(Logits, OfEqualsTheFirstIsTheLikeliest) {
  EXPECT_EQ(likeliest(std::vector<float>{0, 5, 5}), 1);
}

TEST(Logits, DrawsByProbabilityAndTheSameForASeed) {
  const std::vector<float> logits = {std::log(0.25F), never, std::log(0.75F)};
  std::map<std::int64_t, int> counts;
  Random random(1);
  for (int i = 0; i < 4000; ++i) ++counts[draw(logits, random)];
  EXPECT_EQ(counts.count(1), 0u);
  EXPECT_NEAR(counts[2], 3000, 120);
  Random again(7);
  Random other(7);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(draw(logits, again), draw(logits, other));
}

TEST(Logits, LogProbabilitiesComeToOne) {
  std::vector<float> logits = {1000, 1001};
  to_log_probabilities(logits);
  EXPECT_THAT(std::exp(logits[0]) + std::exp(logits[1]), FloatEq(1));
}

}  // namespace
}  // namespace hone
