#include "knowledge/predicate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knowledge/findings_for_tests.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Predicate read(const std::string& text) {
  const auto json = Json::parse(text);
  EXPECT_TRUE(json) << text;
  auto predicate = from_json<Predicate>(*json);
  EXPECT_TRUE(predicate) << text;
  return *predicate;
}

Truth in_matching_situation(const std::string& text) {
  return evaluate(read(text), matching_situation());
}

TEST(Predicates, HoldOfModelAndTarget) {
  for (const char* text :
       {R"({})", R"({"ep": "qnn"})", R"({"device": "npu"})", R"({"op_type": "Conv"})",
        R"({"op_type": "Conv", "at_least": 3})", R"({"pattern": "gelu_fusion", "at_least": 2})",
        R"({"feature": "opset", "op": "<", "value": 18})", R"({"ort": ">=1.24 <1.25"})",
        R"({"ep_version": "==2.31"})", R"({"precision": "fp32"})"}) {
    EXPECT_EQ(in_matching_situation(text), Truth::yes) << text;
  }
  for (const char* text :
       {R"({"ep": "cpu"})", R"({"device": "gpu"})", R"({"op_type": "Conv", "at_least": 4})",
        R"({"op_type": "Gemm"})", R"({"pattern": "attention_fusion"})",
        R"({"feature": "conv_share", "op": ">", "value": 0.25})", R"({"ort": "<1.24"})",
        R"({"precision": "w8a8"})"}) {
    EXPECT_EQ(in_matching_situation(text), Truth::no) << text;
  }
}

TEST(Predicates, AreUnknownWhereTheSituationIs) {
  const Situation nothing_known;
  for (const char* text :
       {R"({"ep": "qnn"})", R"({"device": "npu"})", R"({"op_type": "Conv"})",
        R"({"pattern": "gelu_fusion"})", R"({"feature": "opset", "op": "<", "value": 18})",
        R"({"ort": "<2"})", R"({"ep_version": "<2"})", R"({"driver": "<2"})",
        R"({"precision": "fp32"})"}) {
    EXPECT_EQ(evaluate(read(text), nothing_known), Truth::unknown) << text;
  }
  Situation somewhere = matching_situation();
  somewhere.device = "auto";
  EXPECT_EQ(evaluate(read(R"({"device": "npu"})"), somewhere), Truth::unknown);
}

TEST(Predicates, KnowThatTheCpuEpRunsOnTheCpuWithTheVersionOfTheRuntime) {
  Situation situation;
  situation.ep = "cpu";
  situation.device = "auto";
  situation.ort_version = "1.24.5";
  EXPECT_EQ(evaluate(read(R"({"device": "cpu"})"), situation), Truth::yes);
  EXPECT_EQ(evaluate(read(R"({"ep_version": "==1.24"})"), situation), Truth::yes);
}

TEST(Predicates, CombineInThreeValues) {
  const std::string yes = R"({"ep": "qnn"})";
  const std::string no = R"({"ep": "cpu"})";
  const std::string unknown = R"({"driver": "<2"})";
  const auto of = [](const std::string& how, const std::string& a, const std::string& b) {
    return in_matching_situation("{\"" + how + "\": [" + a + ", " + b + "]}");
  };
  EXPECT_EQ(of("all", yes, yes), Truth::yes);
  EXPECT_EQ(of("all", yes, unknown), Truth::unknown);
  EXPECT_EQ(of("all", unknown, no), Truth::no);
  EXPECT_EQ(of("any", no, no), Truth::no);
  EXPECT_EQ(of("any", no, unknown), Truth::unknown);
  EXPECT_EQ(of("any", unknown, yes), Truth::yes);
  EXPECT_EQ(of("not", no, no), Truth::yes);
  EXPECT_EQ(of("not", no, unknown), Truth::unknown);
  EXPECT_EQ(of("not", unknown, yes), Truth::no);
}

TEST(Predicates, AreRefusedWithTheirPlaceWhenTheyCannotBeMeant) {
  const auto problem = [](const char* text) { return problem_of(read(text)); };
  EXPECT_THAT(problem("{}"), IsEmpty());
  EXPECT_THAT(problem(R"({"all": [{"ep": "qnn"}, {"op_type": "Conv"}]})"), IsEmpty());
  EXPECT_THAT(problem(R"({"ep": "qnn", "device": "npu"})"), HasSubstr("when: it says more than"));
  EXPECT_THAT(problem(R"({"all": [{"any": [{}]}]})"), HasSubstr("when.all[0].any[0]: it says no"));
  EXPECT_THAT(problem(R"({"not": [{"device": "tpu"}]})"), HasSubstr("when.not[0]: 'tpu'"));
  EXPECT_THAT(problem(R"({"feature": "opset"})"), HasSubstr("go together"));
  EXPECT_THAT(problem(R"({"ep": "qnn", "value": 3})"), HasSubstr("go together"));
  EXPECT_THAT(problem(R"({"feature": "opst", "op": "<", "value": 3})"), HasSubstr("'opst'"));
  EXPECT_THAT(problem(R"({"ep": "qnn", "at_least": 2})"), HasSubstr("at_least goes with"));
  EXPECT_THAT(problem(R"({"op_type": "Conv", "at_least": 0})"), HasSubstr("always so"));
  EXPECT_THAT(problem(R"({"ort": "new ones"})"), HasSubstr("no bound of a version"));
}

TEST(Predicates, NameAnEpOnlyWhereEveryWayThroughThemDoes) {
  EXPECT_TRUE(names_an_ep(read(R"({"all": [{"op_type": "Conv"}, {"ep": "qnn"}]})")));
  EXPECT_TRUE(names_an_ep(read(R"({"any": [{"ep": "dml"}, {"ep": "qnn"}]})")));
  EXPECT_FALSE(names_an_ep(read(R"({"any": [{"op_type": "Conv"}, {"ep": "qnn"}]})")));
  EXPECT_FALSE(names_an_ep(read(R"({"not": [{"ep": "qnn"}]})")));
  EXPECT_FALSE(names_an_ep(read("{}")));
}

TEST(Situations, TakeWhatAnAnalysisTells) {
  Analysis analysis;
  analysis.target.ep = "qnn";
  analysis.features.opset = 17;
  analysis.features.has_qdq = true;
  analysis.features.op_counts = {{"Conv", 2}};
  analysis.fusions = {{"gelu_fusion", 3, {}, {}, {}}};
  const Situation situation = situation_of(analysis);
  EXPECT_EQ(situation.features.at("opset"), 17);
  EXPECT_EQ(situation.features.at("has_qdq"), 1);
  EXPECT_EQ(situation.op_counts->at("Conv"), 2u);
  EXPECT_EQ(situation.patterns->at("gelu_fusion"), 3u);
  EXPECT_THAT(known_features(), testing::IsSupersetOf({"conv_share", "attentions", "opset"}));
}

}  // namespace
}  // namespace hone
