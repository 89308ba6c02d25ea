#include "generate/loop.h"

#include <gmock/gmock.h>

#include "generate/scorer_for_tests.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ChoiceRules rules_for(std::int64_t max_tokens) {
  ChoiceRules rules;
  rules.max_tokens = max_tokens;
  return rules;
}

TEST(Loop, WritesTheLikeliestTokensUntilThereAreEnough) {
  TableScorer scorer(counts_up);
  const auto made = write_texts(scorer, {{1, 2}}, rules_for(3), {}, now_ns());
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_THAT(made->texts[0].tokens, ElementsAre(3, 4, 5));
  EXPECT_EQ(made->texts[0].stopped_by, StopReason::max_tokens);
  EXPECT_EQ(made->texts[0].prompt_tokens, 2);
  EXPECT_EQ(made->times.step_ms.size(), 2u);
  EXPECT_EQ(scorer.steps, 2) << "what nobody reads is not run";
}

TEST(Loop, ARowThatEndsDoesNotEndTheOthers) {
  TableScorer scorer(counts_up);
  ChoiceRules rules = rules_for(4);
  rules.settings.ends = {9};
  const auto made = write_texts(scorer, {{7}, {0, 1, 2}}, rules, {}, now_ns());
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_THAT(made->texts[0].tokens, ElementsAre(8, 9));
  EXPECT_EQ(made->texts[0].stopped_by, StopReason::end_token);
  EXPECT_THAT(made->texts[1].tokens, ElementsAre(3, 4, 5, 6));
}

TEST(Loop, EndsWhereTheContextIsFull) {
  TableScorer scorer(counts_up);
  ChoiceRules rules = rules_for(100);
  rules.settings.context = 4;
  const auto made = write_texts(scorer, {{1, 2}}, rules, {}, now_ns());
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_THAT(made->texts[0].tokens, ElementsAre(3, 4, 5)) << "the last one need not be read";
  EXPECT_EQ(made->texts[0].stopped_by, StopReason::context_full);
}

TEST(Loop, RefusesAPromptLongerThanTheContext) {
  TableScorer scorer(counts_up);
  ChoiceRules rules = rules_for(1);
  rules.settings.context = 2;
  const auto made = write_texts(scorer, {{1, 2, 3}}, rules, {}, now_ns());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what, "the prompt has 3 tokens, and the model takes 2");
}

TEST(Loop, RefusesAPromptWithoutTokens) {
  TableScorer scorer(counts_up);
  const auto made = write_texts(scorer, {{}}, rules_for(1), {}, now_ns());
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().what, HasSubstr("no tokens"));
}

TEST(Loop, EndsAtTheTokenThatIsRefused) {
  TableScorer scorer(counts_up);
  const GenerateHooks hooks{.chosen = [](std::size_t, std::int64_t token) { return token != 4; }};
  const auto made = write_texts(scorer, {{2}}, rules_for(9), hooks, now_ns());
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_THAT(made->texts[0].tokens, ElementsAre(3, 4));
  EXPECT_EQ(made->texts[0].stopped_by, StopReason::stop_text);
}

TEST(Loop, TellsWhatItHasWhenItIsStopped) {
  TableScorer scorer(counts_up);
  std::atomic<bool> stop = false;
  const GenerateHooks hooks{.chosen =
                                [&](std::size_t, std::int64_t token) {
                                  stop = token == 4;
                                  return true;
                                },
                            .stop = &stop};
  const auto made = write_texts(scorer, {{2}}, rules_for(9), hooks, now_ns());
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_THAT(made->texts[0].tokens, ElementsAre(3, 4));
  EXPECT_EQ(made->texts[0].stopped_by, StopReason::interrupted);
}

TEST(Loop, DrawsTheSameForASeedAndRowsDifferently) {
  const auto flat = [](const std::vector<std::int64_t>&) { return std::vector<float>(50, 0); };
  ChoiceRules rules = rules_for(12);
  rules.draws = true;
  rules.seed = 3;
  TableScorer scorer(flat);
  const auto once = write_texts(scorer, {{1}, {1}}, rules, {}, now_ns());
  const auto again = write_texts(scorer, {{1}, {1}}, rules, {}, now_ns());
  ASSERT_TRUE(once && again);
  EXPECT_EQ(once->texts[0].tokens, again->texts[0].tokens);
  EXPECT_NE(once->texts[0].tokens, once->texts[1].tokens);
}

TEST(Loop, PutsWhatIsNoTokenOnTheLeft) {
  const TokenRows rows = align_left_padded({{5}, {6, 7}}, 9);
  EXPECT_EQ(rows.length, 2u);
  EXPECT_THAT(rows.ids, ElementsAre(9, 5, 6, 7));
  EXPECT_THAT(rows.mask, ElementsAre(0, 1, 1, 1));
}

TEST(Loop, LetsTheModelChooseAnOpeningTokenAmongSome) {
  const auto prefers_5 = [](const std::vector<std::int64_t>&) {
    return std::vector<float>{0, 1, 4, 2, 3, 9};
  };
  TableScorer scorer(prefers_5);
  const auto some = settle_opening(scorer, {{.id = 1}, {.among = {1, 3, 4, 77}}, {.id = 2}});
  ASSERT_TRUE(some) << some.error().what;
  EXPECT_THAT(*some, ElementsAre(1, 4, 2));
  const auto any = settle_opening(scorer, {{.id = 1}, {}});
  ASSERT_TRUE(any) << any.error().what;
  EXPECT_THAT(*any, ElementsAre(1, 5));
}

}  // namespace
}  // namespace hone
