#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "generate/loop.h"
#include "generate/scorer_for_tests.h"

namespace hone {
namespace {

using testing::ElementsAre;

constexpr std::int64_t end = 0;

// Token 1 looks best at first, but what follows token 2 is certain.
std::vector<float> garden_path(const std::vector<std::int64_t>& before) {
  const auto log = [](double p) { return static_cast<float>(std::log(p)); };
  if (before.size() == 1) return {log(0.01), log(0.5), log(0.49)};
  if (before[1] == 1) return {log(0.34), log(0.33), log(0.33)};
  return {log(0.98), log(0.01), log(0.01)};
}

ChoiceRules beams(std::int64_t count, std::int64_t max_tokens) {
  ChoiceRules rules;
  rules.max_tokens = max_tokens;
  rules.settings.beams = count;
  rules.settings.ends = {end};
  return rules;
}

TEST(Beams, FindATextThatTheLikeliestTokensMiss) {
  TableScorer scorer(garden_path);
  const auto greedy = search_text(scorer, {7}, beams(1, 2), {});
  const auto found = search_text(scorer, {7}, beams(2, 2), {});
  ASSERT_TRUE(greedy && found);
  EXPECT_THAT(greedy->tokens, ElementsAre(1, end));
  EXPECT_THAT(found->tokens, ElementsAre(2, end));
  EXPECT_EQ(found->stopped_by, StopReason::end_token);
  EXPECT_NEAR(*found->score, std::log(0.49 * 0.98) / 2, 1e-6);
}

// Every text of three tokens, by its score.
TEST(Beams, FindTheBestOfAllTextsWhereThereIsABeamForEach) {
  const auto table = [](const std::vector<std::int64_t>& before) {
    std::vector<float> scores;
    for (std::size_t i = 0; i < 4; ++i) {
      std::uint64_t mixed = i;
      for (const std::int64_t token : before)
        mixed = mix64(mixed + static_cast<std::uint64_t>(token));
      scores.push_back(static_cast<float>(mixed % 1000) / 200);
    }
    scores[end] = -1e9F;
    return scores;
  };
  std::map<std::vector<std::int64_t>, double> all = {{{}, 0.0}};
  for (int step = 0; step < 3; ++step) {
    std::map<std::vector<std::int64_t>, double> longer;
    for (const auto& [tokens, sum] : all) {
      std::vector<std::int64_t> before = {5};
      before.insert(before.end(), tokens.begin(), tokens.end());
      std::vector<float> scores = table(before);
      to_log_probabilities(scores);
      for (std::int64_t next = 1; next < 4; ++next) {
        std::vector<std::int64_t> more = tokens;
        more.push_back(next);
        longer[more] = sum + scores[static_cast<std::size_t>(next)];
      }
    }
    all = std::move(longer);
  }
  const auto best = std::ranges::max_element(all, {}, [](const auto& each) { return each.second; });
  TableScorer scorer(table);
  const auto found = search_text(scorer, {5}, beams(27, 3), {});
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(found->tokens, best->first);
  EXPECT_NEAR(*found->score, best->second / 3, 1e-5);
}

TEST(Beams, AreStoppedWithTheBestTextByThen) {
  TableScorer scorer(counts_up);
  const std::atomic<bool> stop = true;
  ChoiceRules rules = beams(2, 50);
  rules.settings.ends = {};
  const auto found = search_text(scorer, {1}, rules, {.stop = &stop});
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_THAT(found->tokens, ElementsAre(2));
  EXPECT_EQ(found->stopped_by, StopReason::interrupted);
}

TEST(Beams, AShortTextWinsWhereLengthIsPunished) {
  ChoiceRules rules = beams(2, 3);
  rules.settings.length_penalty = -1;
  const auto table = [](const std::vector<std::int64_t>&) { return std::vector<float>{0, 0.1F}; };
  TableScorer scorer(table);
  const auto found = search_text(scorer, {1}, rules, {});
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_THAT(found->tokens, ElementsAre(end));
}

}  // namespace
}  // namespace hone
