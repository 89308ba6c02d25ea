#include "knowledge/family_draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knowledge/family.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

BuildRemains small_build() {
  BuildRemains remains;
  remains.receipt.model = "/somewhere/tiny.onnx";
  remains.receipt.recipe.target = {"cpu", "auto", {}};
  remains.receipt.recipe_sha256 = std::string(64, 'c');
  remains.receipt.tool_version = "0.1.0";
  remains.receipt.ort_version = "1.30.0";
  StageReceipt optimize;
  optimize.name = "optimize";
  optimize.status = StageStatus::done;
  optimize.effect = *Json::parse(R"({"capabilities": {
      "conv_bn_fusion": {"changed": true, "fused": 2}, "gelu_fusion": {"changed": false, "fused": 0}}})");
  remains.receipt.stages = {optimize};
  remains.precision = "fp32";
  remains.ops_before = {{"Constant", 7}, {"Conv", 2}, {"BatchNormalization", 2}};
  remains.ops_after = {{"Conv", 2}};
  remains.usual = remains.receipt.recipe;
  remains.evidence = {{"receipt.json", std::string(64, 'a')}};
  return remains;
}

TEST(FamilyDraft, HoldsTheNumbersOfTheBuild) {
  BuildRemains remains = small_build();
  remains.placement = Placement{.known = true, .reason = {}, .shares = {{"cpu", 2, 0, {}}}};
  const ModelFinding draft = draft_of(remains, "2026-06-25");
  EXPECT_EQ(draft.title, "tiny at fp32 on cpu goes from 11 to 2 nodes");
  EXPECT_THAT(draft.observation,
              HasSubstr("Operators: Constant 7 -> 0, BatchNormalization 2 -> 0."));
  EXPECT_THAT(draft.observation, HasSubstr("Changed by: conv_bn_fusion 2."));
  EXPECT_THAT(draft.observation, HasSubstr("Recipe beside the usual one: the same."));
  EXPECT_THAT(draft.observation, HasSubstr("Placement: of 2 nodes when it ran: cpu 2."));
  EXPECT_THAT(draft.observation, Not(HasSubstr("/somewhere")));
  EXPECT_EQ(draft.scope.validated_on[0].evidence, std::string(64, 'a'));
  EXPECT_EQ(draft.id, "");
}

TEST(FamilyDraft, IsOneThatAFamilyTakes) {
  const auto family =
      appended({.family = "tiny", .model_type = "tiny"}, draft_of(small_build(), "2026-06-25"));
  EXPECT_TRUE(family) << family.error().cause;
}

TEST(FamilyDraft, OfABuildThatFailedSaysWhere) {
  BuildRemains remains = small_build();
  remains.ops_after.clear();
  remains.receipt.stages[0].status = StageStatus::failed;
  remains.receipt.stages[0].reason = "it does not run";
  const ModelFinding draft = draft_of(remains, "2026-06-25");
  EXPECT_EQ(draft.title, "tiny at fp32 on cpu does not build: optimize fails");
  EXPECT_THAT(draft.observation, HasSubstr("Failed: it does not run."));
}

TEST(FamilyDraft, TellsHowFarOutputsOfAQuantizedModelAreOff) {
  BuildRemains remains = small_build();
  StageReceipt quantize;
  quantize.name = "quantize";
  quantize.effect = *Json::parse(R"({"nodes": 9, "nodes_quantized": 4,
      "outputs": [{"output": "y", "sqnr_db": 21.26, "max_abs_error": 1}]})");
  remains.receipt.stages.push_back(quantize);
  EXPECT_THAT(
      draft_of(remains, "2026-06-25").observation,
      HasSubstr("Precision: 4 of 9 nodes quantized, signal to noise of outputs: y 21.3 dB."));
}

TEST(FamilyDraft, RepeatsWhatTheBuildNoted) {
  BuildRemains remains = small_build();
  remains.receipt.notes = {"float: nothing else was asked for"};
  remains.receipt.stages[0].effect = *Json::parse(R"({"notes": ["suggestions were dropped", 7]})");
  EXPECT_THAT(draft_of(remains, "2026-06-25").observation,
              HasSubstr("Notes: float: nothing else was asked for, suggestions were dropped."));
}

TEST(FamilyDraft, OfAHostileReceiptIsStillOneThatAFamilyTakes) {
  BuildRemains remains = small_build();
  remains.receipt.model = "a\x1b[2J.onnx";
  remains.receipt.stages[0].effect = *Json::parse(
      R"({"capabilities": {"x\u001b": {"changed": true, "fused": -1}, "y": 3, "z": null}})");
  remains.receipt.stages[0].reason = std::string(100'000, '\x07');
  remains.receipt.recipe.session.options["k\n"] = std::string(100'000, 'v');
  for (int i = 0; i < 10'000; ++i) remains.ops_after["op" + std::to_string(i) + "\x1b"] = 1;
  const auto family =
      appended({.family = "tiny", .model_type = "tiny"}, draft_of(remains, "2026-06-25"));
  EXPECT_TRUE(family) << family.error().cause;
}

TEST(RecipeDifferences, AreNoneBetweenEqualRecipes) {
  EXPECT_THAT(differences_of(Recipe{}, Recipe{}), IsEmpty());
}

TEST(RecipeDifferences, NameWhatWasChanged) {
  Recipe given;
  given.opset = 21;
  given.optimize["gelu_fusion"] = true;
  given.quantize.emplace().precisions = {"w8a8"};
  given.quantize->calibration_data = "/somewhere/samples.npz";
  EXPECT_THAT(
      differences_of(Recipe{}, given),
      ElementsAre("quantize: added", "opset: null -> 21", "optimize.gelu_fusion: none -> true",
                  "quantize.calibration_data: null -> \"samples.npz\"",
                  "quantize.precisions: [] -> [\"w8a8\"]"));
}

TEST(RecipeDifferences, SayWhatWasLeftOut) {
  Recipe usual;
  usual.quantize.emplace().precisions = {"w8a16"};
  EXPECT_THAT(differences_of(usual, Recipe{}), ElementsAre("quantize: left out"));
}

}  // namespace
}  // namespace hone
