#include "knowledge/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "knowledge/findings_for_tests.h"

namespace hone {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

std::string file_with(const std::string& fields) {
  return R"({"schema_version": 1, "findings": [{"id": "npu-1", "title": "t", "category": "opset",
    "kind": "ep", "status": "draft", "advice": "none", "observation": "o",
    "when": {"ep": "qnn"})" +
         std::string(fields.empty() ? "" : ", ") + fields + "}]}";
}

// What reading says is wrong.
std::string refusal(const std::string& text, const KnownNames& known = {}) {
  const auto findings = read_findings("some.json", text, known);
  if (findings) return "(it was read)";
  EXPECT_THAT(findings.error().what, HasSubstr("some.json"));
  return findings.error().cause;
}

TEST(FindingFiles, ComeBackFromWhatIsWritten) {
  const Finding finding = confirmed_finding();
  const std::string text = write_findings(std::span(&finding, 1));
  const auto again = read_findings("again.json", text);
  ASSERT_TRUE(again) << again.error().cause;
  EXPECT_EQ(to_json(again->front()), to_json(finding));
  EXPECT_THAT(text, Not(HasSubstr("not_tested_on"))) << "what says nothing is left out";
}

TEST(FindingFiles, RefuseWhatIsNoFindingWithItsPlace) {
  EXPECT_THAT(refusal("[]"), HasSubstr("object"));
  EXPECT_THAT(refusal("{"), HasSubstr("line 1"));
  EXPECT_THAT(refusal("{}"), HasSubstr("schema_version"));
  EXPECT_THAT(refusal(R"({"schema_version": 2, "findings": []})"), HasSubstr("schema_version 2"));
  EXPECT_THAT(refusal(R"({"schema_version": 1, "findings": [{"id": "a"}]})"),
              HasSubstr("findings[0]' has no 'title'"));
  EXPECT_THAT(refusal(file_with(R"("effect": {"metric": "latency", "direction": "slower",
                                   "method": "sequential", "speed": 3})")),
              HasSubstr("unknown field 'speed' in 'findings[0].effect'"));
  EXPECT_THAT(refusal(file_with(R"("mechanism": {"hypothesis": "h", "confirmed": "yes"})")),
              HasSubstr("findings[0].mechanism.confirmed"));
  EXPECT_THAT(refusal(file_with(R"("effect": {"metric": "latency", "direction": "slower",
                                   "method": "sequential", "ratio": NaN})")),
              HasSubstr("line"));
  EXPECT_EQ(refusal(file_with("")), "(it was read)");
}

TEST(FindingFiles, HoldNoTwoFindingsOfOneId) {
  const std::vector<Finding> twice = {confirmed_finding(), confirmed_finding()};
  EXPECT_THAT(problems_of_all(twice), Contains("npu-100: the id is there twice"));
}

