#include "transform/quantize/widen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/text/text.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Widened {
  WidenReport report;
  std::string text;  // the graph
};
Widened widen(std::string_view text) {
  auto model = parse_text(text);
  EXPECT_TRUE(model) << model.error().what << model.error().cause;
  EXPECT_TRUE(has_float16(*model));
  auto report = widen_float16(*model);
  EXPECT_TRUE(report) << report.error().what;
  return {*report, print_text(*model->graph, {.half_values = true})};
}

TEST(Widening, MakesFloatsAndKeepsInputsAndOutputsAsTheyAre) {
  const Widened result = widen(R"(<opset_import: ["" : 17]>
    g (float16[2] x) => (float16[2] y) <float16[2] w = {1.0, 0.5}, float16[2] t> {
      t = Add(x, w) y = Relu(t) })");
  EXPECT_THAT(result.text, HasSubstr("g (float16[2] x) => (float16[2] y)"));
  EXPECT_THAT(result.text, HasSubstr("float[2] w = {1, 0.5}"));
  EXPECT_THAT(result.text, HasSubstr("t = Add(x_float, w)"));
  EXPECT_THAT(result.text, HasSubstr("y = Cast <to = 10> (y_float)"));
  EXPECT_EQ(result.report.tensors, 1u);
  EXPECT_EQ(result.report.casts, 2u);
}

TEST(Widening, RemovesCastsThatNowChangeNothing) {
  const Widened result = widen(R"(<opset_import: ["" : 17]>
    g (float[2] x) => (float[2] y) <float16[2] h, float16[2] t, float16[2] w = {1.0, 2.0}> {
      h = Cast <to = 10> (x)  t = Add(h, w)  y = Cast <to = 1> (t) })");
  EXPECT_THAT(result.text, HasSubstr("t = Add(x, w)"));
  EXPECT_THAT(result.text, Not(HasSubstr("<to = 10>")));
  EXPECT_THAT(result.text, HasSubstr("y = Cast <to = 1> (t)")) << "it makes the model's output";
}

TEST(Widening, ReachesIntoSubgraphsAndAttributes) {
  const Widened result = widen(R"(<opset_import: ["" : 17]>
    g (bool c, int64[1] n) => (float16[M] y) {
      y = If(c) <then_branch = a () => (float16[M] p) {
                   p = ConstantOfShape <value = float16[1] {0.5}> (n) },
                 else_branch = b () => (float16[M] q) { q = Cast <to = 10> (n) }> })");
  EXPECT_THAT(result.text, HasSubstr("a () => (float[M] p)"));
  EXPECT_THAT(result.text, HasSubstr("ConstantOfShape <value = float[1] {0.5}> (n)"));
  EXPECT_THAT(result.text, HasSubstr("q = Cast <to = 1> (n)"));
  EXPECT_THAT(result.text, HasSubstr("=> (float16[M] y)"));
}

TEST(Widening, IsNotForModelsWithoutFloat16) {
  EXPECT_FALSE(has_float16(parse_text(R"(<opset_import: ["" : 17]>
    g (float[2] x) => (float[2] y) { y = Relu(x) })")
                               .value()));
}

}  // namespace
}  // namespace hone
