// Activations, normalizations and attention: what counts, and what only looks alike.
#include "inspect/analyze/fusions.h"

#include "inspect/analyze/fusions_for_tests.h"
#include "kinds/ep.h"
#include "transform/capability.h"

namespace hone {
namespace {

std::string over_x(std::string_view constants, std::string_view body) {
  return "g (float[2,4] x) => (float[2,4] y) <" + std::string(constants) + "> {" +
         std::string(body) + "}";
}

constexpr auto gelu_constants =
    "float root = {1.4142135}, float one = {1}, float half = {0.5}, float[4] bias = {1,2,3,4}";

TEST(Fusions, AreLookedForOrTriedAndYieldToCapabilitiesThatAreThere) {
  for (const Capability& capability : all_capabilities()) {
    if (!capability.detection) continue;
    const bool is_tried = capability.detection->find == nullptr;
    EXPECT_TRUE(!is_tried || capability.pass != nullptr) << capability.name;
    for (const std::string_view larger : capability.detection->yields_to)
      EXPECT_TRUE(find_capability(larger)) << capability.name;
  }
  EXPECT_TRUE(find_capability("highdimRTR_lowdimRTR").value()->detection);
}

TEST(Fusions, OfSomeEpsAloneNameEpsThatAreThere) {
  for (const Capability& capability : all_capabilities()) {
    for (const std::string_view ep : capability.only_on)
      EXPECT_NE(find_ep(ep), nullptr) << capability.name;
  }
  EXPECT_EQ(limit_of(*find_capability("bias-softmax-fusion").value()), "CUDA");
  EXPECT_EQ(limit_of(*find_capability("matmul-activation-fusion").value()), "DirectML");
}

TEST(Fusions, AGeluCountsInEitherOrderOfItsOperands) {
  EXPECT_EQ(count_in("gelu-fusion", over_x(gelu_constants, R"(d = Div(x, root)
    e = Erf(d)  a = Add(e, one)  m = Mul(x, a)  y = Mul(m, half))")),
            1u);
  EXPECT_EQ(count_in("gelu-fusion", over_x(gelu_constants, R"(d = Div(x, root)
    e = Erf(d)  a = Add(one, e)  m = Mul(half, x)  y = Mul(a, m))")),
            1u);
}

TEST(Fusions, AGeluOfOtherConstantsIsNone) {
  EXPECT_EQ(
      count_in(
          "gelu-fusion",
          over_x("float root = {2}, float one = {1}, float half = {0.5}",
                 "d = Div(x, root) e = Erf(d) a = Add(e, one) m = Mul(x, a) y = Mul(m, half)")),
      0u);
}

TEST(Fusions, AGeluThatOnlyOurPassKnowsIsNoneOfOnnxRuntimes) {
  const std::string gated = over_x(gelu_constants, R"(d = Div(x, root)
    e = Erf(d)  a = Add(e, one)  m = Mul(a, half)  y = Mul(x, m))");
  EXPECT_EQ(count_in("gelu-fusion", gated), 0u);
  EXPECT_EQ(count_in("gelu-singlegelu", gated), 1u);
}

TEST(Fusions, ABiasBeforeAGeluCountsWhenNobodyElseNeedsTheSum) {
  constexpr auto body = R"(x1 = Add(x, bias)  d = Div(x1, root)
    e = Erf(d)  a = Add(e, one)  m = Mul(x1, a)  y = Mul(m, half))";
  EXPECT_EQ(count_in("bias-gelu-fusion", over_x(gelu_constants, body)), 1u);
  EXPECT_EQ(count_in("bias-gelu-fusion", "g (float[2,4] x) => (float[2,4] y, float[2,4] x1) <" +
                                             std::string(gelu_constants) + "> {" + body + "}"),
            0u);
  EXPECT_EQ(count_in("bias-gelu-fusion",
                     over_x(gelu_constants, "s = Add(bias, x) y = com.microsoft.Gelu(s)")),
            1u);
  EXPECT_EQ(count_in("bias-gelu-fusion", over_x(gelu_constants, "s = Add(x, x) y = Gelu(s)")), 0u);
}

constexpr auto tanh_constants =
    "float three = {3}, float c = {0.044715}, float r = {0.7978846}, float one = {1}, "
    "float half = {0.5}";

TEST(Fusions, AFastGeluCountsInItsForms) {
  EXPECT_EQ(count_in("fast-gelu-fusion", over_x(tanh_constants, R"(p = Pow(x, three)
    q = Mul(p, c)  s = Add(x, q)  t = Mul(s, r)  h = Tanh(t)  a = Add(h, one)
    m = Mul(x, a)  y = Mul(m, half))")),
            1u);
  EXPECT_EQ(count_in("fast-gelu-fusion", over_x(tanh_constants, R"(p2 = Mul(x, x)  p = Mul(x, p2)
    q = Mul(c, p)  s = Add(q, x)  t = Mul(r, s)  h = Tanh(t)  a = Add(one, h)
    m = Mul(half, x)  y = Mul(a, m))")),
            1u);
  EXPECT_EQ(count_in("fast-gelu-fusion", over_x(tanh_constants, R"(k = Mul(x, r)  q = Mul(x, c)
    p = Mul(q, x)  s = Add(p, one)  t = Mul(k, s)  h = Tanh(t)  a = Add(h, one)
    m = Mul(x, half)  y = Mul(m, a))")),
            1u);
}

TEST(Fusions, ATanhBehindAPowIsNotYetAFastGelu) {
  EXPECT_EQ(count_in("fast-gelu-fusion", over_x(tanh_constants, R"(p = Pow(x, three)
    q = Mul(p, c)  s = Add(x, q)  t = Mul(s, r)  y = Tanh(t))")),
            0u);
  EXPECT_EQ(count_in("fast-gelu-fusion", over_x(tanh_constants, R"(p = Pow(x, three)
    q = Mul(p, r)  s = Add(x, q)  t = Mul(s, r)  h = Tanh(t)  a = Add(h, one)
    m = Mul(x, a)  y = Mul(m, half))")),
            0u);
}

TEST(Fusions, AQuickGeluIsToldFromOtherGatesByItsFactor) {
  constexpr auto body = "m = Mul(x, k)  s = Sigmoid(m)  y = Mul(s, x)";
  EXPECT_EQ(count_in("quick-gelu-fusion", over_x("float k = {1.702}", body)), 1u);
  EXPECT_EQ(count_in("quick-gelu-fusion", over_x("float k = {1.5}", body)), 0u);
  EXPECT_EQ(count_in("quick-gelu-fusion", over_x("float k = {1.702}, float[2,4] z = "
                                                 "{1,1,1,1,1,1,1,1}",
                                                 "m = Mul(x, k)  s = Sigmoid(m)  y = Mul(s, z)")),
            0u);
}

constexpr auto norm_constants =
    "float two = {2}, float eps = {0.00001}, float[4] w = {1,2,3,4}, float[4] b = {1,2,3,4}";
constexpr auto norm_of_x = R"(u = ReduceMean <axes = [-1]> (x)  c = Sub(x, u)
  p = Pow(c, two)  v = ReduceMean <axes = [-1]> (p)  e = Add(v, eps)  s = Sqrt(e)
  n = Div(c, s)  k = Mul(n, w)  y = Add(k, b))";

TEST(Fusions, ALayerNormalizationCountsOnceAndIsNoRootMeanSquare) {
  const std::string model = over_x(norm_constants, norm_of_x);
  EXPECT_EQ(count_in("layer-norm-fusion", model, 17), 1u);
  EXPECT_EQ(count_in("simplified-layer-norm-fusion", model, 17), 0u);
  EXPECT_EQ(count_in("fuse-rmsnorm", model, 17), 0u);
}

TEST(Fusions, ALayerNormalizationWithAProductForThePower) {
  std::string body = norm_of_x;
  body.replace(body.find("Pow(c, two)"), 11, "Mul(c, c)");
  EXPECT_EQ(count_in("layer-norm-fusion", over_x(norm_constants, body), 17), 1u);
}

TEST(Fusions, ADifferenceToTheMeanOfSomethingElseIsNoLayerNormalization) {
  std::string body = norm_of_x;
  body.replace(body.find("Sub(x, u)"), 9, "Sub(u, x)");
  EXPECT_EQ(count_in("layer-norm-fusion", over_x(norm_constants, body), 17), 0u);
  body = norm_of_x;
  body.replace(body.find("ReduceMean <axes = [-1]> (x)"), 28, "ReduceMean <axes = [-1]> (w2)");
  EXPECT_EQ(count_in("layer-norm-fusion",
                     "g (float[2,4] x, float[2,4] w2) => (float[2,4] y) <" +
                         std::string(norm_constants) + "> {" + body + "}",
                     17),
            0u);
}

TEST(Fusions, ARootMeanSquareCounts) {
  const std::string model = over_x(norm_constants, R"(p = Pow(x, two)
    v = ReduceMean <axes = [-1]> (p)  e = Add(v, eps)  s = Sqrt(e)  n = Div(x, s)  y = Mul(n, w))");
  EXPECT_EQ(count_in("simplified-layer-norm-fusion", model, 17), 1u);
  EXPECT_EQ(count_in("fuse-rmsnorm", model, 17), 1u);
  EXPECT_EQ(count_in("fuse-rmsnorm", over_x(norm_constants, R"(p = Pow(x, two)
    v = ReduceMean <axes = [-1]> (p)  e = Add(v, eps)  s = Sqrt(e)  n = Div(p, s)
    y = Mul(n, w))"),
                     17),
            0u);
}

TEST(Fusions, ASkipNeedsASumOfTensorsBeforeTheNormalization) {
  const auto graph = [](std::string_view body) {
    return "g (float[2,4] x, float[2,4] z) => (float[2,4] y) <float[4] w = {1,2,3,4}, float[4] b = "
           "{1,2,3,4}> {" +
           std::string(body) + "}";
  };
  EXPECT_EQ(
      count_in("skip-layer-norm-fusion", graph("s = Add(x, z) y = LayerNormalization(s, w, b)")),
      1u);
  EXPECT_EQ(
      count_in("skip-layer-norm-fusion", graph("s = Add(x, w) y = LayerNormalization(s, w, b)")),
      0u);
  EXPECT_EQ(
      count_in("skip-layer-norm-fusion", graph("s = Add(x, z) y = ReduceMean <keepdims = 1> (s)")),
      0u);
  EXPECT_EQ(count_in("skip-layer-norm-fusion", graph("y = LayerNormalization(x, w, b)")), 0u);
}

std::string attention_with(std::string_view softmax_and_product) {
  return "g (float[2,3,8] q, float[2,3,8] k, float[2,3,8] v) => (float[2,3,8] y) <float[2,3,2,4] "
         "q4, float[2,3,2,4] k4, float[2,3,2,4] v4, int64[4] split = {0,0,2,4}, int64[3] join = "
         "{0,0,8}, float half = {0.5}> { q4 = Reshape(q, split) k4 = Reshape(k, split) v4 = "
         "Reshape(v, split) qt = Transpose <perm = [0,2,1,3]> (q4) kt = Transpose <perm = "
         "[0,2,3,1]> (k4) vt = Transpose <perm = [0,2,1,3]> (v4) p = MatMul(qt, kt) s = Mul(p, "
         "half) " +
         std::string(softmax_and_product) +
         " r = Transpose <perm = [0,2,1,3]> (c) y = Reshape(r, join) }";
}

TEST(Fusions, AnAttentionIsABlockAndNoSoftmaxAlone) {
  EXPECT_EQ(
      count_in("attention-fusion", attention_with("w = Softmax <axis = -1> (s) c = MatMul(w, vt)")),
      1u);
  EXPECT_EQ(
      count_in("attention-fusion", attention_with("w = Softmax <axis = 1> (s) c = MatMul(w, vt)")),
      0u);
  EXPECT_EQ(count_in("attention-fusion", over_x("", "y = Softmax(x)")), 0u);
}

TEST(Fusions, ABiasedSoftmaxHasAMaskThatIsRepeated) {
  const auto graph = [](std::string_view mask) {
    return "g (float[2,4,3,3] x, float" + std::string(mask) +
           " m) => (float[2,4,3,3] y) <float[2,4,3,3] s> { s = Add(x, m) y = Softmax(s) }";
  };
  EXPECT_EQ(count_in("bias-softmax-fusion", graph("[2,1,3,3]")), 1u);
  EXPECT_EQ(count_in("bias-softmax-fusion", graph("[3,3]")), 1u);
  EXPECT_EQ(count_in("bias-softmax-fusion", graph("[2,4,3,3]")), 0u);
}

TEST(Fusions, TheFirstFewNodesAreNamed) {
  auto model = parse_text(
      "<ir_version: 10, opset_import: [\"\" : 20]> g (float[2,4] x) => (float[2,4] y) <float k = "
      "{1.702}> { m = Mul(x, k) s = Sigmoid(m) [gate] y = Mul(s, x) }");
  ASSERT_TRUE(model);
  const auto fusions = find_fusions(*model);
  ASSERT_TRUE(fusions);
  ASSERT_EQ(fusions->size(), 1u);
  EXPECT_EQ(to_json(fusions->front()).dump(-1),
            R"({"capability":"quick_gelu_fusion","count":1,"nodes":["gate"],)"
            R"("makes":"com.microsoft.QuickGelu","note":""})");
}

}  // namespace
}  // namespace hone
