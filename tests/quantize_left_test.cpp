// What quantization leaves of a model, and of what kinds of models: half precision, subgraphs,
// outputs below the floor and what helps them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "quantizing.h"

namespace hone {
namespace {

using testing::Contains;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Lt;
using testing::Not;
using testing::Optional;

// --- Half precision

TEST_F(Quantizing, GivesHalfPrecisionModelsFloatScales) {
  // Weights and inputs whose product is below what float16 holds: the scale of a bias is that of
  // both.
  const Path model = model_of(
      "(float16[1,2,1,1] x) => (float16[1,2,1,1] y)"
      "<float16[2,2,1,1] w = {0.01, 0.02, -0.03, 0.04}, float16[2] b = {0.001, -0.002}>"
      "{ t = Conv(x, w, b) y = Relu(t) }");
  for (const char* precision : {"w8a8", "w8a16", "dynamic"}) {
    const QuantizeRequest request = request_for(model, precision);
    const QuantizeResult result = run(request);
    EXPECT_TRUE(result.verified) << precision << result.not_verified_because.value_or("");
    EXPECT_THAT(result.outputs.at(0).sqnr_db, Optional(Ge(20))) << precision;
    EXPECT_EQ(result.float16_widened, 2U);
    EXPECT_THAT(result.notes, Contains(HasSubstr("brought to float32 first"))) << precision;
    const Model made = load_model(request.output).value();
    EXPECT_EQ(made.graph->inputs().at(0)->type.element, ElementType::float16);
    EXPECT_EQ(made.graph->outputs().at(0)->type.element, ElementType::float16);
    for (const Value* value : made.graph->initializers())
      EXPECT_NE(value->initializer()->type, ElementType::float16) << value->name();
  }
}

TEST_F(Quantizing, KeepsScalesFloatThatHalfPrecisionHasNoDigitsFor) {
  QuantizeRequest request = request_for(
      model_of("(float[1,2,1,1] x) => (float[1,2,1,1] y)"
               "<float[2,2,1,1] w = {0.01, 0.02, -0.03, 0.04}, float[2] b = {0.001, -0.002}>"
               "{ y = Conv(x, w, b) }",
               19));
  request.precisions.push_back(find_precision("fp16"));
  const QuantizeResult result = run(request);
  EXPECT_THAT(result.outputs.at(0).sqnr_db, Optional(Ge(20)));
  EXPECT_THAT(result.notes, Contains(HasSubstr("float16 has no digits for its scale")));
}

TEST_F(Quantizing, TakesWeightsThatOldExportersDeclareAsInputs) {
  std::string numbers = "1";
  for (int i = 1; i < 64; ++i) numbers += ", " + std::to_string(i % 7 - 3);
  const Path model = model_of("(float[1,16] x, float[16,4] w = {" + numbers +
                              "}) => (float[1,4] y) { y = MatMul(x, w) }");
  for (const char* precision : {"w8a8", "int4", "fp16", "dynamic"}) {
    QuantizeRequest request = request_for(model, precision);
    request.settings.block_size = 16;
    const QuantizeResult result = run(request);
    EXPECT_TRUE(result.verified) << precision << result.not_verified_because.value_or("");
    EXPECT_THAT(result.notes, Contains(HasSubstr("1 weight could be handed in"))) << precision;
    const Model made = load_model(request.output).value();
    EXPECT_EQ(made.graph->inputs().size(), 1U) << precision;
    for (const Value* value : made.graph->initializers()) {
      const bool is_weight = value->initializer()->element_count() >= 64;
      EXPECT_FALSE(is_weight && value->initializer()->type == ElementType::float32) << precision;
    }
  }
}

TEST_F(Quantizing, SaysHowMuchLargerHalfPrecisionGets) {
  // Weights in a Constant node, which the preset of ONNX Runtime's tools does not make integers of.
  const QuantizeResult result =
      run(request_for(model_of("(float16[1,2,1,1] x) => (float16[1,2,1,1] y) {"
                               "  w = Constant <value = float16[2,2,1,1] {0.1, 0.2, -0.3, 0.4}> ()"
                               "  y = Conv(x, w) }")));
  EXPECT_GT(result.bytes_after, result.bytes_before);
  EXPECT_THAT(result.notes, Contains(HasSubstr("the weights get larger, 8 bytes -> ")));
  EXPECT_THAT(result.notes, Contains(HasSubstr("they are float32 in the result")));
}

TEST_F(Quantizing, SaysNothingOfAFewScalesMore) {
  std::string numbers = "0.5";
  for (int i = 1; i < 256; ++i) numbers += ", " + std::to_string(i % 7);
  const QuantizeResult result =
      run(request_for(model_of("(float[1,16,1,1] x) => (float[1,16,1,1] y) {"
                               "  w = Constant <value = float[16,16,1,1] {" +
                               numbers + "}> () y = Conv(x, w) }")));
  EXPECT_GT(result.bytes_after, result.bytes_before);
  EXPECT_THAT(result.notes, Not(Contains(HasSubstr("the weights get larger"))));
}

TEST_F(Quantizing, LeavesOutWeightsThatNothingRefersTo) {
  const Path model = model_of(
      "(float[1,2] x) => (float[1,2] y) <float[2,2] w = {1, 2, 3, 4}, float[2,2] dead = {1, 2, 3, "
      "4}> { y = MatMul(x, w) unused = MatMul(x, dead) }");
  for (const char* precision : {"w8a8", "fp16", "dynamic"}) {
    const QuantizeRequest request = request_for(model, precision);
    run(request);
    EXPECT_EQ(load_model(request.output)->graph->find("dead"), nullptr) << precision;
  }
}

constexpr auto loop_with_a_sequence =
    "(float[2,2] x, int64 n) => (float[2,2] y)"
    "<bool go = {1}, float[2,2] w = {0.1, 0.2, 0.3, 0.4}, int64 first = {0}> {"
    "  y = Loop(n, go, x) <body = b (int64 i, bool c, float[2,2] s) => (bool d, float[2,2] r) {"
    "    d = Identity(c)  t = MatMul(s, w)  u = SequenceConstruct(t, s)"
    "    v = SequenceAt(u, first)  r = Tanh(v) }> }";

TEST_F(Quantizing, BringsTheBodiesOfLoopsToHalfPrecision) {
  const QuantizeRequest request = request_for(model_of(loop_with_a_sequence), "fp16");
  const QuantizeResult result = run(request);
  EXPECT_TRUE(result.holds) << result.not_verified_because.value_or("");
  EXPECT_EQ(result.weights, 1U);
  EXPECT_GE(result.nodes, result.nodes_quantized) << "nodes of the body count too";
  EXPECT_EQ(load_model(request.output)->graph->find("w")->initializer()->type,
            ElementType::float16);
  EXPECT_THAT(result.notes, Contains(HasSubstr("finds what overflows on a device")));
}

// --- Subgraphs

constexpr auto branches =
    "(float[1,16] x, bool c) => (float[1,2] y) {"
    "  [pick] y = If(c) <"
    "    then_branch = a () => (float[1,2] p) <float[16,2] w = "
    "{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,"
    "      16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32}> { p = MatMul(x, w) },"
    "    else_branch = b () => (float[1,2] q) <float[16,2] v = "
    "{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,"
    "      16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32}> { q = MatMul(x, v) }> }";

TEST_F(Quantizing, ReachesIntoBranchesAndCountsTheirNodes) {
  for (const char* precision : {"dynamic", "int4", "fp16"}) {
    QuantizeRequest request = request_for(model_of(branches), precision);
    request.settings.block_size = 16;
    const QuantizeResult result = run(request);
    EXPECT_TRUE(result.verified) << precision << result.not_verified_because.value_or("");
    EXPECT_EQ(result.nodes, 3U) << precision;
    EXPECT_LE(result.nodes_quantized, 3U) << precision;
    EXPECT_EQ(result.weights, 2U) << precision;
  }
}

TEST_F(Quantizing, TakesWordsForNodesInsideBranches) {
  QuantizeRequest request = request_for(model_of(branches), "dynamic");
  request.settings.exclude = {"q"};
  EXPECT_EQ(run(request).weights, 1U);
}

TEST_F(Quantizing, SaysThatEverythingIsInsideBranchesItCannotCalibrate) {
  const auto result = quantize_file(request_for(model_of(branches)), tools());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "there is nothing to quantize");
  EXPECT_EQ(result.error().cause,
            "it is all in subgraphs: 2 MatMul are inside node 'pick' (If), where static "
            "quantization cannot calibrate");
  EXPECT_THAT(result.error().hint, HasSubstr("--precision dynamic"));
}

TEST_F(Quantizing, RefusesAModelThatIsQuantizedInsideBranches) {
  const QuantizeRequest request = request_for(model_of(branches), "dynamic");
  run(request);
  QuantizeRequest again = request_for(request.output);
  again.output = folder_.path() / "again.onnx";
  const auto result = quantize_file(again, tools());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "the model is quantized already");
  EXPECT_THAT(result.error().cause, HasSubstr("2 MatMulInteger"));
  EXPECT_THAT(result.error().cause, HasSubstr("in subgraphs"));
  again.precisions = {find_precision("fp16")};
  EXPECT_TRUE(run(again).holds) << "what is still float goes to half precision";
}

