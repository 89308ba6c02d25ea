#include "transform/quantize/remedies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/text/text.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Model model_of(const std::string& nodes) {
  return parse_text(
             "<opset_import: [\"\" : 17]> g (float[1,2,2,2] x) => (float[1,2,2,2] y)"
             "<float[2,2,1,1] w = {1, 2, 3, 4}, float[2] s = {1, 1}> {" +
             nodes + "}")
      .value();
}

QuantizeRequest request_for(const char* precision) {
  QuantizeRequest request;
  request.precisions = {find_precision(precision)};
  request.settings.preset = *find_preset("ort");
  return request;
}

std::vector<std::string> names(const std::vector<Remedy>& remedies) {
  std::vector<std::string> found;
  for (const Remedy& remedy : remedies) found.push_back(remedy.facts.name);
  return found;
}

constexpr auto conv = "y = Conv(x, w)";
constexpr auto normalized = "c = Conv(x, w) y = BatchNormalization(c, s, s, s, s)";
constexpr auto product = "y = MatMul(x, x)";

TEST(Remedies, BuildOnEachOther) {
  const auto remedies = remedies_for(model_of(normalized), request_for("w8a8"));
  EXPECT_THAT(names(remedies),
              ElementsAre("per-channel weights", "per-channel weights, BatchNormalization folded",
                          "16-bit activations, per-channel weights, BatchNormalization folded",
                          "16 bits throughout, per-channel weights, BatchNormalization folded"));
  EXPECT_TRUE(remedies[2].is_last_resort);
  EXPECT_EQ(remedies[2].facts.options, "--precision w8a16 --per-channel");
  EXPECT_TRUE(remedies[2].facts.optimizes_first);
  EXPECT_THAT(remedies[2].facts.enables, ElementsAre("conv-bn-fusion"));
  QuantizeRequest request = request_for("w8a8");
  remedies[2].apply(request);
  EXPECT_TRUE(request.settings.per_channel);
  EXPECT_EQ(request.precisions.front()->name, "w8a16");
}

TEST(Remedies, FoldWhatIsBehindWeightsAndNothingElse) {
  const auto enables = [](const char* nodes) {
    const auto remedies = remedies_for(model_of(nodes), request_for("w8a8"));
    return remedies.at(1).facts.enables;
  };
  EXPECT_THAT(enables("c = MatMul(x, w) y = BatchNormalization(c, s, s, s, s)"),
              ElementsAre("matmul-bn-fusion"));
  EXPECT_THAT(enables("c = Conv(x, w) a = Add(c, s) y = BatchNormalization(a, s, s, s, s)"),
              ElementsAre("conv-add-batch-normalization-folding"));
  EXPECT_THAT(enables("c = Conv(x, w) r = Relu(c) y = BatchNormalization(r, s, s, s, s)"),
              IsEmpty());
}

TEST(Remedies, MakeWeightsOfConstantNodes) {
  const Model model =
      model_of("k = Constant <value = float[2,2,1,1] {1, 2, 3, 4}> () y = Conv(x, k)");
  const auto remedies = remedies_for(model, request_for("w8a8"));
  EXPECT_EQ(remedies[1].facts.name, "per-channel weights, Constant nodes made weights");
  QuantizeRequest for_cpu = request_for("w8a8");
  for_cpu.settings.preset = *find_preset("cpu");
  EXPECT_FALSE(remedies_for(model, for_cpu)[1].facts.optimizes_first);
}

TEST(Remedies, AreOfWhatWasNotGiven) {
  QuantizeRequest request = request_for("int16");
  request.settings.per_channel = true;
  EXPECT_THAT(remedies_for(model_of(conv), request), IsEmpty());
  EXPECT_THAT(names(remedies_for(model_of(product), request)), ElementsAre("dynamic activations"));
}

TEST(Remedies, OfDynamicQuantizationLeaveFiltersInFloat) {
  const auto remedies =
      remedies_for(model_of("c = Conv(x, w) y = MatMul(c, c)"), request_for("dynamic"));
  EXPECT_THAT(names(remedies), ElementsAre("per-channel weights",
                                           "per-channel weights, Conv in float", "half precision"));
  EXPECT_EQ(remedies[1].facts.options, "--per-channel --exclude Conv");
}

TEST(Remedies, OfFourBitsAreSmallerBlocks) {
  EXPECT_THAT(names(remedies_for(model_of(product), request_for("int4"))),
              ElementsAre("blocks of 32", "8-bit weights, dynamic activations"));
}

TEST(Remedies, OfHalfPrecisionLeaveWhatOutgrowsItInFloat) {
  const auto remedies = remedies_for(model_of("e = Exp(x) y = Softmax(e)"), request_for("fp16"));
  ASSERT_EQ(remedies.size(), 1u);
  EXPECT_EQ(remedies[0].facts.options, "--exclude Exp --exclude Softmax");
}

TEST(Remedies, LeaveSeveralPrecisionsInTurnToTheUser) {
  QuantizeRequest request = request_for("int4");
  request.precisions.push_back(find_precision("fp16"));
  EXPECT_THAT(remedies_for(model_of(product), request), IsEmpty());
}

}  // namespace
}  // namespace hone
