#include "model/extract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/text/text.h"

namespace hone {
namespace {

using testing::SizeIs;

TEST(Extract, TakesNodesWithWhatTheyReadAndLeavesTheRest) {
  const Model model = parse_text(
                          "<opset_import: [\"\": 17]> g (float[2] x) => (float[2] y)"
                          "<float[2] w = {1, 2}, float[2] v = {3, 4}>"
                          "{ a = Add(x, w) b = Mul(a, v) y = Relu(b) }")
                          .value();
  const Graph& graph = *model.graph;
  const Node& mul = *std::next(graph.nodes().begin());
  const Model part = extract(model, {{&mul}, {graph.find("a")}, {graph.find("b")}});
  ASSERT_THAT(part.graph->nodes(), SizeIs(1));
  EXPECT_EQ(part.graph->nodes().front().op_type, "Mul");
  ASSERT_THAT(part.graph->inputs(), SizeIs(1));
  EXPECT_EQ(part.graph->inputs()[0]->name(), "a");
  EXPECT_EQ(part.graph->outputs()[0]->name(), "b");
  EXPECT_THAT(part.graph->initializers(), SizeIs(1));
  EXPECT_EQ(part.graph->find("v")->initializer(), graph.find("v")->initializer());
  EXPECT_THAT(part.graph->values(), SizeIs(3));
  EXPECT_EQ(part.opset(), 17);
  EXPECT_THAT(graph.nodes(), SizeIs(3));
}

TEST(Extract, BringsTheSubgraphsOfItsNodes) {
  const Model model =
      parse_text(
          "<opset_import: [\"\": 17]> g (bool c, float[2] x) => (float[2] y)"
          "{ a = Neg(x) y = If(c) <then_branch = t () => (float[2] p) { p = Neg(a) },"
          " else_branch = e () => (float[2] q) { q = Abs(a) }> }")
          .value();
  const Graph& graph = *model.graph;
  const Model part = extract(
      model, {{&graph.nodes().back()}, {graph.find("a"), graph.find("c")}, {graph.find("y")}});
  const Graph* branch = part.graph->nodes().front().subgraphs().front();
  EXPECT_EQ(branch->nodes().front().input(0), part.graph->find("a"));
}

}  // namespace
}  // namespace hone
