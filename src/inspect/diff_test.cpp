#include "inspect/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/text/text.h"
#include "model/weights/strip.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Model parsed(std::string_view text) {
  auto model = parse_text(text);
  EXPECT_TRUE(model) << model.error().what;
  return std::move(model).value();
}

// "node changed b: attribute 'axis' 0 -> 1", one per change.
std::vector<std::string> changes(const Model& before, const Model& after) {
  std::vector<std::string> lines;
  for (const ModelChange& change : diff_models(before, after).changes) {
    std::string line = std::string(name_of(change.thing)) + " " +
                       std::string(name_of(change.action)) + " " + change.name;
    if (!change.detail.empty()) line += ": " + change.detail;
    if (!change.before.is_null() || !change.after.is_null()) {
      line += " " + change.before.dump(-1) + " -> " + change.after.dump(-1);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> changes(std::string_view before, std::string_view after) {
  return changes(parsed(before), parsed(after));
}

constexpr std::string_view plain = R"(g (float[2] x) => (float[2] y) <float[2] w = {1,2}> {
  [first] a = Mul(x, w)
  [second] b = Relu(a)
  [third] y = Softmax <axis = 0> (b)
})";

TEST(Diff, AModelIsEqualToItself) { EXPECT_THAT(changes(plain, plain), IsEmpty()); }

TEST(Diff, NamesInsideTheGraphAndTheOrderOfNodesAreNoChange) {
  EXPECT_THAT(changes("g (float[2] x) => (float[2] y) <float[2] w = {1,2}> { a = Mul(x, w) \n b = "
                      "Add(x, w) \n y = Sub(a, b) }",
                      "g (float[2] x) => (float[2] y) <float[2] v = {1,2}> { [n] q = Add(x, v) \n "
                      "p = Mul(x, v) \n y = Sub(p, q) }"),
              IsEmpty());
}

TEST(Diff, OpsetsIrVersionAndMetadata) {
  EXPECT_THAT(
      changes(
          R"(<ir_version: 8, opset_import: ["" : 17], metadata_props: ["k": "1"]> g () => () {})",
          R"(<ir_version: 10, opset_import: ["" : 21, "m" : 1], metadata_props: ["k": "2"]> g () => () {})"),
      ElementsAre("ir_version changed ir version 8 -> 10", "opset changed ai.onnx 17 -> 21",
                  "opset added m null -> 1", "metadata changed k \"1\" -> \"2\""));
}

TEST(Diff, InputsAndOutputs) {
  EXPECT_THAT(changes("g (float[2] x, float[1] old) => (float[2] y) { y = Relu(x) }",
                      "g (float[N] x, float[3] new) => (float[2] y) { y = Relu(x) }"),
              ElementsAre("input changed x: type \"float[2]\" -> \"float[N]\"",
                          "input removed old: float[1]", "input added new: float[3]"));
  EXPECT_THAT(changes("g (float[2] x, float[2] z) => (float[2] y) { y = Sub(x, z) }",
                      "g (float[2] z, float[2] x) => (float[2] y) { y = Sub(x, z) }"),
              ElementsAre("input changed order"));
}

TEST(Diff, OutputsThatChangedPlaces) {
  EXPECT_THAT(
      changes("g (float[2] x) => (float[2] y, float[2] z) { [r] y = Relu(x) \n [s] z = Abs(x) }",
              "g (float[2] x) => (float[2] y, float[2] z) { [r] z = Relu(x) \n [s] y = Abs(x) }"),
      ElementsAre("output changed y: made by \"r\" -> \"s\"",
                  "output changed z: made by \"s\" -> \"r\""));
}

TEST(Diff, AnAttributeThatChangedCameOrWent) {
  const auto with = [](std::string_view attributes) {
    return "g (float[2] x) => (float[2] y) { [n] y = Foo <" + std::string(attributes) + "> (x) }";
  };
  EXPECT_THAT(changes(with("axis = 0, keep = 1"), with("axis = 1, mode = \"linear\"")),
              ElementsAre("node changed n: attribute 'axis' \"0\" -> \"1\"",
                          "node changed n: attribute 'keep' \"1\" -> null",
                          "node changed n: attribute 'mode' null -> \"'linear'\""));
}

TEST(Diff, ANodeThatCameInBetween) {
  EXPECT_THAT(changes("g (float[2] x) => (float[2] y) { [a] t = Relu(x) \n [b] y = Abs(t) }",
                      "g (float[2] x) => (float[2] y) { [a] t = Relu(x) \n [new] u = Identity(t) "
                      "\n [b] y = Abs(u) }"),
              ElementsAre("node changed b: input 0 \"t\" -> \"u\"", "node added new: Identity"));
}

TEST(Diff, ANodeThatWentAwayWithoutAnyNames) {
  EXPECT_THAT(changes("g (float[2] x) => (float[2] y) { t = Relu(x) \n u = Identity(t) \n v = "
                      "Abs(u) \n y = Neg(v) }",
                      "g (float[2] x) => (float[2] y) { p = Relu(x) \n q = Abs(p) \n y = Neg(q) }"),
              ElementsAre(testing::StartsWith("node removed"),
                          testing::HasSubstr("input 0 \"u\" -> \"p\"")));
}

TEST(Diff, ANodeThatBecameAnotherOperator) {
  EXPECT_THAT(changes("g (float[2] x) => (float[2] y) { [n] y = Relu(x) }",
                      "g (float[2] x) => (float[2] y) { [n] y = Gelu(x) }"),
              ElementsAre("output changed y: made by \"n\" -> \"n\"",
                          "node changed n: operator \"Relu\" -> \"Gelu\""));
}

TEST(Diff, CountsOfOperatorsThatDiffer) {
  const ModelDiff diff =
      diff_models(parsed("g (float[2] x) => (float[2] y) { t = Relu(x) \n y = Relu(t) }"),
                  parsed("g (float[2] x) => (float[2] y) { t = Relu(x) \n y = Abs(t) }"));
  ASSERT_EQ(diff.op_counts.size(), 2u);
  EXPECT_EQ(to_json(diff.op_counts[0]).dump(-1), R"({"op":"Abs","before":0,"after":1})");
  EXPECT_EQ(to_json(diff.op_counts[1]).dump(-1), R"({"op":"Relu","before":2,"after":1})");
}

TEST(Diff, Initializers) {
  const auto with = [](std::string_view initializers) {
    return "g (float[2] x) => (float[2] y) <" + std::string(initializers) + "> { y = Foo(x, w) }";
  };
  EXPECT_THAT(
      changes(with("float[2] w = {1,2}"), with("float[2] w = {1,2.5}")),
      ElementsAre("initializer changed w: content: 1 of 2 elements differ, by 0.5 at most"));
  EXPECT_THAT(changes(with("float[2] w = {1,2}"), with("float16[3] w = {1,2,3}")),
              ElementsAre("initializer changed w: type \"float[2]\" -> \"float16[3]\""));
  EXPECT_THAT(changes(with("float[2] w = {1,2}, float[1] u = {1}"),
                      with("float[2] w = {1,2}, float[1] v = {2}")),
              ElementsAre("initializer removed u: float[1]", "initializer added v: float[1]"));
}

TEST(Diff, WeightsThatAreAbsentAreCountedAndNotCalledDifferent) {
  const Model model = parsed(plain);
  Model stripped = parsed(plain);
  ASSERT_TRUE(strip_weights(stripped, {.name = "m", .min_bytes = 1}));
  const ModelDiff diff = diff_models(model, stripped);
  EXPECT_TRUE(diff.equal);
  EXPECT_EQ(diff.absent_weights, 1u);
}

TEST(Diff, NodesOfSubgraphsAndFunctions) {
  const auto with = [](std::string_view branch, std::string_view function) {
    return "<ir_version: 10, opset_import: [\"\" : 21, \"f\" : 1]> g (bool c, float[2] x) => "
           "(float[2] y) {"
           "[i] y = If (c) <then_branch = t () => (float[2] p) { [n] p = " +
           std::string(branch) +
           " }, else_branch = e () => (float[2] q) { q = f.fn(x) }> }"
           "<domain: \"f\", opset_import: [\"\" : 21]> fn (x) => (y) { [m] y = " +
           std::string(function) + " }";
  };
  EXPECT_THAT(
      changes(with("Softmax <axis = 0> (x)", "Relu(x)"), with("Softmax <axis = 1> (x)", "Abs(x)")),
      ElementsAre("node changed i/then_branch/n: attribute 'axis' \"0\" -> \"1\"",
                  "node changed f.fn:/m: operator \"Relu\" -> \"Abs\""));
}

}  // namespace
}  // namespace hone
