#include "transform/oldest_ort.h"

#include <gtest/gtest.h>

#include "model/text/text.h"

namespace hone {
namespace {

OldestOrt oldest(const std::string& opset, const std::string& graph, int ir = 7) {
  Model model = parse_text("<opset_import: [" + opset + "]> g " + graph).value();
  model.ir_version = ir;
  return oldest_ort_for(model);
}

constexpr auto relu = "(float[2] x) => (float[2] y) { y = Relu(x) }";

// Each boundary was tried on the releases of onnxruntime-node: 1.12 takes opset 17 and IR 8, 1.14
// opset 18, 1.15 IR 9, 1.16 opset 19, 1.17 opset 20, 1.18 to 1.20 opset 21 and IR 10, 1.21 opset
// 22, 1.23 opset 23 and IR 11, 1.24 opset 25 and IR 13, 1.25 opset 26.
TEST(OldestOrt, IsTheFirstThatTakesTheOpset) {
  EXPECT_EQ(oldest("\"\" : 11", relu).version, "1.3") << "IR 7";
  EXPECT_EQ(oldest("\"\" : 18", relu).version, "1.14");
  EXPECT_EQ(oldest("\"\" : 20", relu).version, "1.17");
  EXPECT_EQ(oldest("\"\" : 21", relu).version, "1.18");
  EXPECT_EQ(oldest("\"\" : 21", relu).because, "opset 21");
  EXPECT_EQ(oldest("\"\" : 22", relu).version, "1.21");
  EXPECT_EQ(oldest("\"\" : 23", relu).version, "1.23");
  EXPECT_EQ(oldest("\"\" : 25", relu).version, "1.24");
}

TEST(OldestOrt, TakesTheIrVersionAsWell) {
  const OldestOrt found = oldest("\"\" : 13", relu, 10);
  EXPECT_EQ(found.version, "1.18");
  EXPECT_EQ(found.because, "IR version 10");
}

TEST(OldestOrt, KnowsThatSignedFiltersOfConvIntegerAreNew) {
  const auto conv = [](const std::string& type) {
    return "(uint8[1,1,3] x) => (int32[1,1,3] y) <" + type +
           "[1,1,1] w = {1}> { y = ConvInteger(x, w) }";
  };
  EXPECT_EQ(oldest("\"\" : 17", conv("int8")).version, "1.24");
  EXPECT_EQ(oldest("\"\" : 17", conv("int8")).because, "ConvInteger with int8 weights");
  EXPECT_EQ(oldest("\"\" : 17", conv("uint8")).version, "1.12");
}

TEST(OldestOrt, LooksIntoSubgraphs) {
  EXPECT_EQ(
      oldest(
          "\"\" : 11, \"com.microsoft\" : 1",
          "(bool c, float[1,16] x, uint8[1,1,8] w, float[1] s) => (float[1,1] y) {"
          "  y = If(c) <then_branch = a () => (float[1,1] p) {"
          "      p = com.microsoft.MatMulNBits <K=16, N=1, bits=4, block_size=16> (x, w, s) },"
          "    else_branch = b () => (float[1,1] q) {"
          "      q = com.microsoft.MatMulNBits <K=16, N=1, bits=4, block_size=16> (x, w, s) }> }")
          .because,
      "MatMulNBits");
}

}  // namespace
}  // namespace hone