// --- What is left

// Large weights that cancel, beside small ones: one scale for both leaves nothing of the small.
constexpr auto uneven =
    "(float[1,1] x) => (float[1,2] y) <float[2,2] w = {1000, 0.3, -1000, 0.2}>"
    "{ t = Concat <axis = 1> (x, x) y = MatMul(t, w) }";

TEST_F(Quantizing, WritesNothingBelowTheFloorAndFindsWhatHelps) {
  const QuantizeRequest request = request_for(model_of(uneven));
  const QuantizeResult result = run(request);
  EXPECT_TRUE(result.verified);
  EXPECT_FALSE(result.holds);
  EXPECT_FALSE(result.written);
  EXPECT_FALSE(std::filesystem::exists(request.output));
  EXPECT_THAT(result.worst_sqnr_db, Optional(Lt(10)));
  EXPECT_THAT(result.worst_output, Optional(std::string("y")));
  ASSERT_EQ(result.tried.size(), 1U) << "what helps ends the search";
  EXPECT_EQ(result.tried[0].options, "--per-channel");
  EXPECT_TRUE(result.tried[0].best);
  EXPECT_THAT(result.tried[0].worst_sqnr_db, Optional(Ge(20)));
}

TEST_F(Quantizing, DoesNotJudgeAnOutputThatTheSamplesShowNothingOf) {
  const auto detector = [](const char* offset) {
    return "(float[1,4] x) => (float[1,3] y)"
           "<float[4,3] w = {1, -2, 3, 4, 5, 6, 7, -8, 9, 1, 2, 3}, float[3] b = {" +
           std::string(offset) +
           "}> { t = MatMul(x, w) u = Add(t, b) s = Sigmoid(u) y = Identity(s) }";
  };
  const QuantizeResult nothing =
      run(request_for(model_of(detector("-2000, -3000, -1500")), "w8a8"));
  EXPECT_FALSE(nothing.outputs.at(0).judged);
  EXPECT_TRUE(nothing.holds);
  const QuantizeResult faint = run(request_for(model_of(detector("-40, -50, -60")), "w8a8"));
  EXPECT_FALSE(faint.outputs.at(0).judged);
  EXPECT_TRUE(faint.written);
  EXPECT_THAT(faint.outputs.at(0).not_judged_because, Optional(HasSubstr("an 8-bit step")));
  EXPECT_THAT(faint.notes, Contains(HasSubstr("real samples may show what is not judged")));
  const QuantizeResult seen = run(request_for(model_of(detector("0, 1, 2")), "w8a8"));
  EXPECT_TRUE(seen.outputs.at(0).judged);
}

