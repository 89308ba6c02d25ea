#include "generate/choice.h"

#include <gmock/gmock.h>

namespace hone {
namespace {

using testing::HasSubstr;

std::int64_t next(const ChoiceRules& rules, std::vector<std::int64_t> all, std::int64_t written,
                  std::vector<float> logits) {
  apply_rules(rules, {all, written}, logits);
  return likeliest(logits);
}

TEST(Choice, WhatIsSaidGoesOverWhatTheCheckpointSays) {
  GenerationSettings settings;
  settings.most_length = 20;
  settings.beams = 4;
  const auto as_it_says = settle_choice({}, settings, 2);
  ASSERT_TRUE(as_it_says);
  EXPECT_EQ(as_it_says->max_tokens, 18) << "the length counts what stands in front";
  EXPECT_EQ(describe(*as_it_says), "beam search, 4 beams");
  const auto said = settle_choice({.max_tokens = 5, .beams = 1}, settings, 2);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->max_tokens, 5);
  EXPECT_EQ(describe(*said), "greedy");
}

TEST(Choice, DrawsOnceSomethingOfItIsSaid) {
  const auto rules = settle_choice({.top_k = 40, .seed = 7}, {}, 0);
  ASSERT_TRUE(rules);
  EXPECT_EQ(describe(*rules), "drawn: temperature 1, top-k 40, seed 7");
  EXPECT_EQ(rules->max_tokens, usual_max_tokens);
}

TEST(Choice, RefusesWhatCannotBeMeant) {
  EXPECT_THAT(settle_choice({.temperature = 0}, {}, 0).error().what, HasSubstr("temperature of 0"));
  EXPECT_THAT(settle_choice({.top_p = 1.5}, {}, 0).error().what, HasSubstr("--top-p"));
  EXPECT_THAT(settle_choice({.top_k = 0}, {}, 0).error().what, HasSubstr("--top-k"));
  EXPECT_THAT(settle_choice({.max_tokens = 0}, {}, 0).error().what, HasSubstr("0 tokens"));
  EXPECT_THAT(settle_choice({.beams = 0}, {}, 0).error().what, HasSubstr("0 beams"));
  EXPECT_THAT(settle_choice({.repetition_penalty = 0}, {}, 0).error().what,
              HasSubstr("--repetition-penalty"));
  EXPECT_THAT(settle_choice({.temperature = 1, .beams = 2}, {}, 0).error().what,
              HasSubstr("beams are searched"));
}

TEST(Choice, ATextDoesNotEndBeforeItIsLongEnough) {
  ChoiceRules rules;
  rules.settings.ends = {0};
  rules.settings.least_length = 3;
  rules.max_tokens = 9;
  EXPECT_EQ(next(rules, {5}, 0, {9, 1, 2}), 2);
  EXPECT_EQ(next(rules, {5, 2, 2}, 2, {9, 1, 2}), 0) << "with what stands in front";
}

TEST(Choice, FirstAndLastTokensAreForced) {
  ChoiceRules rules;
  rules.max_tokens = 3;
  rules.settings.forced_first = 1;
  rules.settings.forced_last = 0;
  EXPECT_EQ(next(rules, {5}, 0, {9, 1, 2}), 1);
  EXPECT_EQ(next(rules, {5, 1}, 1, {1, 2, 9}), 2);
  EXPECT_EQ(next(rules, {5, 1, 2}, 2, {1, 2, 9}), 0);
}

TEST(Choice, WhatMayNotBeginMayComeLater) {
  ChoiceRules rules;
  rules.max_tokens = 9;
  rules.settings.never = {1};
  rules.settings.never_first = {2};
  EXPECT_EQ(next(rules, {5}, 0, {1, 9, 8}), 0);
  EXPECT_EQ(next(rules, {5, 0}, 1, {1, 9, 8}), 2);
}

}  // namespace
}  // namespace hone
