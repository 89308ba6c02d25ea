// Static shapes on the real ONNX Runtime: what follows from the sizes is folded, what does not is
// named, and the outputs are the same bytes.

#include "transform/fix_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/text/text.h"
#include "real_runtime.h"
#include "transform/fold_constants.h"
#include "transform/open_shapes.h"

namespace hone {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

class FixShapes : public testing::Test {
 protected:
  static Model model_of(const std::string& graph, int opset = 21) {
    auto model = parse_text("<ir_version: 10, opset_import: [\"\" : " + std::to_string(opset) +
                            "]> net " + graph);
    EXPECT_TRUE(model) << model.error().what << ": " << model.error().cause;
    return std::move(*model);
  }
  static TransformTools tools() {
    return {.runtime = onnxruntime(), .probe_library = HONE_EP_LIBRARY};
  }
  static FixedModel fixed(const Model& model, const InputShapes& shapes) {
    auto made = fix_shapes(tools(), model, shapes, SampleSource{});
    EXPECT_TRUE(made) << made.error().what << ": " << made.error().cause;
    return std::move(*made);
  }
  static std::string type_of(const Model& model, const std::string& value) {
    return to_string(model.graph->find(value)->type);
  }
  static std::vector<std::string> ops_of(const Model& model) {
    std::vector<std::string> ops;
    for (const Node& node : model.graph->nodes()) ops.push_back(node.op_type);
    return ops;
  }
};

TEST_F(FixShapes, ClosesInputsOutputsAndEverythingBetween) {
  const Model model = model_of(R"((float[N,3,H,W] x) => (float[N,3,H,W] y) {
      a = Relu(x)
      y = Neg(a)
    })");
  const FixedModel made = fixed(model, {{"x", {1, 3, 4, 5}}});
  EXPECT_EQ(type_of(made.model, "x"), "float[1,3,4,5]");
  EXPECT_EQ(type_of(made.model, "a"), "float[1,3,4,5]");
  EXPECT_EQ(type_of(made.model, "y"), "float[1,3,4,5]");
  EXPECT_EQ(made.report.open_before, 2u);
  EXPECT_EQ(made.report.open_after, 0u);
  EXPECT_TRUE(made.report.verified->holds);
}

TEST_F(FixShapes, FoldsAChainOfShapesThatOnlySizesExplain) {
  const Model model = model_of(R"((float[N,6] x) => (float[A,B] y)
    <int64 zero = {0}, int64 one = {1}, int64[1] axes = {0}, float half = {0.5}>
    {
      s = Shape(x)
      n = Gather(s, zero)
      f = Cast <to = 1> (n)
      g = Mul(f, half)
      c = Ceil(g)
      i = Cast <to = 7> (c)
      u = Unsqueeze(i, axes)
      w = Gather(s, one)
      m = Mul(w, n)
      d = Div(m, i)
      v = Unsqueeze(d, axes)
      t = Concat <axis = 0> (u, v)
      y = Reshape(x, t)
    })");
  const FixedModel made = fixed(model, {{"x", {4, 6}}});
  EXPECT_THAT(ops_of(made.model), ElementsAre("Reshape"));
  EXPECT_EQ(type_of(made.model, "y"), "float[2,12]");
}

TEST_F(FixShapes, TakesTheBranchThatSizesDecide) {
  const Model model = model_of(R"((float[N,2] x) => (float[A] y)
    <int64 zero = {0}, int64 one = {1}, int64[1] all = {-1}>
    {
      s = Shape(x)
      n = Gather(s, zero)
      c = Equal(n, one)
      y = If(c) <
        then_branch = yes () => (float[B] a) { a = Reshape(x, all) },
        else_branch = no () => (float[C] b) { r = Neg(x) b = Reshape(r, all) }
      >
    })");
  const FixedModel made = fixed(model, {{"x", {1, 2}}});
  EXPECT_THAT(ops_of(made.model), ElementsAre("Reshape"));
  EXPECT_EQ(made.report.branches_taken, 1u);
  EXPECT_EQ(type_of(made.model, "y"), "float[2]");
  EXPECT_THAT(ops_of(fixed(model, {{"x", {3, 2}}}).model), ElementsAre("Neg", "Reshape"));
}

TEST_F(FixShapes, NamesTheNodeWhereDimensionsStayOpen) {
  const Model model = model_of(R"((float[N] x) => (int64[A,B] y, float[C] z)
    <int64[1] one = {1}>
    {
      [count] n = NonZero(x)
      y = Neg(n)
      k = Cast <to = 7> (x)
      l = Slice(k, one, one)
      m = ReduceMax <keepdims = 1> (k)
      [cut] z = Slice(x, one, m)
    })");
  const FixedModel made = fixed(model, {{"x", {4}}});
  ASSERT_EQ(made.report.left_open.size(), 2u);
  EXPECT_THAT(made.report.left_open[0],
              AllOf(Field(&OpenShape::node, "count"), Field(&OpenShape::op, "NonZero"),
                    Field(&OpenShape::why, HasSubstr("not zero is only known when it runs"))));
  EXPECT_THAT(
      made.report.left_open[1],
      AllOf(Field(&OpenShape::node, "cut"),
            Field(&OpenShape::why, "its sizes are computed: 'm' is only known when it runs")));
  EXPECT_GE(made.report.open_after, 3u);
}

TEST_F(FixShapes, KeepsWhatIsQuantizedAndWhatIsRandom) {
  Model model = model_of(R"((float[2] x) => (float[2] y)
    <int8[2] q = {1, 2}, float scale = {0.5}, int8 point = {0}, float[2] a = {1, 2}>
    {
      w = DequantizeLinear(q, scale, point)
      r = RandomUniformLike(a)
      n = Neg(a)
      s = Add(w, n)
      t = Add(s, r)
      y = Add(x, t)
    })");
  for (const char* name : {"w", "r", "n", "s", "t"})
    model.graph->find(name)->type = Type::tensor(ElementType::float32, shape_of({2}));
  const auto folded = fold_constants(onnxruntime(), model);
  ASSERT_TRUE(folded) << folded.error().what;
  EXPECT_EQ(*folded, 1u);
  EXPECT_THAT(ops_of(model),
              ElementsAre("DequantizeLinear", "RandomUniformLike", "Add", "Add", "Add"));
}

TEST_F(FixShapes, DoesNotTouchAModelThatIsStatic) {
  const Model model = model_of("(float[2] x) => (float[2] y) { y = Relu(x) }");
  const FixedModel made = fixed(model, {});
  EXPECT_EQ(made.report.nodes_after, 1u);
  EXPECT_THAT(made.report.inputs, IsEmpty());
  EXPECT_THAT(list_open(made.model), IsEmpty());
}

TEST_F(FixShapes, FailsRatherThanComputeSomethingElse) {
  // What ONNX Runtime draws depends on how many nodes stand before.
  const Model model = model_of(R"((float[N] x) => (float[M] y) {
      s = Shape(x)
      z = Reshape(x, s)
      r = RandomNormalLike(z)
      y = Add(z, r)
    })");
  const auto made = fix_shapes(tools(), model, {{"x", {4}}}, SampleSource{});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().fault, Fault::not_held);
  EXPECT_THAT(made.error().what, HasSubstr("computes something else"));
}

}  // namespace
}  // namespace hone
