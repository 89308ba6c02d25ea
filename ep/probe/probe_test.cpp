// The probe, through the real ONNX Runtime.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "ep/testing/host.h"
#include "record/probe_graph.h"

namespace hone::ep::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Probe : public ::testing::Test {
 protected:
  Path file() const { return folder_.path() / "graph.json"; }

  Opening opening(std::string_view text) const {
    return {.bytes = model_of(text),
            .ep = "HoneProbe",
            .options = {{"dump", file().string()}},
            .level = optimize_none};
  }

  ProbeDump dump(std::string_view text) const {
    const auto session = Host::get().open(opening(text));
    EXPECT_TRUE(session) << problem_of(session);
    const auto dumped = from_document<ProbeDump>(Json::parse(read_file(file()).value()).value(),
                                                 probe_graph_schema);
    EXPECT_TRUE(dumped) << problem_of(dumped);
    return dumped ? *dumped : ProbeDump{};
  }

  static const ProbeValue& value(const ProbeGraph& graph, const std::string& name) {
    const auto found = std::find_if(graph.values.begin(), graph.values.end(),
                                    [&](const ProbeValue& v) { return v.name == name; });
    EXPECT_NE(found, graph.values.end()) << name;
    return *found;
  }

  TemporaryFolder folder_ = TemporaryFolder::create("probe").value();
};

TEST_F(Probe, GivesTheTypesAndShapesOnnxRuntimeInfers) {
  HONE_NEEDS_ORT();
  const ProbeDump found = dump(R"(<opset_import: ["": 17]> g (float[N,3] x) => (y)
      <float[3,2] w = {1, 2, 3, 4, 5, 6}> { t = MatMul(x, w) y = Shape(t) })");
  const ProbeValue& t = value(found.graph, "t");
  EXPECT_EQ(t.kind, "tensor");
  EXPECT_EQ(t.type, "float");
  ASSERT_TRUE(t.shape.has_value());
  EXPECT_THAT(*t.shape, ElementsAre(Json("N"), Json(2)));
  EXPECT_EQ(value(found.graph, "y").type, "int64");
  EXPECT_THAT(*value(found.graph, "y").shape, ElementsAre(Json(2)));
  EXPECT_EQ(found.opsets.at(""), 17);
  EXPECT_EQ(found.ort_version, Host::get().ort().version);
}

TEST_F(Probe, TellsAnUnknownRankFromAScalar) {
  HONE_NEEDS_ORT();
  const ProbeDump found = dump("g (float x, float[] u) => (y, z) { y = Relu(x) z = Relu(u) }");
  ASSERT_TRUE(value(found.graph, "y").shape.has_value());
  EXPECT_THAT(*value(found.graph, "y").shape, IsEmpty());
  EXPECT_FALSE(value(found.graph, "z").shape.has_value());
}

TEST_F(Probe, MarksInitializersAndWhichOfThemAreConstant) {
  HONE_NEEDS_ORT();
  const ProbeDump found = dump(R"(g (float[2] x, float[2] d) => (y)
      <float[2] d = {1, 2}, float[2] w = {3, 4}> { t = Add(x, w) y = Add(t, d) })");
  EXPECT_TRUE(value(found.graph, "w").constant);
  EXPECT_TRUE(value(found.graph, "w").initializer);
  EXPECT_TRUE(value(found.graph, "d").initializer);
  EXPECT_FALSE(value(found.graph, "d").constant);
  EXPECT_FALSE(value(found.graph, "x").initializer);
  EXPECT_THAT(found.graph.outputs, ElementsAre("y"));
}

TEST_F(Probe, DescribesNodesAndTheGraphsInsideThem) {
  HONE_NEEDS_ORT();
  const ProbeDump found = dump(R"(<opset_import: ["": 17]> g (bool c, float[2] x) => (float[2] y) {
      t = Neg(x)
      [choice] y = If(c) <then_branch = a () => (float[2] p) { [inner] p = Relu(t) },
                          else_branch = b () => (float[2] q) { q = Abs(t) }> })");
  ASSERT_EQ(found.graph.nodes.size(), 2u);
  const ProbeNode& choice = found.graph.nodes[1];
  EXPECT_EQ(choice.name, "choice");
  EXPECT_EQ(choice.op, "If");
  EXPECT_EQ(choice.since_version, 16);
  EXPECT_THAT(choice.inputs, ElementsAre("c"));
  EXPECT_THAT(choice.outputs, ElementsAre("y"));
  EXPECT_THAT(choice.implicit_inputs, ElementsAre("t"));
  ASSERT_EQ(choice.subgraphs.size(), 2u);
  const auto& then_branch =
      choice.subgraphs[0].attribute == "then_branch" ? choice.subgraphs[0] : choice.subgraphs[1];
  EXPECT_EQ(then_branch.graph.nodes.at(0).name, "inner");
  EXPECT_THAT(*value(then_branch.graph, "p").shape, ElementsAre(Json(2)));
}

TEST_F(Probe, LeavesEveryNodeToOthersAndTheResultAlone) {
  HONE_NEEDS_ORT();
  Opening probed = opening("g (float[4] x) => (float[4] y) { t = Relu(x) y = Neg(t) }");
  auto with = Host::get().open(probed);
  ASSERT_TRUE(with) << problem_of(with);
  EXPECT_THAT(with->groups_on("HoneProbe"), IsEmpty());
  probed.ep.clear();
  auto without = Host::get().open(probed);
  ASSERT_TRUE(without);
  EXPECT_EQ(with->run({{"x", floats({4})}}).value(), without->run({{"x", floats({4})}}).value());
}

TEST_F(Probe, RefusesToOpenWithoutAPlaceToWriteTo) {
  HONE_NEEDS_ORT();
  Opening probed = opening("g (float[4] x) => (float[4] y) { y = Relu(x) }");
  probed.options.clear();
  EXPECT_THAT(problem_of(Host::get().open(probed)), HasSubstr("HoneProbe needs the option dump"));
  probed.options = {{"dump", (folder_.path() / "none" / "graph.json").string()}};
  EXPECT_THAT(problem_of(Host::get().open(probed)), HasSubstr("graph.json"));
  probed.options = {{"dunp", "x"}};
  EXPECT_THAT(problem_of(Host::get().open(probed)), HasSubstr("HoneProbe has no option 'dunp'"));
}

}  // namespace
}  // namespace hone::ep::testing
