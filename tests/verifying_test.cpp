// Whether a changed model still computes the same: what is allowed for is rounding, and a sample
// that cannot tell is not taken for an answer.

#include "transform/verify.h"

#include <gtest/gtest.h>

#include "model/text/text.h"
#include "real_runtime.h"

namespace hone {
namespace {

TEST(Verifying, SeesAResultThatIsWrong) {
  const Model model =
      load_model(HONE_SOURCE_DIR "/tests/fixtures/tiny/resnet-cls/torch-opset17.onnx").value();
  Model wrong = clone(model);
  for (Node& node : wrong.graph->nodes()) {
    if (node.is("Relu")) node.op_type = "Tanh";
  }
  const auto samples = samples_for(model, {}).value();
  const auto seen = verify(onnxruntime(), model, wrong, samples, Numerics::relaxed);
  ASSERT_TRUE(seen) << seen.error().what;
  EXPECT_FALSE(seen->holds);
  EXPECT_EQ(why_not_taken(*seen).what, "the optimized model computes something else");
  const auto same = verify(onnxruntime(), model, clone(model), samples, Numerics::bitwise);
  EXPECT_TRUE(same->holds);
  EXPECT_TRUE(same->outputs.at(0).is_equal);
}

std::string ones(int count) {
  std::string text = "1";
  for (int i = 1; i < count; ++i) text += ", 1";
  return text;
}

// A Conv, a factor, and a subtraction that leaves one ten-thousandth: what is left is mostly
// rounding.
Model cancelling(const std::string& weight, const std::string& factor) {
  std::string subtracted;
  for (int i = 1; i <= 16; ++i) {
    subtracted += (i > 1 ? ", " : "") + std::to_string(0.1 * i * 0.3 * 0.7 * 1.0001);
  }
  const std::string scaled = factor.empty() ? "" : "m = Mul(c, k) ";
  return parse_text(
             "<opset_import: [\"\": 17]> g (float[1,1,1,16] x) => (float[1,1,1,16] y)"
             "<float[1,1,1,1] w = {" +
             weight + "}, float[1,1,1] k = {" + (factor.empty() ? "1" : factor) +
             "}, float[1,1,1,16] d = {" + subtracted + "}> { c = Conv(x, w) " + scaled +
             "y = Sub(" + (factor.empty() ? "c" : "m") + ", d) }")
      .value();
}

TEST(Verifying, AllowsForTheNoiseThatRoundingMakesInThisModel) {
  std::string elements;
  for (int i = 1; i <= 16; ++i) {
    const auto x = static_cast<float>(0.1 * i);
    elements.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  const Sample sample = {
      {"x", make_tensor("x", ElementType::float32, {1, 1, 1, 16}, Blob::own(std::move(elements)))}};
  const Model before = cancelling("0.3", "0.7");
  const Verification folded =
      verify(onnxruntime(), before, cancelling("0.21", ""), {sample}, Numerics::close).value();
  EXPECT_GT(*folded.outputs.at(0).relative, *folded.tolerance);
  EXPECT_EQ(folded.outputs.at(0).judged, 1u);
  EXPECT_TRUE(folded.holds);
  const Verification wrong =
      verify(onnxruntime(), before, cancelling("0.211", ""), {sample}, Numerics::close).value();
  EXPECT_FALSE(wrong.holds);
}

// Every other element lies between two steps of 8 bits: its last bits say which it becomes.
Model between_steps(const std::string& first, const std::string& second) {
  return parse_text(R"(<opset_import: ["": 17]> g (int64[1,511] ids) => (float[1,511] y)
          <float a = {)" +
                    first + "}, float b = {" + second +
                    R"(}> { x = Cast<to: int = 1>(ids) u = Mul(x, a) v = Mul(u, b)
            q, scale, zero = DynamicQuantizeLinear(v) y = DequantizeLinear(q, scale, zero) })")
      .value();
}

TEST(Verifying, AllowsForStepsThatRoundingMovesBehindAQuantizer) {
  std::string elements;
  for (std::int64_t i = 0; i < 511; ++i) {
    elements.append(reinterpret_cast<const char*>(&i), sizeof i);
  }
  const Sample sample = {
      {"ids", make_tensor("ids", ElementType::int64, {1, 511}, Blob::own(std::move(elements)))}};
  const Model before = between_steps("0.3", "0.7");
  const Verification folded =
      verify(onnxruntime(), before, between_steps("0.21", "1"), {sample}, Numerics::close).value();
  EXPECT_GT(*folded.outputs.at(0).relative, *folded.tolerance);
  EXPECT_EQ(folded.outputs.at(0).judged, 1u);
  EXPECT_TRUE(folded.holds);
  const Verification wrong =
      verify(onnxruntime(), before, between_steps("0.25", "1"), {sample}, Numerics::close).value();
  EXPECT_FALSE(wrong.holds);
  EXPECT_FALSE(wrong.is_undecided);
}

TEST(Verifying, SaysWhenASampleCannotTell) {
  const Model before = parse_text(R"(<opset_import: ["": 17]> g (float[16,128] x) => (float[16,1] y)
          <float[128,1] w = {)" + ones(128) +
                                  R"(}, int64[1] last = {1}>
          { t = Sin(x) a = MatMul(t, w) r = ReduceSum(t, last) k = Sub(a, r) y = Mul(k, k) })")
                           .value();
  Model after = clone(before);
  for (Node& node : after.graph->nodes()) {
    if (node.is("Mul")) node.op_type = "Add";
  }
  const auto samples = samples_for(before, {}).value();
  const Verification seen = verify(onnxruntime(), before, after, samples, Numerics::close).value();
  EXPECT_FALSE(seen.holds);
  EXPECT_TRUE(seen.is_undecided);
  EXPECT_EQ(seen.outputs.at(0).judged, 0u);
  EXPECT_LT(*seen.outputs.at(0).own_sqnr_db, *seen.least_own_db);
  const Error error = why_not_taken(seen);
  EXPECT_EQ(error.what, "it cannot be told whether the optimized model computes the same");
  EXPECT_EQ(error.hint, "--input-data FILE compares on real inputs");
}

}  // namespace
}  // namespace hone
