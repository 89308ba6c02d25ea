#include "model/opset/facts.h"

#include "model/opset/testing.h"

namespace hone::opset {
namespace {

// The type and shape learnt of the value `y` ("float[2,?]"), which no graph below declares.
std::string learnt(const std::string& nodes, const std::string& inputs, int opset = 21) {
  const Model model = model_of(opset, "g (" + inputs + ") => () { " + nodes + " }");
  Facts facts;
  facts.learn(*model.graph);
  const Value* value = model.graph->find("y");
  if (value == nullptr) return "no y";
  const Fact fact = facts.of(value);
  Type type = Type::tensor(fact.element);
  if (fact.shape) {
    type.shape.emplace();
    for (const std::int64_t dim : *fact.shape) {
      type.shape->push_back(dim == unknown_dim ? Dim{} : Dim{dim, "", ""});
    }
  }
  return to_string(type);
}

TEST(Facts, FollowShapesThroughNodesWithoutTypes) {
  struct Case {
    std::string nodes;
    std::string inputs;
    std::string expected;
  };
  const Case cases[] = {
      {"y = Relu(x)", "float[2,3] x", "float[2,3]"},
      {"y = Add(x, b)", "float[2,3] x, float[4,1,3] b", "float[4,2,3]"},
      {"y = Equal(x, b)", "int32[2,1] x, int32[5] b", "bool[2,5]"},
      {"y = Shape(x)", "float[2,3,4] x", "int64[3]"},
      {"y = Size(x)", "float[2,3] x", "int64[]"},
      {"s = Shape(x) y = Reshape(b, s)", "float[2,3] x, float[6] b", "float[?,?]"},
      {"s = Constant <value_ints = [0, 3, -1]> () y = Reshape(x, s)", "float[2,12] x",
       "float[2,3,?]"},
      {"y = Transpose <perm = [0, 2, 1]> (x)", "float[2,3,4] x", "float[2,4,3]"},
      {"y = Transpose(x)", "float[2,3,4] x", "float[4,3,2]"},
      {"a = Constant <value_ints = [0, 3]> () y = Unsqueeze(x, a)", "float[2,3] x",
       "float[1,2,3,1]"},
      {"a = Constant <value_ints = [-1]> () y = Squeeze(x, a)", "float[2,1] x", "float[2]"},
      {"y = Gather <axis = 1> (x, i)", "float[2,3,4] x, int64[5,6] i", "float[2,5,6,4]"},
      {"y = Concat <axis = -1> (x, x, b)", "float[2,3] x, float[2,1] b", "float[2,7]"},
      {"y = MatMul(x, b)", "float[2,3,4] x, float[4,5] b", "float[2,3,5]"},
      {"y = Gemm(x, b)", "float[2,3] x, float[3,5] b", "float[?,?]"},
      {"y = Conv(x, b)", "float[1,3,8,8] x, float[16,3,3,3] b", "float[1,16,?,?]"},
      {"y = Flatten(x)", "float[2,3,4] x", "float[?,?]"},
      {"y = ReduceMean <keepdims = 0> (x)", "float[2,3] x", "float[]"},
      {"a = Constant <value_ints = [1]> () y = ReduceMean(x, a)", "float[2,3] x", "float[2,1]"},
      {"y = ArgMax <axis = -1, keepdims = 0> (x)", "float[2,3] x", "int64[2]"},
      {"y = Cast <to = 10> (x)", "float[2,3] x", "float16[2,3]"},
      {"y = Where(c, x, b)", "bool[2,1] c, float16[3] x, float16[3] b", "float16[2,3]"},
      {"y = QuantizeLinear(x, s, z)", "float[2] x, float s, int8 z", "int8[2]"},
      {"y = DequantizeLinear(x, s)", "uint8[2] x, float16 s", "float16[2]"},
      {"y = ConstantOfShape <value = int32[1] {7}> (x)", "int64[2] x", "int32[?,?]"},
      {"y = Expand(x, s)", "float[3,1] x, int64[3] s", "float[?,?,?]"},
      {"y = OneHot(i, d, v)", "int64[2,3] i, int64 d, float16[2] v", "float16[?,?,?]"},
      {"y = GatherND(x, i)", "float[2,3,4] x, int64[5,2] i", "float[?,?]"},
      {"y = Einsum <equation = \"bij,bjk->bik\"> (x, x)", "float[2,3,3] x", "float[?,?,?]"},
      {"s = Shape(x) a = Constant <value_ints = [0]> () e = Constant <value_ints = [2]> () y = "
       "Slice(s, a, e)",
       "float[2,3,4] x", "int64[2]"},
      {"a, y = Split <num_outputs = 2> (x)", "float[4,3] x", "float[?,?]"},
  };
  for (const Case& each : cases)
    EXPECT_EQ(learnt(each.nodes, each.inputs), each.expected) << each.nodes;
}

TEST(Facts, ReadAxesFromAttributesInOldOpsets) {
  EXPECT_EQ(learnt("y = Squeeze <axes = [0]> (x)", "float[1,3] x", 11), "float[3]");
  EXPECT_EQ(learnt("y = ReduceMax <axes = [1], keepdims = 0> (x)", "float[2,3] x", 11), "float[2]");
}

TEST(Facts, SayNothingOfWhatTheyDoNotKnow) {
  EXPECT_EQ(learnt("y = com.acme.Op(x)", "float[2] x"),
            learnt("y = Compress(x, c)", "float[2] x, bool[2] c"));
}

TEST(Facts, DoNotAllocateForAShapeNoTensorCanHave) {
  EXPECT_EQ(learnt("y = ConstantOfShape(x)", "int64[4000000000000] x"), "float[...]");
}

TEST(Constants, AreSeenThroughIdentityButNotWhereTheCallerMayOverride) {
  const Model model = model_of(21, R"(g (float[1] x, int64[1] over) => () <int64[1] c = {4}> {
    a = Identity(c)
    b = Identity(a)
    d = Constant <value_int = 7> ()
  })");
  EXPECT_EQ((*to_ints(*constant_of(model.graph->find("b"))))[0], 4);
  EXPECT_EQ((*to_ints(*constant_of(model.graph->find("d"))))[0], 7);
  EXPECT_EQ(constant_of(model.graph->find("x")), nullptr);
  EXPECT_EQ(constant_of(nullptr), nullptr);
}

}  // namespace
}  // namespace hone::opset
