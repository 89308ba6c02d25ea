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
    EXPECT_TRUE(model && save_model(*model, file));
    return file;
  }
  std::string reason_of(const std::string& graph) {
    const Path original = save("original.onnx", "(float[2] y) { y = Add(x, x) }");
    const Path quantized = save("quantized.onnx", graph);
    const Session session = Session::open(onnxruntime(), original, {}).value();
    SampleStream samples = SampleStream::from_seed(session.inputs(), {}, {}, 0, 1).value();
    return check_quantized(onnxruntime(), quantized, original, samples, {}, 1).value().reason;
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

TEST_F(QuantizedChecks, SayThatAnOutputIsMissing) {
  EXPECT_EQ(reason_of("(float[2] other) { other = Add(x, x) }"), "the output 'y' is missing");
}

}  // namespace
}  // namespace hone