TEST_F(Quantizing, WritesALossThatIsAllowed) {
  QuantizeRequest request = request_for(model_of(uneven));
  request.allows_loss = true;
  const QuantizeResult result = run(request);
  EXPECT_TRUE(result.written);
  EXPECT_FALSE(result.holds);
  EXPECT_THAT(result.tried, IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(request.output));
}

TEST_F(Quantizing, HoldsOutputsToTheFloorThatIsStated) {
  QuantizeRequest request = request_for(model_of(two_layers));
  request.least_sqnr_db = 200;
  const QuantizeResult result = run(request);
  EXPECT_FALSE(result.written);
  EXPECT_THAT(result.tried, Not(IsEmpty()));
  EXPECT_TRUE(std::ranges::none_of(result.tried, &TriedRemedy::best));
}

TEST_F(Quantizing, HoldsNoStatedFloorWithWhatCannotBeJudged) {
  const Path model = model_of(
      "(float[1,4] x) => (float[1,2] y, float[1,2] z)"
      "<float[4,2] w = {1, -2, 3, 4, 5, 6, 7, -8}, float[2] b = {-40, -50}>"
      "{ z = MatMul(x, w) u = Add(z, b) y = Sigmoid(u) }");
  QuantizeRequest request = request_for(model);
  EXPECT_TRUE(run(request).holds);
  request.least_sqnr_db = usual_least_sqnr_db;
  const QuantizeResult stated = run(request);
  EXPECT_FALSE(stated.holds);
  EXPECT_FALSE(stated.written);
  EXPECT_THAT(stated.worst_output, Optional(std::string("z")));
  EXPECT_THAT(stated.tried, IsEmpty()) << "samples help, and nothing else";
}

