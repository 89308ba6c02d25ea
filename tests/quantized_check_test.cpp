// What is said of a quantized model that does not make what its original makes.

#include <gtest/gtest.h>

#include "model/text/text.h"
#include "real_runtime.h"
#include "runtime/session.h"
#include "transform/quantize/verify.h"

namespace hone {
namespace {

class QuantizedChecks : public testing::Test {
 protected:
  Path save(const std::string& name, const std::string& graph) {
    const Path file = folder_.path() / name;
    const auto model = parse_text("<opset_import: [\"\": 17]> g (float[2] x) => " + graph);
    EXPECT_TRUE(model && save_model(*model, file, {.data_file = "", .overwrite = true}));
    return file;
  }
  std::string reason_of(const std::string& graph) {
    return check("(float[2] y) { y = Add(x, x) }", graph).reason;
  }
  QuantizedCheck check(const std::string& before, const std::string& after) {
    const Path original = save("original.onnx", before);
    const Path quantized = save("quantized.onnx", after);
    const Session session = Session::open(onnxruntime(), original, {}).value();
    SampleStream samples = SampleStream::from_seed(session.inputs(), {}, {}, 0, 1).value();
    return check_quantized(onnxruntime(), quantized, original, samples, {}, 1).value();
  }
  // "judged", or why not.
  std::string verdict_on(const std::string& before, const std::string& after) {
    const OutputError error = check(before, after).outputs.at(0);
    return error.judged ? "judged" : error.not_judged_because.value_or("");
  }

  TemporaryFolder folder_ = TemporaryFolder::create("quantized-check").value();
};

TEST_F(QuantizedChecks, SayWhichShapeCameInsteadOfWhich) {
  EXPECT_EQ(reason_of("(float[4] y) { y = Concat<axis = 0>(x, x) }"),
            "the output 'y' is float[4] instead of float[2]");
}

TEST_F(QuantizedChecks, SayThatAnOutputIsNotFinite) {
  EXPECT_EQ(reason_of("(float[2] y) <float zero = {0}> { z = Mul(x, zero) y = Div(x, z) }"),
            "the output 'y' is not finite where the original is");
}

TEST_F(QuantizedChecks, DoNotJudgeWhatTheSamplesDoNotShow) {
  EXPECT_EQ(verdict_on("(float[2] y) { z = Sub(x, x) y = Relu(z) }",
                       "(float[2] y) <float c = {0.1}> { z = Sub(x, x) y = Add(z, c) }"),
            "the samples leave it at zero");
  const std::string places = "(int64[2] y) { a = ArgMax<axis = 0>(x) b = ArgMin<axis = 0>(x) ";
  EXPECT_EQ(
      verdict_on(places + "y = Concat<axis = 0>(a, b) }", places + "y = Concat<axis = 0>(a, a) }"),
      "it is of integers, of which 1 of 2 differ");
  const std::string empty = "(float[n] y) <int64[1] zero = {0}> { y = Slice(x, zero, zero) }";
  EXPECT_EQ(verdict_on(empty, empty), "the samples leave no numbers in it to compare");
}

TEST_F(QuantizedChecks, JudgePicturesThatAreOfBytes) {
  const auto picture = [](const std::string& contrast) {
    return "(uint8[2] y) <float k = {" + contrast +
           "}> { z = Mul(x, k) a = Abs(z) y = Cast<to: int = 2>(a) }";
  };
  const OutputError dim = check(picture("60"), picture("6")).outputs.at(0);
  EXPECT_TRUE(dim.judged) << dim.not_judged_because.value_or("");
  EXPECT_LT(dim.sqnr_db.value_or(100), 3);
}

TEST_F(QuantizedChecks, JudgeAnswersOfWhichMostAreOthers) {
  const OutputError error =
      check("(int64[1] y) { y = ArgMax<axis = 0>(x) }", "(int64[1] y) { y = ArgMin<axis = 0>(x) }")
          .outputs.at(0);
  EXPECT_TRUE(error.judged) << error.not_judged_because.value_or("");
  EXPECT_EQ(error.sqnr_db, 0);
}

TEST_F(QuantizedChecks, JudgeWhatIsExactlyTheSame) {
  const std::string faint = "(float[2] y) <float b = {-12}> { z = Add(x, b) y = Sigmoid(z) }";
  EXPECT_EQ(verdict_on(faint, faint), "judged");
  const std::string largest = "(int64[1] y) { y = ArgMax<axis = 0>(x) }";
  EXPECT_EQ(verdict_on(largest, largest), "judged");
}

TEST_F(QuantizedChecks, SayThatAnOutputIsMissing) {
  EXPECT_EQ(reason_of("(float[2] other) { other = Add(x, x) }"), "the output 'y' is missing");
}

}  // namespace
}  // namespace hone