TEST(FindingFiles, ReadDeepPredicatesAndRefuseBottomlessOnes) {
  const auto with_depth = [](int depth) {
    std::string text = file_with("");
    std::string open;
    std::string close;
    for (int i = 0; i < depth; ++i) {
      open += R"({"all": [)";
      close += "]}";
    }
    const std::string leaf = R"({"ep": "qnn"})";
    return text.replace(text.find(leaf), leaf.size(), open + leaf + close);
  };
  EXPECT_EQ(refusal(with_depth(100)), "(it was read)");
  EXPECT_NE(refusal(with_depth(100'000)), "(it was read)");
}

TEST(Findings, MayNotHideConditionsInTheirChange) {
  const auto with_change = [](const std::string& dimension, const std::string& key) {
    return refusal(
        file_with(R"("change": {"dimension": ")" + dimension + R"(", "keys": [")" + key + "\"]}"));
  };
  EXPECT_EQ(with_change("optimize", "matmul_add_fusion"), "(it was read)");
  EXPECT_THAT(with_change("optimize", "matmul_add_fusion if the model has Gemm"),
              HasSubstr("change.keys[0]: 'matmul_add_fusion if the model has Gemm' is no name"));
  EXPECT_THAT(with_change("optimize", "nhwc-transformer"), HasSubstr("is no name"));
  EXPECT_THAT(with_change("opset", "21 on CPU"), HasSubstr("is no name"));
  EXPECT_EQ(with_change("session", "session.intra_op.allow_spinning=0"), "(it was read)");
  EXPECT_THAT(with_change("session", "spinning = 0"), HasSubstr("is no name"));
  EXPECT_THAT(with_change("flags", "x"), HasSubstr("'flags' is none of export, shapes, opset"));
  EXPECT_THAT(refusal(file_with(R"("change": {"dimension": "optimize"})")),
              HasSubstr("names nothing"));
}

TEST(Findings, NameOnlyWhatThereIsWhereThatIsKnown) {
  const KnownNames known{
      .capabilities = {"gelu_fusion"}, .precisions = {"w8a8"}, .session_options = {"threads"}};
  const std::string typo =
      file_with(R"("change": {"dimension": "optimize", "keys": ["gelu_fuson"]})");
  EXPECT_EQ(refusal(typo), "(it was read)");
  EXPECT_THAT(refusal(typo, known), HasSubstr("did you mean 'gelu_fusion'?"));
  EXPECT_EQ(
      refusal(file_with(R"("change": {"dimension": "session", "keys": ["threads=1"]})"), known),
      "(it was read)");
}

TEST(Findings, AboutAnEpSayWhichOne) {
  Finding finding = confirmed_finding();
  finding.when = {};
  EXPECT_THAT(problems_of(finding), Contains(HasSubstr("must say which")));
}

TEST(Findings, GiveOnlyAdviceThatFollowsFromTheirEffect) {
  Finding finding = confirmed_finding();
  finding.status = FindingStatus::draft;
  EXPECT_THAT(problems_of(finding), IsEmpty());
  finding.advice = FindingAdvice::prefer;
  EXPECT_THAT(problems_of(finding), Contains(HasSubstr("'prefer' does not follow from 'slower'")));
  finding.advice = FindingAdvice::skip;
  finding.effect->direction = EffectDirection::faster;
  EXPECT_THAT(problems_of(finding), Contains(HasSubstr("'skip' does not follow from 'faster'")));
  finding = confirmed_finding();
  finding.kind = FindingKind::harness;
  EXPECT_THAT(problems_of(finding), Contains(HasSubstr("a harness finding gives none")));
}

TEST(Findings, AreConfirmedOnlyWithAnIntervalThatWasMeasuredInterleaved) {
  EXPECT_THAT(problems_of(confirmed_finding()), IsEmpty());
  Finding finding = confirmed_finding();
  finding.effect->method = EffectMethod::sequential;
  EXPECT_THAT(problems_of(finding), Contains(HasSubstr("sequential, not interleaved")));
  finding = confirmed_finding();
  finding.effect->interval.clear();
  EXPECT_THAT(problems_of(finding), Contains(HasSubstr("no interval")));
  finding = confirmed_finding();
  finding.effect->interval = {0.9, 1.4};
  EXPECT_THAT(problems_of(finding), Contains(HasSubstr("does not show that it is slower")));
  finding = confirmed_finding();
  finding.effect.reset();
  finding.advice = FindingAdvice::none;
  EXPECT_THAT(problems_of(finding), Contains(HasSubstr("claims no effect")));
}

TEST(Findings, AreConfirmedOnlyWhenSeenTwice) {
  Finding finding = confirmed_finding();
  finding.scope.validated_on.pop_back();
  EXPECT_THAT(problems_of(finding), Contains(HasSubstr("not been seen twice")));
}

TEST(Findings, OfFailuresAreConfirmedWithoutAClock) {
  Finding finding = confirmed_finding();
  finding.effect =
      FindingEffect{.direction = EffectDirection::fails, .method = EffectMethod::anecdote};
  EXPECT_THAT(problems_of(finding), IsEmpty());
}

TEST(Findings, HaveNumbersThatCanBeMeant) {
  Finding finding = confirmed_finding();
  finding.effect->ratio = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(problems_of(finding), Contains(HasSubstr("effect.ratio")));
  finding.effect->ratio = 1.5;
  EXPECT_THAT(problems_of(finding), Contains(HasSubstr("the ratio is outside")));
  finding.effect->interval = {1.4, 1.2};
  EXPECT_THAT(problems_of(finding), Contains(HasSubstr("low and high")));
}

TEST(Findings, HaveAnIdThatIsSafeAsAFileName) {
  Finding finding = confirmed_finding();
  for (const char* id : {"", "../x", "a/b", "A", ".x", "a b", "-a"}) {
    finding.id = id;
    EXPECT_THAT(problems_of(finding), Contains(HasSubstr("id:"))) << id;
  }
}

TEST(Findings, HaveHashesDatesAndVersions) {
  Finding finding = confirmed_finding();
  finding.evidence = {{"abc", "a file"}};
  finding.history[0].at = "yesterday";
  finding.scope.validated_on[0].ort_version = "new";
  finding.scope.validated_on[1].evidence = "xyz";
  const auto problems = problems_of(finding);
  EXPECT_THAT(problems, Contains(HasSubstr("evidence[0].sha256")));
  EXPECT_THAT(problems, Contains(HasSubstr("history[0].at")));
  EXPECT_THAT(problems, Contains(HasSubstr("validated_on[0].ort_version")));
  EXPECT_THAT(problems, Contains(HasSubstr("validated_on[1].evidence")));
}

TEST(Findings, ThatAreOverSayHow) {
  Finding finding = confirmed_finding();
  finding.status = FindingStatus::refuted;
  EXPECT_THAT(problems_of(finding), Contains(HasSubstr("does not say why")));
  finding.status = FindingStatus::superseded;
  EXPECT_THAT(problems_of(finding), Contains(HasSubstr("superseded_by")));
}

}  // namespace
}  // namespace hone
