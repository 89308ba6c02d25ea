#include "knowledge/family_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knowledge/families_for_tests.h"

namespace hone {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// What is wrong with a family whose chain fits.
std::vector<std::string> problems_of_chained(FamilyKnowledge family) {
  family.chain = chain_of(family);
  return problems_of(family);
}

// What is wrong with the first finding, after a change.
template <class Change>
std::vector<std::string> problems_after(Change change) {
  FamilyKnowledge family = small_family();
  change(family.findings[0]);
  return problems_of_chained(std::move(family));
}

TEST(FamilyCheck, FindsNothingWrongWithASoundFamily) {
  EXPECT_THAT(problems_of(small_family()), IsEmpty());
}

TEST(FamilyCheck, FindsAGapInTheIds) {
  FamilyKnowledge family = small_family();
  family.findings[1].id = "bert-003";
  EXPECT_THAT(problems_of_chained(family),
              Contains("bert-002: id: 'bert-003' stands in its place"));
}

TEST(FamilyCheck, FindsAnIdThatIsThereTwice) {
  FamilyKnowledge family = small_family();
  family.findings[1].id = "bert-001";
  EXPECT_THAT(problems_of_chained(family),
              Contains("bert-002: id: 'bert-001' stands in its place"));
}

TEST(FamilyCheck, FindsAnIdOfAnotherFamily) {
  FamilyKnowledge family = small_family();
  family.findings[0].id = "ved-001";
  EXPECT_THAT(problems_of_chained(family), Contains(HasSubstr("'ved-001' stands in its place")));
}

TEST(FamilyCheck, FindsAFamilyThatIsNoFileName) {
  for (const char* name : {"", "../x", "Bert", "a/b", "a-b", "1x"}) {
    FamilyKnowledge family = small_family();
    family.family = name;
    EXPECT_THAT(problems_of(family), Contains(HasSubstr("family: it takes"))) << name;
  }
}

TEST(FamilyCheck, FindsAClaimThatWasSeenNowhere) {
  const auto unseen = [](ModelFinding& finding) { finding.scope.validated_on.clear(); };
  EXPECT_THAT(problems_after(unseen), Contains(HasSubstr("not_yet_tested_on does not say why")));
  const auto excused = [](ModelFinding& finding) {
    finding.scope.validated_on.clear();
    finding.scope.not_yet_tested_on = {tried("bert-large", "w8a8", "qnn/npu")};
    finding.scope.not_yet_tested_on[0].why = "there is no such device here";
  };
  EXPECT_THAT(problems_after(excused), IsEmpty());
}

TEST(FamilyCheck, FindsAFallenClaimWithoutItsCounterExample) {
  const auto problems = problems_after(
      [](ModelFinding& finding) { finding.scope.falsified_on = {tried("bert-large")}; });
  EXPECT_THAT(problems,
              Contains("bert-001: scope.falsified_on[0]: no finding is its counter-example on "
                       "bert-large"));
}

TEST(FamilyCheck, FindsACounterExampleThatTheFallenClaimDoesNotTell) {
  FamilyKnowledge family = *falsified(small_family(), "bert-001", tried("bert-large"),
                                      claim("It does not", tried("bert-large")));
  family.findings[0].scope.falsified_on.clear();
  EXPECT_THAT(problems_of(family),
              Contains("bert-003: counter_to: nothing it was validated on is in falsified_on of "
                       "bert-001"));
}

TEST(FamilyCheck, FindsACounterExampleOfWhatIsNotBeforeIt) {
  for (const char* id : {"bert-001", "bert-002", "bert-009"}) {
    const auto problems = problems_after([&](ModelFinding& finding) { finding.counter_to = id; });
    EXPECT_THAT(problems, Contains(HasSubstr("counter_to: there is no finding"))) << id;
  }
}

TEST(FamilyCheck, FindsAMechanismThatIsConfirmedByNothing) {
  EXPECT_THAT(problems_after([](ModelFinding& finding) { finding.mechanism.is_confirmed = true; }),
              Contains(HasSubstr("mechanism.confirmed")));
}

TEST(FamilyCheck, FindsHashesTiersAndDatesThatAreNone) {
  const auto problems = problems_after([](ModelFinding& finding) {
    finding.evidence = {{"receipt.json", "ABC"}};
    finding.scope.validated_on[0].evidence = "abc";
    finding.scope.validated_on[0].ort_version = "new";
    finding.scope.validated_on[0].ep = "cpu//x";
    finding.effort = "L9";
    finding.goal_reached = "L4";
    finding.date = "yesterday";
  });
  EXPECT_THAT(problems, Contains(HasSubstr("evidence[0].sha256")));
  EXPECT_THAT(problems, Contains(HasSubstr("validated_on[0].evidence")));
  EXPECT_THAT(problems, Contains(HasSubstr("validated_on[0].ort_version")));
  EXPECT_THAT(problems, Contains(HasSubstr("validated_on[0].ep")));
  EXPECT_THAT(problems, Contains(HasSubstr("effort: it takes L0, L0*, L1-light, L1, L2")));
  EXPECT_THAT(problems, Contains(HasSubstr("goal_reached: it takes L0, L1, L2, L3")));
  EXPECT_THAT(problems, Contains(HasSubstr("date: it is no date")));
}

TEST(FamilyCheck, FindsEvidenceThatLiesOnOneMachineOnly) {
  for (const char* file : {"", "/somewhere/receipt.json", "../receipt.json", "C:\\receipt.json"}) {
    const auto problems =
        problems_after([&](ModelFinding& finding) { finding.evidence[0].file = file; });
    EXPECT_THAT(problems, Contains(HasSubstr("evidence[0].file"))) << file;
  }
}

TEST(FamilyCheck, FindsControlCharactersWhereverTheyStand) {
  EXPECT_THAT(problems_after([](ModelFinding& finding) { finding.title = "a\x1b[2J"; }),
              Contains("bert-001: title: it holds control characters"));
  EXPECT_THAT(
      problems_after([](ModelFinding& finding) { finding.scope.validated_on[0].model = "a\nb"; }),
      Contains("bert-001: scope.validated_on[0].model: it holds control characters"));
}

TEST(FamilyCheck, FindsWhatIsTooLong) {
  EXPECT_THAT(problems_after([](ModelFinding& finding) { finding.title = std::string(201, 'x'); }),
              Contains(HasSubstr("title: a claim is one short line")));
  EXPECT_THAT(
      problems_after([](ModelFinding& finding) { finding.observation = std::string(10'000, 'x'); }),
      Contains(HasSubstr("observation: it is too long")));
  EXPECT_THAT(problems_after([](ModelFinding& finding) { finding.gotchas.resize(2000, "x"); }),
              Contains(HasSubstr("gotchas: it has too many entries")));
  FamilyKnowledge family = small_family();
  family.findings.resize(100'000);
  EXPECT_THAT(problems_of(family), Contains("findings: there are too many"));
}

TEST(FamilyCheck, FindsATrialThatIsThereTwice) {
  EXPECT_THAT(problems_after([](ModelFinding& finding) {
                finding.scope.validated_on.push_back(finding.scope.validated_on[0]);
              }),
              Contains("bert-001: scope.validated_on[1]: it is there twice"));
}

TEST(FamilyCheck, FindsFindingsThatChangedPlaces) {
  FamilyKnowledge family = small_family();
  std::swap(family.findings[0], family.findings[1]);
  EXPECT_THAT(problems_of(family), Contains(HasSubstr("bert-001: the chain does not fit")));
}

TEST(FamilyCheck, FindsAChainOfAnotherLength) {
  FamilyKnowledge family = small_family();
  family.findings.pop_back();
  EXPECT_THAT(problems_of(family), Contains("chain: it has 2 links for 1 findings"));
}

}  // namespace
}  // namespace hone