TEST_F(Quantizing, LeavesAFileThatWasThereWhereTooLittleIsLeft) {
  const QuantizeRequest request = request_for(model_of(uneven));
  ASSERT_TRUE(write_file(request.output, "mine"));
  run(request);
  EXPECT_EQ(read_file(request.output).value(), "mine");
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    ++files;
  EXPECT_EQ(files, 2U) << "the model and the file that was there";
}

TEST_F(Quantizing, SaysThatTheModelItselfDoesNotRunOnTheSamples) {
  const Path model = model_of(
      "(float[A,2] x) => (float[B,2] y) <float[2,2] w = {1, 2, 3, 4}, int64[2] s = {3, 2}>"
      "{ t = MatMul(x, w) y = Reshape(t, s) }");
  QuantizeRequest request = request_for(model, "fp16");
  const auto result = quantize_file(request, tools());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "the model itself does not run on the samples");
  EXPECT_FALSE(std::filesystem::exists(request.output));
}

TEST_F(Quantizing, GivesFiltersOfDynamicModelsTheTypeThatEveryOnnxRuntimeTakes) {
  const Path model = model_of(
      "(float[1,2,4] x) => (float[1,2,4] y) <float[2,2,1] w = {1, 2, -3, 4}> { y = Conv(x, w) }");
  QuantizeRequest request = request_for(model, "dynamic");
  EXPECT_EQ(run(request).oldest_ort_because, "IR version 10");
  request.weight_type = ElementType::int8;
  const QuantizeResult as_asked = run(request);
  EXPECT_EQ(as_asked.oldest_ort, "1.24");
  EXPECT_EQ(as_asked.oldest_ort_because, "ConvInteger with int8 weights");
}

}  // namespace
}  // namespace hone
