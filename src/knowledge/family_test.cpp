#include "knowledge/family.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knowledge/families_for_tests.h"
#include "knowledge/family_check.h"

namespace hone {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// What reading says is wrong.
std::string refusal(const std::string& text) {
  const auto family = read_family("some.json", text);
  if (family) return "(it was read)";
  EXPECT_THAT(family.error().what, HasSubstr("some.json"));
  return family.error().cause;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Family, NumbersItsFindingsFromOneOn) {
  const FamilyKnowledge family = small_family();
  EXPECT_EQ(family.findings[0].id, "bert-001");
  EXPECT_EQ(family.findings[1].id, "bert-002");
  EXPECT_EQ(id_of_finding("bert", 1234), "bert-1234");
  EXPECT_EQ(family_of_id("bert_base-012"), "bert_base");
  EXPECT_EQ(family_of_id("bert"), "");
}

TEST(Family, GivesAFindingItsIdWhateverItCallsItself) {
  ModelFinding finding = claim("Again", tried("bert-base"));
  finding.id = "bert-001";
  const auto family = appended(small_family(), finding);
  ASSERT_TRUE(family) << family.error().cause;
  EXPECT_EQ(family->findings.back().id, "bert-003");
}

TEST(Family, RefusesAFindingThatSaysNothing) {
  const auto refused = appended(small_family(), ModelFinding{});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().cause, HasSubstr("bert-003: title: it is empty"));
}

TEST(Family, ComesBackFromWhatIsWritten) {
  const FamilyKnowledge family = small_family();
  const auto again = read_family("bert.json", write_family(family));
  ASSERT_TRUE(again) << again.error().cause;
  EXPECT_EQ(to_json(*again), to_json(family));
}

TEST(Family, LinksACounterExampleBothWays) {
  const auto family = falsified(small_family(), "bert-001", tried("bert-large"),
                                claim("Attention does not fuse", tried("bert-huge")));
  ASSERT_TRUE(family) << family.error().cause;
  EXPECT_EQ(family->findings[0].scope.falsified_on[0].model, "bert-large");
  const ModelFinding& counter = family->findings.back();
  EXPECT_EQ(counter.id, "bert-003");
  EXPECT_EQ(counter.counter_to, "bert-001");
  EXPECT_EQ(counter.scope.validated_on.size(), 2u) << "what it was given, and where the other fell";
  EXPECT_THAT(problems_of(*family), IsEmpty());
  EXPECT_THAT(rewrites_of_history(small_family(), *family), IsEmpty());
}

TEST(Family, SuggestsTheNearestIdToFalsify) {
  const auto missing =
      falsified(small_family(), "bert-01", tried("x"), claim("It does not", tried("x")));
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().hint, HasSubstr("bert-001"));
}

TEST(Family, GrowsInScopeWithoutANewChain) {
  const FamilyKnowledge before = small_family();
  const auto after = validated(before, "bert-001", tried("bert-base"));
  ASSERT_TRUE(after) << after.error().cause;
  EXPECT_EQ(after->findings[0].scope.validated_on.size(), 2u);
  EXPECT_EQ(after->chain, before.chain);
  EXPECT_FALSE(validated(*after, "bert-001", tried("bert-base"))) << "it is there already";
}

TEST(Family, ThatWasRewrittenGetsNoNewChain) {
  FamilyKnowledge family = small_family();
  family.findings[0].observation = "As I would have it.";
  const auto refused = appended(family, claim("More", tried("bert-base")));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().cause, HasSubstr("bert-001: the chain does not fit"));
  EXPECT_FALSE(validated(family, "bert-001", tried("bert-base")));
}

TEST(History, MayGrow) {
  FamilyKnowledge after = *appended(small_family(), claim("More", tried("bert-base")));
  after.findings[0].gaps.push_back("no kernel");
  after.findings[0].resolution = "fixed since";
  after.findings[0].scope.not_yet_tested_on.push_back(tried("bert-base", "w8a8", "qnn/npu"));
  EXPECT_THAT(rewrites_of_history(small_family(), after), IsEmpty());
}

TEST(History, MayNotBeRewritten) {
  const FamilyKnowledge before = small_family();
  FamilyKnowledge after = before;
  after.findings[0].title = "Attention never fuses";
  after.findings[1].evidence.clear();
  EXPECT_THAT(rewrites_of_history(before, after),
              ElementsAre("bert-001: title was rewritten", "bert-002: evidence was rewritten"));
  after = before;
  after.family = "roberta";
  EXPECT_THAT(rewrites_of_history(before, after), Contains("family was rewritten"));
}

TEST(History, LosesNoFinding) {
  FamilyKnowledge after = small_family();
  after.findings.pop_back();
  EXPECT_THAT(rewrites_of_history(small_family(), after), ElementsAre("bert-002: it is gone"));
}

TEST(History, LosesNoEntryOfAScope) {
  FamilyKnowledge after = small_family();
  after.findings[0].scope.validated_on[0].ep = "qnn/npu";
  EXPECT_THAT(rewrites_of_history(small_family(), after),
              ElementsAre("bert-001: scope.validated_on lost or changed an entry"));
}

TEST(History, KeepsAResolutionAndGaps) {
  FamilyKnowledge before = small_family();
  before.findings[0].resolution = "open";
  before.findings[0].gaps = {"no kernel"};
  EXPECT_THAT(
      rewrites_of_history(before, small_family()),
      ElementsAre("bert-001: gaps lost or changed an entry", "bert-001: resolution was rewritten"));
}

TEST(FamilyFiles, RefuseWhatIsNoFamilyWithItsPlace) {
  const std::string text = write_family(small_family());
  EXPECT_EQ(refusal(text), "(it was read)");
  EXPECT_THAT(refusal("{"), HasSubstr("line 1"));
  EXPECT_THAT(refusal("[]"), HasSubstr("object"));
  EXPECT_THAT(refusal("{}"), HasSubstr("schema_version"));
  EXPECT_THAT(refusal(replaced(text, "\"date\"", "\"data\"")),
              HasSubstr("unknown field 'data' in 'findings[0]'"));
  EXPECT_THAT(refusal(replaced(text, "\"precision\": \"fp32\"", "\"precision\": 32")),
              HasSubstr("findings[0].scope.validated_on[0].precision"));
  EXPECT_THAT(refusal(replaced(text, "\"chain\"", "\"links\"")), HasSubstr("links"));
  EXPECT_THAT(refusal(std::string(200'000, '[')), HasSubstr("line 1"));
}

TEST(FamilyFiles, ThatWereRewrittenByHandAreRefused) {
  const std::string text = write_family(small_family());
  EXPECT_THAT(refusal(replaced(text, "Attention fuses", "Attention sinks")),
              HasSubstr("bert-001: the chain does not fit"));
  EXPECT_THAT(refusal(replaced(text, "w8a8 keeps it", "w8a8 breaks it")),
              HasSubstr("bert-002: the chain does not fit"));
}

TEST(FamilyDrafts, ComeBackFromWhatIsWritten) {
  const ModelFindingDraft draft{.family = "bert", .finding = claim("Fuses", tried("bert-tiny"))};
  const auto again = parse_draft("draft.json", write_draft(draft));
  ASSERT_TRUE(again) << again.error().cause;
  EXPECT_EQ(to_json(*again), to_json(draft));
  EXPECT_FALSE(parse_draft("draft.json", "{}"));
}

}  // namespace
}  // namespace hone
